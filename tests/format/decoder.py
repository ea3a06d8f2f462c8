"""A second decoder of ghz streams and messages, written from FORMAT.md alone: slow, short and independent of the library. The integers
of the matrices are read from that text."""
# SPDX-License-Identifier: BSD-3-Clause
import math
import pathlib
import re
import struct
from itertools import accumulate

TILE, BLOCKS = 1024, 128
TILE_BYTES_MAX = 14579
BRICK = {1: (1, 1, 1024), 2: (1, 32, 32), 3: (8, 8, 16)}  # z, y, x
NAN, INF = {4: 0x7FC00000, 8: 0x7FF8000000000000}, {4: 0x7F800000, 8: 0x7FF0000000000000}


INTEGERS = {2: (1, True, 0), 3: (2, True, 0), 4: (4, True, 1), 5: (8, True, 1), 6: (1, False, 0), 7: (2, False, 0), 8: (4, False, 1)}
INT64 = INTEGERS[5]  # bytes, signed, type of the storage type


class Corrupt(Exception):
    """Not a stream, or a damaged one."""


class OtherVersion(Exception):
    """A stream of another version."""


def check(condition, what):
    if not condition:
        raise Corrupt(what)


class Header:
    """The 72 bytes that streams and messages have in common."""

    def __init__(self, data, magic):
        if data[:4] in (b"GHZ1", b"GHZM", b"GHZ2", b"GHZN"):
            raise OtherVersion("of format 1 or 2, which is not read any more")
        check(len(data) >= 72 and data[:4] == magic, "magic")
        self.type, flags, self.cap, self.dims, *self.extent = struct.unpack_from("<BBBBQQQ", data, 4)
        self.step, self.eb, self.terms, zeros, self.payload, self.fill = struct.unpack_from("<ddIIQd", data, 32)
        if self.type > 8 or flags > 7 or zeros or not 1 <= self.dims <= 3:
            raise OtherVersion("type, features or dimensions of a newer version")
        self.inexact, self.transform, self.has_fill = flags & 1, flags >> 1 & 1, flags >> 2
        self.n = math.prod(self.extent)
        check(self.dims > 1 or (self.extent[:2] == [1, 1] and not self.transform), "a flat array with planes")
        check(self.n < 2**64, "more values than there can be")
        self.stored_type, self.stored_eb, self.integers = self.type, self.eb, INTEGERS.get(self.type)
        self.type = self.integers[2] if self.integers else self.type
        check(self.cap == 44 if self.integers == INT64 else self.cap == 35 or (self.cap == 44 and self.type == 1 and not self.integers), "cap")
        least, largest = ((2.0**-120, 2.0**120), (2.0**-1000, 2.0**1000))[self.type]
        check((data[32:40] == bytes(8) and not self.integers) or least <= self.step <= largest, "step")
        check(0 <= self.eb < float("inf") and data[47] < 128, "bound")
        check(self.terms <= 2 ** (58 - self.cap) - 1, "terms")
        self.size = (4, 8)[self.type]
        check(self.has_fill or data[64:72] == bytes(8), "a fill value without its flag")
        if self.integers:
            self.eb = self.step * (17 / 64, 2.0**-7)[self.type]
            check(not self.has_fill or (is_integer_of(self.fill, self.integers) and data[64:72] != b"\0\0\0\0\0\0\0\x80"), "fill value")
        else:
            check(abs(self.fill) < float("inf") and value_of(float_bits(self.fill, self.size), self.size) == self.fill, "fill value")
        self.missing = float_bits(self.fill, self.size) if self.has_fill else NAN[self.size]
        self.bricks = [(extent + brick - 1) // brick for extent, brick in zip(self.extent, BRICK[self.dims])]
        self.tiles = math.prod(self.bricks)

    def integer_bits(self, mode):
        if mode == 0 and self.type == 0 and self.step > 2 * self.eb:
            return 22
        if mode == 0 and self.type == 0:
            room = (self.eb - self.step / 2) * (2.0**24 * 125 / 128)
            return next((b for b in range(16, 22) if room <= self.step * 2**b), 22)
        return ((0, 23, 36), (16, 22, self.cap))[self.type][mode]

    def halved(self, mode):
        """Whether the unit of the mode is half a step."""
        return self.type == 0 and mode > 0


class Tile:
    """Where tile number t of an array lies: its columns inside, and the place of each in the array."""

    def __init__(self, h, t):
        self.dims, self.brick = h.dims, BRICK[h.dims]
        at = t // (h.bricks[1] * h.bricks[2]), t // h.bricks[2] % h.bricks[1], t % h.bricks[2]
        origin = [i * brick for i, brick in zip(at, self.brick)]
        inside = [min(brick, extent - o) for brick, extent, o in zip(self.brick, h.extent, origin)]
        self.columns, self.places = [], []
        for z in range(inside[0]):
            for y in range(inside[1]):
                column, place = (z * self.brick[1] + y) * self.brick[2], (origin[0] + z) * h.extent[1] + origin[1] + y
                self.columns += range(column, column + inside[2])
                self.places += range(place * h.extent[2] + origin[2], place * h.extent[2] + origin[2] + inside[2])
        self.m = len(self.columns)


def sizes_of(data, at, count, payload):
    """The sizes of so many tiles, after checking them, and where each tile ends."""
    check(at + 2 * count <= len(data) and payload == len(data) - at - 2 * count, "payload")
    sizes = struct.unpack_from(f"<{count}H", data, at)
    ends = list(accumulate(sizes, initial=0))
    check(max(sizes, default=0) <= TILE_BYTES_MAX, "a tile's size")
    check(ends[count] == payload, "the sum of the sizes")
    return ends


class Stream:
    """A whole stream, or of a message: its header, the number of its first tile, and the bytes of its tiles."""

    def __init__(self, data, is_message=False):
        self.header = h = Header(data, b"GHZO" if is_message else b"GHZ3")
        self.first = 0
        if is_message:
            check(len(data) >= 88, "too short")
            self.first, count = struct.unpack_from("<QQ", data, 72)
            check(self.first <= h.tiles and count <= h.tiles - self.first and count <= (len(data) - 88) // 2, "tiles")
            ends = sizes_of(data, 88, count, h.payload)
        else:
            count = h.tiles
            check(count <= (len(data) - 72) // 2, "too short")
            chunks = (count + 15) // 16
            ends = sizes_of(data, 72 + 8 * chunks, count, h.payload)
            stored = struct.unpack_from(f"<{chunks}Q", data, 72)
            check(stored == tuple(ends[min(16 * c + 16, count)] for c in range(chunks)), "ends of chunks")
        start = len(data) - h.payload
        self.tiles = [data[start + ends[t]:start + ends[t + 1]] for t in range(count)]

    def scatter(self, array):
        """Puts the bit patterns of all values at their places in an array."""
        for t, data in enumerate(self.tiles, self.first):
            tile = Tile(self.header, t)
            for place, bits in zip(tile.places, decode_tile(data, tile, self.header)):
                array[place] = bits

    def values(self):
        """The bit patterns of all values of these tiles, in the order of the array."""
        found = {}
        self.scatter(found)
        return [found[place] for place in sorted(found)]


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


def take_widths(r, nwp, squeezed, limit):
    """The widths of 128 blocks."""
    check(nwp < 7 and (nwp or not squeezed), "width planes")
    maps = [int.from_bytes(r.take(2), "little") if squeezed else 65535 for _ in range(nwp)]
    planes = []
    for where in maps:
        plane = bytes(r.take(1)[0] if where >> j & 1 else 0 for j in range(16))
        check(not squeezed or all(plane[j] for j in range(16) if where >> j & 1), "a zero among the widths")
        planes.append(int.from_bytes(plane, "little"))
    width = [sum((plane >> b & 1) << k for k, plane in enumerate(planes)) for b in range(BLOCKS)]
    check(max(width).bit_length() == nwp and max(width) <= limit, "width")
    return width


def take_planes(r, width):
    """The residuals of 1024 columns."""
    residual = [0] * TILE
    for p in range(max(width)):
        for b in range(BLOCKS):
            if width[b] > p:
                byte = r.take(1)[0]
                for t in range(8):
                    bit = byte >> t & 1
                    residual[8 * b + t] += -(bit << p) if p == width[b] - 1 else bit << p
    return residual


def lattice_tile(data, tile, h):
    """Mode, the integers of all columns, coefficients or None, and the two maps of specials."""
    check(h.terms > 0 and h.step > 0, "a lattice tile without terms or step")
    r = Reader(data)
    first = r.take(1)[0]
    order, mode, flat = first & 3, first >> 3 & 3, tile.dims == 1
    check(order < 3 or tile.dims == 3, "order")
    extra = r.take(1)[0] if first & 4 else 0
    check(not first & 4 or extra > 0, "extra byte")
    la, ls, has_c = extra & 7, extra >> 3 & 7 if flat else 0, not flat and extra >> 3 & 1
    turned = not flat and extra >> 4 & 1
    check(flat or not extra & 32, "a bit of the extra byte")
    check(not turned or (tile.dims == 2 and order and tile.m == TILE), "a turned tile that is none of a plane")
    check((order > 0 or la == 0) and (order == 2 or ls == 0), "an anchor that the order does not have")
    check(not has_c or (h.transform and tile.m >= 256), "coefficients where there are none")
    anchor, slope = r.anchor(la), r.anchor(ls)
    bits = h.integer_bits(mode)
    width = take_widths(r, first >> 5, extra >> 7, min(62, bits + order + 1 + h.terms.bit_length()))
    inside = {column // 8 for column in tile.columns}
    check(not any(w for b, w in enumerate(width) if b not in inside), "a block beyond the border")
    plus, minus = (r.special_plane(), r.special_plane()) if extra & 64 else (0, 0)
    check(not extra & 64 or plus | minus, "no specials")
    check((plus | minus) & ~sum(1 << column for column in tile.columns) == 0, "specials beyond the border")
    planes_c = 0
    if has_c:
        head = r.take(1)[0]
        check(not head & 64, "the head of the coefficients")
        c0 = r.anchor(head >> 3 & 7)
        width_c = take_widths(r, head & 7, head >> 7, min(62, 25 + h.terms.bit_length()))
        planes_c = sum(width_c)
    check(len(data) - r.at == sum(width) + planes_c and (first or extra), "size of the tile")
    residual = take_planes(r, width)
    if turned:
        residual = [residual[turned_column(i)] for i in range(TILE)]
    c = [c0] + take_planes(r, width_c)[1:] if has_c else None
    if flat:
        q = integrate_flat(residual[:tile.m], order, anchor, slope) + [0] * (TILE - tile.m)
    else:
        inside = set(tile.columns)
        q = integrate_brick([v if i in inside else 0 for i, v in enumerate(residual)], order, anchor, tile.brick)
    half = 1 << (31 if bits + h.terms.bit_length() <= 31 else 63)
    return mode, [(v + half) % (2 * half) - half for v in q], c, plus, minus


def one_value_tile(data, tile, h):
    """The bits of the value of a tile of one, and the maps of specials of the tile behind it."""
    check(h.terms == 1 and 0 < h.step <= 2 * h.eb and len(data) > h.size, "a tile of one value")
    x, behind = int.from_bytes(data[1:1 + h.size], "little"), data[1 + h.size:]
    mode, q, plus, minus = 0, [0], 0, 0
    check(value_of(x, h.size) - value_of(x, h.size) == 0 and not is_missing(x, h), "a value that is none")
    if behind:
        check(behind[0] >> 3 & 3 < 3 and behind[0] < 32 and not (behind[0] & 4 and behind[1:2] and behind[1] & 0x38), "what is behind a value")
        mode, q, _, plus, minus = lattice_tile(behind, tile, h)
    y = float(q[0]) * (h.step / 2 if h.halved(mode) else h.step)
    check(abs(value_of(x, h.size) - y) <= h.eb, "a value that is far from its integer")
    return x, plus, minus


def turned_column(i):
    """Where a turned tile has what others have in column i."""
    x, y = i % 32, i // 32
    return 32 * (y // 8 * 8 + x) + y % 8 if x < 8 else i


def integrate_flat(r, order, anchor, slope):
    if order == 0:
        return r
    if order == 1:
        return list(accumulate(r[1:], initial=anchor))
    differences = list(accumulate(r[2:], initial=slope))
    return list(accumulate(differences, initial=anchor))[:len(r)]


def integrate_brick(r, order, anchor, brick):
    """Running sums along z, y and x: along so many axes in every line, along those after in the lines where the column is the
    first along the last of these and all between."""
    if order:
        r[0] = anchor
    for axis in (2, 1, 0) if order else ():
        for i in range(TILE):
            at = i % brick[2], i // brick[2] % brick[1], i // brick[2] // brick[1]
            if at[axis] and (axis < order or not any(at[order - 1:axis])):
                r[i] += r[i - (1, brick[2], brick[2] * brick[1])[axis]]
    return r


# ---- Coefficients ----


def half_rows():
    """The integers of the matrices, from the list in the text: for each length the first halves of its rows."""
    text = (pathlib.Path(__file__).resolve().parents[2] / "ghz/FORMAT.md").read_text(encoding="utf-8")
    found, rows = {}, []
    for n, u, row in re.findall(r"^    (?:n = (\d+)|      ) +u = (\d+) +((?:-?\d+ *)+)$", text, re.M):
        rows = found.setdefault(int(n), []) if n else rows
        check(len(rows) == int(u), "the list of the matrices")
        rows.append([int(v) for v in row.split()])
    return found


HALVES = half_rows()
ROWS = {n: [half + [(-1) ** u * v for v in half[::-1]] for u, half in enumerate(halves)] for n, halves in HALVES.items()}
MATRIX = {n: [[row[x] for row in rows] for x in range(n)] for n, rows in ROWS.items()}
PAIRS = sorted(range(64), key=lambda p: ((1 + p // 8) * (1 + p % 8), p))  # 8 uz + uy, in their order


def places_of_coefficients(dims):
    """For each frequency, in the order of columns of a brick, the column that its coefficient is stored in."""
    rows, length = ([PAIRS.index(p) for p in range(64)], 16) if dims == 3 else (range(32), 32)
    return [(row // 16 * length + ux) * 16 + row % 16 for row in rows for ux in range(length)]


PLACES = {dims: places_of_coefficients(dims) for dims in (2, 3)}


def transform(c, dims):
    """H(c), by column."""
    k = [c[place] for place in PLACES[dims]]
    stride = 1
    for n in BRICK[dims][::-1]:
        for start in range(TILE if n > 1 else 0):
            if start // stride % n == 0:
                line = k[start:start + n * stride:stride]
                k[start:start + n * stride:stride] = [sum(v * w for v, w in zip(line, row)) for row in MATRIX[n]]
        stride *= n
    return k


def is_integer_of(value, kind):
    size, signed, _ = kind
    least, beyond = (-2 ** (8 * size - 1), 2 ** (8 * size - 1)) if signed else (0, 2 ** (8 * size))
    return value == math.floor(value) and least <= value < beyond if abs(value) < float("inf") else False


def float_bits(y, size):
    if size == 8:
        return struct.unpack("<Q", struct.pack("<d", y))[0]
    try:
        return struct.unpack("<I", struct.pack("<f", y))[0]
    except OverflowError:
        return INF[4] | (0x80000000 if y < 0 else 0)


def value_of(bits, size):
    return struct.unpack("<f" if size == 4 else "<d", bits.to_bytes(size, "little"))[0]


def is_missing(bits, h):
    value = value_of(bits, h.size)
    return value != value or (h.has_fill and value == h.fill)


def decode_tile(data, tile, h):
    """The bit patterns of a tile's values inside."""
    m, size = tile.m, h.size
    if not data:
        return [0] * m
    if data[0] == 0x38:
        x, plus, minus = one_value_tile(data, tile, h)
        return [(x, INF[size], INF[size] | 1 << 8 * size - 1, h.missing)[(plus >> i & 1) + 2 * (minus >> i & 1)] for i in tile.columns]
    if data[0] >> 3 & 3 == 3:
        check(h.terms > 0 and data[0] == 0x18 and len(data) == 1 + m * size, "a raw tile")
        bits = struct.unpack(f"<{m}{'IQ'[h.type]}", data[1:])
        return [h.missing if is_missing(v, h) else v for v in bits]
    mode, q, c, plus, minus = lattice_tile(data, tile, h)
    shift = 29 if tile.dims == 3 else 21
    waves = transform(c, tile.dims) if c else None
    out, sign = [], 1 << 8 * size - 1
    for i in tile.columns:
        special = (plus >> i & 1) + 2 * (minus >> i & 1)
        if waves:
            y = float(waves[i] + q[i] * 2 ** (shift - h.halved(mode))) * 2.0**-shift * h.step
        else:
            y = float(q[i]) * (h.step / 2 if h.halved(mode) else h.step)
        out.append((float_bits(y, size), INF[size], INF[size] | sign, h.missing)[special])
    return out


def decode(data):
    """Type and bit patterns of the values of a stream or message; of integers those of their storage type."""
    stream = Stream(data, data[:4] == b"GHZO")
    return stream.header.type, stream.values()


def join(messages):
    """The stream of messages that follow each other."""
    parts = [Stream(m, is_message=True) for m in messages]
    h, tiles = parts[0].header, []
    for part in parts:
        other = part.header
        check((h.stored_type, h.cap, h.dims, h.extent, h.step, h.stored_eb, h.terms, h.has_fill, h.missing) ==
              (other.stored_type, other.cap, other.dims, other.extent, other.step, other.stored_eb, other.terms, other.has_fill, other.missing),
              "messages of different arrays")
        check(part.first == len(tiles), "messages that do not follow each other")
        tiles += part.tiles
    check(len(tiles) == h.tiles, "missing messages")
    ends = list(accumulate(map(len, tiles), initial=0))
    flags = max(part.header.inexact for part in parts) + 2 * max(part.header.transform for part in parts) + 4 * h.has_fill
    chunks = (h.tiles + 15) // 16
    return b"".join([struct.pack("<4sBBBBQQQddIIQd", b"GHZ3", h.stored_type, flags, h.cap, h.dims, *h.extent, h.step, h.stored_eb, h.terms, 0, ends[-1], h.fill),
                     struct.pack(f"<{chunks}Q", *(ends[min(16 * c + 16, h.tiles)] for c in range(chunks))),
                     struct.pack(f"<{h.tiles}H", *map(len, tiles)), *tiles])


def pack(kind, bits):
    return struct.pack(f"<{len(bits)}{'IQ'[kind]}", *bits)
