#!/usr/bin/env python3
"""A second decoder of ghz streams and messages, written from FORMAT.md alone: slow, short and independent of the library.

usage: decoder.py STREAM [OUTPUT]    writes the values as raw little-endian numbers to OUTPUT, or prints them
"""
# SPDX-License-Identifier: BSD-3-Clause
import struct
import sys
from itertools import accumulate

TILE, BLOCKS = 1024, 128
NAN, INF = {4: 0x7FC00000, 8: 0x7FF8000000000000}, {4: 0x7F800000, 8: 0x7FF0000000000000}


class Corrupt(Exception):
    """Not a stream, or a damaged one."""


class Newer(Exception):
    """A stream of a newer version."""


def check(condition, what):
    if not condition:
        raise Corrupt(what)


class Header:
    """The 48 bytes that streams and messages have in common."""

    def __init__(self, data, magic):
        check(len(data) >= 48 and data[:4] == magic, "magic")
        self.type, flags, self.cap, zero, self.n = struct.unpack_from("<BBBBQ", data, 4)
        self.step, self.eb, self.terms, zeros, self.payload = struct.unpack_from("<ddIIQ", data, 16)
        if self.type > 1 or flags > 1 or zero or zeros:
            raise Newer("type or feature bits of a newer version")
        self.inexact = flags
        check(self.cap == 35 or (self.cap == 44 and self.type == 1), "cap")
        least, largest = ((2.0**-120, 2.0**120), (2.0**-1000, 2.0**1000))[self.type]
        check(data[16:24] == bytes(8) or least <= self.step <= largest, "step")
        check(0 <= self.eb < float("inf") and data[31] < 128, "bound")
        check(self.terms <= 2 ** (58 - self.cap) - 1, "terms")
        self.size = (4, 8)[self.type]
        self.tiles = self.n // TILE + (self.n % TILE != 0)

    def integer_bits(self, mode):
        return ((16, 23, 36), (16, 22, self.cap))[self.type][mode]

    def unit(self, mode):
        return self.step / 2 if self.type == 0 and mode > 0 else self.step


def sizes_of(data, at, count, payload):
    """The sizes of so many tiles, after checking them, and where each tile ends."""
    check(at + 2 * count <= len(data) and payload == len(data) - at - 2 * count, "payload")
    sizes = struct.unpack_from(f"<{count}H", data, at)
    ends = list(accumulate(sizes, initial=0))
    check(max(sizes, default=0) <= 8338, "a tile's size")
    check(ends[count] == payload, "the sum of the sizes")
    return ends


