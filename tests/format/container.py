#!/usr/bin/env python3
"""A second reader of .ghz files, written from FILE_FORMAT.md alone (and FORMAT.md, for the streams in them).

usage: container.py FILE.ghz [OUTPUT]    writes the values as raw little-endian numbers to OUTPUT, or prints them
"""
# SPDX-License-Identifier: BSD-3-Clause
import math
import struct
import sys

import decoder
from decoder import Corrupt, Newer, check
from xxh3 import xxh3_64

UNKNOWN = 2**64 - 1
FORTRAN, NPY = 1, 2


def checksum(data, seed):
    return struct.pack("<Q", xxh3_64(data, seed))


class Header:
    def __init__(self, data):
        check(data[:4] == b"GHZF", "magic")
        check(len(data) >= 8, "truncated in the header")
        version, self.type, ndim, self.flags = data[4:8]
        if version != 1:
            raise Newer(f"version {version}")
        check(ndim <= 32, "the number of dimensions")
        if self.type > 1 or self.flags > (FORTRAN | NPY):
            raise Newer(f"type {self.type}, flags {self.flags}")
        self.size = 40 + 8 * ndim + 8
        check(len(data) >= self.size, "truncated in the header")
        check(data[self.size - 8:self.size] == checksum(data[:self.size - 8], 0), "the checksum of the header")
        self.values, self.frame_values = struct.unpack_from("<QQ", data, 8)
        self.lattice = data[24:40]
        self.dims = struct.unpack_from(f"<{ndim}Q", data, 40)
        check(0 < self.frame_values <= 2**26 and self.frame_values % 16384 == 0, "values per frame")
        check(self.values < 2**60 or self.values == UNKNOWN, "the number of values")
        if ndim or self.flags & NPY:
            check(self.values != UNKNOWN and math.prod(self.dims) == self.values, "the product of the dimensions")


def largest_stream(n, kind):
    """FORMAT.md, "Worst case", for the most terms that there are."""
    def tile(m):
        w, k = 62 if kind == 0 else 61, (m + 7) // 8
        return max(1 + m * (4, 8)[kind], 2 + 8 + 8 + 16 * w.bit_length() + 2 * (16 + k) + k * w)

    tiles = (n + 1023) // 1024
    return 64 + 8 * ((tiles + 15) // 16 + 1) + 2 * tiles + n // 1024 * tile(1024) + (tile(n % 1024) if n % 1024 else 0)


class File:
    """Header and streams of a file, the latter also as bytes."""

    def __init__(self, data):
        self.header = h = Header(data)
        self.streams, self.bytes, self.count, at = [], [], 0, h.size
        while True:
            check(len(data) >= at + 8, "truncated before a frame")
            length = struct.unpack_from("<Q", data, at)[0]
            if length == 0:
                break
            at = self.frame(data, at, length)
        self.end(data[at:])

    def frame(self, data, at, length):
        h, number = self.header, len(self.streams)
        left = h.values - self.count if h.values != UNKNOWN else None
        check(length <= largest_stream(h.frame_values, h.type), "the length of a frame")
        end = at + 8 + length
        check(len(data) >= end + 8, "truncated in a frame")
        check(data[end:end + 8] == checksum(data[at:end], number), "the checksum of a frame")
        stream = data[at + 8:end]
        one = decoder.Header(stream, b"GHZ2")
        check(one.type == h.type and stream[32:48] == h.lattice, "a frame of another type, step or bound")
        if left is not None:
            check(one.n == min(left, h.frame_values) and (left or not number), "the number of values of a frame")
        else:
            check(one.n <= h.frame_values and (one.n or not number), "the number of values of a frame")
            check(self.count == number * h.frame_values, "a frame behind the last one")
        self.streams.append(decoder.Stream(stream))
        self.bytes.append(stream)
        self.count += one.n
        return end + 8

    def end(self, data):
        check(len(data) >= 24, "truncated in the end")
        check(data[16:24] == checksum(data[:16], 0), "the checksum of the end")
        total = struct.unpack_from("<Q", data, 8)[0]
        check(self.streams and total == self.count and self.header.values in (UNKNOWN, total), "the number of values")
        check(len(data) == 24, "bytes behind the end")

    def values(self):
        return b"".join(decoder.pack(self.header.type, s.values()) for s in self.streams)


def build(kind, dims, flags, values, frame_values, lattice, streams, total, version=1):
    """The bytes of a file, sound or not, with checksums that fit."""
    head = struct.pack(f"<4sBBBBQQ16s{len(dims)}Q", b"GHZF", version, kind, len(dims), flags, values, frame_values, lattice, *dims)
    parts = [head, checksum(head, 0)]
    for number, stream in enumerate(streams):
        frame = struct.pack("<Q", len(stream)) + stream
        parts += [frame, checksum(frame, number)]
    end = struct.pack("<QQ", 0, total)
    return b"".join([*parts, end, checksum(end, 0)])


def read(data):
    found = File(data)
    return found.header.type, found.values()


if __name__ == "__main__":
    decoder.main(sys.argv, __doc__, read)
