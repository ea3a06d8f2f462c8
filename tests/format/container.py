#!/usr/bin/env python3
"""A second reader of .ghz files, written from FILE_FORMAT.md alone (and FORMAT.md, for the streams in them).

usage: container.py FILE.ghz [OUTPUT]    writes the values as raw little-endian numbers to OUTPUT, or prints them
"""
# SPDX-License-Identifier: BSD-3-Clause
import math
import struct
import sys
from itertools import product

import decoder
from decoder import Corrupt, Newer, check
from xxh3 import xxh3_64

UNKNOWN = 2**64 - 1
FORTRAN, NPY = 1, 2


def checksum(data, seed):
    return struct.pack("<Q", xxh3_64(data, seed))


def folded(dims):
    """FILE_FORMAT.md, "Frames of an array": z, y and x of dimensions in the order of the memory, none of them 0."""
    left, joined = list(dims), []
    for least in (16, 8, math.inf):
        joined.insert(0, 1)
        while left and joined[0] < least:
            joined[0] *= left.pop()
    z, y, x = joined
    return (1, z * y, x) if z < 8 and y < 16 else (z, y, x)


class Header:
    def __init__(self, data):
        check(data[:4] == b"GHZF", "magic")
        check(len(data) >= 8, "truncated in the header")
        version, self.type, ndim, self.flags = data[4:8]
        if version != 2:
            raise Newer(f"version {version}")
        check(ndim <= 32, "the number of dimensions")
        self.dims_of_streams = 1 + (self.flags >> 2)
        if self.type > 1 or self.dims_of_streams > 3:
            raise Newer(f"type {self.type}, flags {self.flags}")
        self.size = 40 + 8 * ndim + 8
        check(len(data) >= self.size, "truncated in the header")
        check(data[self.size - 8:self.size] == checksum(data[:self.size - 8], 0), "the checksum of the header")
        self.values, self.frame_values = struct.unpack_from("<QQ", data, 8)
        self.lattice = data[24:40]
        self.dims = struct.unpack_from(f"<{ndim}Q", data, 40)
        check(self.values < 2**60 or self.values == UNKNOWN, "the number of values")
        if ndim or self.flags & NPY:
            check(self.values != UNKNOWN and math.prod(self.dims) == self.values, "the product of the dimensions")
        self.check_frames()

    def check_frames(self):
        """Frames of an array: what each of them holds at most."""
        values, dims = self.frame_values, self.dims_of_streams
        check(0 < values <= 2**26, "values per frame")
        if dims == 1:
            check(values % 16384 == 0, "values per frame")
            self.frame = [1, 1, values]
            return
        z, self.y, self.x = folded(self.dims[::-1] if self.flags & FORTRAN else self.dims)
        check(self.x >= 16 and self.y >= 16 or z >= 8 and self.y >= 8 and self.x >= 16, "bricks of too few values")
        plane, row = self.y * self.x, 32 * self.x
        check(plane, "values per frame")
        if values % (plane * (8 if dims == 3 else 1)) == 0:
            self.frame = [values // plane, self.y, self.x]
        else:
            check(dims == 2 and values < plane and values % row == 0, "values per frame")
            self.frame = [1, values // self.x, self.x]

    def frame_at(self, first):
        """The extents of the frame that begins with value number `first`."""
        if self.dims_of_streams == 1:
            return [1, 1, min(self.values - first, self.frame_values)]
        z, y = self.values // (self.y * self.x) - first // (self.y * self.x), self.y - first // self.x % self.y
        return [min(z, self.frame[0]), min(y, self.frame[1]), self.x]


def largest_tile(dims, kind, extent):
    """FORMAT.md, "Worst case", for the most terms that there are."""
    m, k = math.prod(extent), extent[0] * extent[1] * ((extent[2] + 7) // 8)
    w = 62 if kind == 0 or dims > 1 else 61
    size = 2 + (16 if dims == 1 else 8) + 16 * w.bit_length() + 2 * (16 + k) + k * w
    if dims > 1 and m >= 256:
        size += 1 + 8 + 16 * (46).bit_length() + 128 * 46
    return max(1 + m * (4, 8)[kind], size)


def largest_stream(dims, extent, kind):
    parts = [[(extent[i] // brick, brick), (1, extent[i] % brick)] for i, brick in enumerate(decoder.BRICK[dims])]
    kinds = [k for k in product(*parts) if all(count and size for count, size in k)]
    tiles = sum(math.prod(count for count, _ in k) for k in kinds)
    size = sum(math.prod(count for count, _ in k) * largest_tile(dims, kind, [size for _, size in k]) for k in kinds)
    return 64 + 8 * ((tiles + 15) // 16 + 1) + 2 * tiles + size


class File:
    """Header and streams of a file, the latter also as bytes."""

    def __init__(self, data):
        self.header = h = Header(data)
        self.streams, self.bytes, self.count, self.fill, at = [], [], 0, None, h.size
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
        check(length <= largest_stream(h.dims_of_streams, h.frame, h.type), "the length of a frame")
        end = at + 8 + length
        check(len(data) >= end + 8, "truncated in a frame")
        check(data[end:end + 8] == checksum(data[at:end], number), "the checksum of a frame")
        stream = data[at + 8:end]
        one = decoder.Header(stream, b"GHZ2")
        check(one.type == h.type and stream[32:48] == h.lattice, "a frame of another type, step or bound")
        check(one.dims == h.dims_of_streams, "a frame of other dimensions")
        self.fill = self.fill or (one.has_fill, one.missing)
        check(self.fill == (one.has_fill, one.missing), "a frame of another fill value")
        if left is not None:
            check(one.extent == h.frame_at(self.count) and (left or not number), "the shape of a frame")
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


def build(kind, dims, flags, values, frame_values, lattice, streams, total, version=2):
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