class Stream:
    """A whole stream, or of a message: its header, the number of its first tile, and the bytes of its tiles."""

    def __init__(self, data, is_message=False):
        self.header = h = Header(data, b"GHZM" if is_message else b"GHZ1")
        self.first = 0
        if is_message:
            check(len(data) >= 64, "too short")
            self.first, count = struct.unpack_from("<QQ", data, 48)
            check(self.first <= h.tiles and count <= h.tiles - self.first and count <= (len(data) - 64) // 2, "tiles")
            ends = sizes_of(data, 64, count, h.payload)
        else:
            count = h.tiles
            check(count <= (len(data) - 48) // 2, "too short")
            chunks = (count + 15) // 16
            ends = sizes_of(data, 48 + 8 * (chunks + 1), count, h.payload)
            offsets = struct.unpack_from(f"<{chunks + 1}Q", data, 48)
            check(offsets == tuple(ends[min(16 * c, count)] for c in range(chunks + 1)), "offsets")
        start = len(data) - h.payload
        self.tiles = [data[start + ends[t]:start + ends[t + 1]] for t in range(count)]

    def values(self):
        """The bit patterns of all values."""
        h, bits = self.header, []
        for t, tile in enumerate(self.tiles, self.first):
            bits += decode_tile(tile, min(TILE, h.n - TILE * t), h)
        return bits


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, count):
        check(count <= len(self.data) - self.at, "a truncated tile")
        self.at += count
        return self.data[self.at - count:self.at]

    def anchor(self, code):
        length = 8 if code == 7 else code
        v = int.from_bytes(self.take(length), "little", signed=True)
        need = ((v if v >= 0 else ~v).bit_length() + 8) // 8 if v else 0
        check(length == (8 if need == 7 else need), "an anchor of more bytes than it needs")
        return v

    def special_plane(self):
        where = int.from_bytes(self.take(16), "little")
        plane = 0
        for b in range(BLOCKS):
            if where >> b & 1:
                byte = self.take(1)[0]
                check(byte, "a zero among the specials")
                plane |= byte << 8 * b
        return plane


def lattice_tile(tile, m, h):
    """Mode, integers, and the two maps of specials."""
    check(h.terms > 0 and h.step > 0, "a lattice tile without terms or step")
    r = Reader(tile)
    first = r.take(1)[0]
    order, mode, nwp = first & 3, first >> 3 & 3, first >> 5
    check(mode < 3 and nwp < 7, "mode or width planes")
    extra = r.take(1)[0] if first & 4 else 0
    check(not first & 4 or 0 < extra < 128, "extra byte")
    la, ls = extra & 7, extra >> 3 & 7
    check((order > 0 or la == 0) and (order == 2 or ls == 0), "an anchor that the order does not have")
    anchor, slope = r.anchor(la), r.anchor(ls)
    planes = [int.from_bytes(r.take(16), "little") for _ in range(nwp)]
    width = [sum((plane >> b & 1) << k for k, plane in enumerate(planes)) for b in range(BLOCKS)]
    limit = min(62, h.integer_bits(mode) + order + 1 + h.terms.bit_length())
    check(max(width).bit_length() == nwp and max(width) <= limit, "width")
    check(not any(width[(m + 7) // 8:]), "a block beyond the end")
    plus, minus = (r.special_plane(), r.special_plane()) if extra & 64 else (0, 0)
    check(not extra & 64 or plus | minus, "no specials")
    check((plus | minus) >> m == 0, "specials beyond the end")
    check(len(tile) - r.at == sum(width) and (first or extra), "size of the tile")

    residual = [0] * TILE
    for p in range(max(width)):
        for b in range(BLOCKS):
            if width[b] > p:
                byte = r.take(1)[0]
                for t in range(8):
                    bit = byte >> t & 1
                    residual[8 * b + t] += -(bit << p) if p == width[b] - 1 else bit << p
    return mode, integrate(residual[:m], order, anchor, slope), plus, minus


def integrate(r, order, anchor, slope):
    if order == 0:
        return r
    if order == 1:
        return list(accumulate(r[1:], initial=anchor))
    differences = list(accumulate(r[2:], initial=slope))
    return list(accumulate(differences, initial=anchor))[:len(r)]


def float_bits(y, size):
    if size == 8:
        return struct.unpack("<Q", struct.pack("<d", y))[0]
    try:
        return struct.unpack("<I", struct.pack("<f", y))[0]
    except OverflowError:
        return INF[4] | (0x80000000 if y < 0 else 0)


def decode_tile(tile, m, h):
    """The bit patterns of a tile's values."""
    size = h.size
    if not tile:
        return [0] * m
    if tile[0] & 3 == 3:
        check(h.terms > 0 and tile[0] == 3 and len(tile) == 1 + m * size, "a raw tile")
        bits = struct.unpack(f"<{m}{'IQ'[h.type]}", tile[1:])
        return [NAN[size] if v & (1 << 8 * size - 1) - 1 > INF[size] else v for v in bits]
    mode, q, plus, minus = lattice_tile(tile, m, h)
    modulus = 32 if h.integer_bits(mode) + h.terms.bit_length() <= 31 else 64
    half, unit = 1 << modulus - 1, h.unit(mode)
    out = []
    for i, v in enumerate(q):
        v = (v + half) % (2 * half) - half
        special = (plus >> i & 1) + 2 * (minus >> i & 1)
        sign = 1 << 8 * size - 1
        out.append((float_bits(float(v) * unit, size), INF[size], INF[size] | sign, NAN[size])[special])
    return out


def decode(data):
    """Type and bit patterns of the values of a stream or message."""
    stream = Stream(data, data[:4] == b"GHZM")
    return stream.header.type, stream.values()


def join(messages):
    """The stream of messages that follow each other."""
    parts = [Stream(m, is_message=True) for m in messages]
    h, tiles = parts[0].header, []
    for part in parts:
        other = part.header
        check((h.type, h.cap, h.n, h.step, h.eb, h.terms) ==
              (other.type, other.cap, other.n, other.step, other.eb, other.terms), "messages of different arrays")
        check(part.first == len(tiles), "messages that do not follow each other")
        tiles += part.tiles
    check(len(tiles) == h.tiles, "missing messages")
    ends = list(accumulate(map(len, tiles), initial=0))
    inexact = max(part.header.inexact for part in parts)
    chunks = (h.tiles + 15) // 16
    return b"".join([struct.pack("<4sBBBBQddIIQ", b"GHZ1", h.type, inexact, h.cap, 0, h.n, h.step, h.eb, h.terms, 0, ends[-1]),
                     struct.pack(f"<{chunks + 1}Q", *(ends[min(16 * c, h.tiles)] for c in range(chunks + 1))),
                     struct.pack(f"<{h.tiles}H", *map(len, tiles)), *tiles])


def pack(kind, bits):
    return struct.pack(f"<{len(bits)}{'IQ'[kind]}", *bits)


def main(arguments, usage, read):
    """A program that writes the values of a file: as bytes to another, else as text. `read` gives their type and bytes."""
    if len(arguments) not in (2, 3):
        sys.exit(usage)
    with open(arguments[1], "rb") as f:
        data = f.read()
    try:
        kind, values = read(data)
    except (Corrupt, Newer) as e:
        sys.exit(f"{arguments[1]}: {type(e).__name__.lower()}: {e}")
    if len(arguments) == 3:
        with open(arguments[2], "wb") as f:
            f.write(values)
    else:
        for (v,) in struct.iter_unpack("<" + "fd"[kind], values):
            print(f"{v:.{(9, 17)[kind]}g}")


def read(data):
    kind, bits = decode(data)
    return kind, pack(kind, bits)


if __name__ == "__main__":
    main(sys.argv, __doc__, read)
