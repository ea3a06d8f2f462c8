"""A second reader of pages of tiles, written from FILE_FORMAT.md, "Pages"."""
# SPDX-License-Identifier: BSD-3-Clause
import struct

from decoder import BLOCKS, TILE_BYTES_MAX, check

SLOTS, LANES, TURNS, LEAST = 512, 8, 4, 2**15
TILES = (128, 1024)  # of a page: of a frame that is not packed, and that is
STORED, ZSTD, WIDTHS, VALUES = range(4)
EMPTY, AS_IS, CODED = range(3)
NONE, PLAIN, SQUEEZED = range(3)
WIDTH_CONTEXTS, VALUE_CONTEXTS, SYMBOLS = 120, 105, 32


# ---- Side information ----


class Bits:
    """Adaptive bits. What is known of each is kept by its name."""

    def __init__(self, data):
        check(len(data) >= 4, "side information that is too short")
        self.data, self.at = data, 4
        self.low, self.high, self.code = 0, 2**32 - 1, int.from_bytes(data[:4], "big")
        self.known = {}

    def part(self, zero):
        middle = self.low + ((self.high - self.low) * zero >> 16)
        bit = self.code > middle
        if bit:
            self.low = middle + 1
        else:
            self.high = middle
        while self.low >> 24 == self.high >> 24:
            check(self.at < len(self.data), "side information that ends too early")
            self.low, self.high = self.low << 8 & 0xFFFFFFFF, self.high << 8 & 0xFFFFFFFF | 255
            self.code = self.code << 8 & 0xFFFFFFFF | self.data[self.at]
            self.at += 1
        return int(bit)

    def bit(self, name):
        zero, seen = self.known.get(name, (32768, 0))
        bit, seen = self.part(zero), min(seen + 1, 5)
        self.known[name] = (zero - (zero >> seen) if bit else zero + (65536 - zero >> seen), seen)
        return bit

    def tree(self, name, bits):
        node = 1
        for _ in range(bits):
            node = 2 * node + self.bit((name, node))
        return node - 2**bits

    def number(self, name, bits):
        length = self.tree(name, bits)
        check(length <= 64, "a number of more than 64 bits")
        v = 1 if length else 0
        for _ in range(length - 1):
            v = 2 * v + self.part(32768)
        return v

    def end(self):
        check(self.at == len(self.data) and self.code == self.low, "the end of the side information")


# ---- Heads ----


def signed(v):
    return (v + 2**63) % 2**64 - 2**63


class Tile:
    """What is known of a tile beside its symbols."""

    def __init__(self):
        self.kind, self.size, self.widths, self.transformed = EMPTY, 0, [NONE, NONE], False
        self.order = self.mode = self.special = self.turned = 0
        self.field = {}  # anchor, slope, first coefficient
        self.width, self.sizes = [None, None], None  # by number in the order of coding


class Grid:
    """Where the tiles of a page lie."""

    def __init__(self, bricks, first):
        self.bricks, self.first = bricks, first

    def before(self, i):
        """The tiles of the page before tile i along x, y and z; None where there is none."""
        t, (_, y, x) = self.first + i, self.bricks
        has = t % x > 0, t // x % y > 0, t // (x * y) > 0
        return [i - back if there and back <= i else None for there, back in zip(has, (1, x, x * y))]


def expected(tiles, before, name):
    v = [tiles[n].field[name] for n in before if n is not None and name in tiles[n].field]
    return sorted(v)[1] if len(v) == 3 else sum(v) // len(v) if v else 0


def read_field(bits, tiles, before, name):
    folded = bits.number(name, 7)
    d = -(folded + 1) // 2 if folded & 1 else folded // 2
    return signed(expected(tiles, before, name) + d)


def read_heads(bits, count, dims, grid):
    tiles, last = [], Tile()
    for i in range(count):
        t, before = Tile(), grid.before(i)
        t.kind = bits.tree(("kind", tiles[-1].kind if tiles else CODED), 2)
        check(t.kind <= CODED, "the kind of a tile")
        if t.kind == AS_IS:
            t.size = bits.number("size", 5)
            check(t.size <= TILE_BYTES_MAX, "the size of a tile")
        if t.kind == CODED:
            lead = bits.tree("lead", 6)
            t.order, t.mode, t.special, t.turned = lead & 3, lead >> 2 & 3, lead >> 4 & 1, lead >> 5
            t.widths[0] = bits.tree(("widths of R", last.widths[0]), 2)
            check(t.widths[0] <= SQUEEZED, "how widths are stored")
            has = bits.tree(("widths of C", last.widths[1] + 1 if last.transformed else 0), 2)
            t.transformed, t.widths[1] = has > 0, max(has - 1, 0)
            fields = ["anchor"] * (t.order > 0) + ["slope"] * (dims == 1 and t.order > 1) + ["first"] * t.transformed
            t.field = {name: read_field(bits, tiles, before, name) for name in fields}
            last = t
        tiles.append(t)
    return tiles


# ---- Frequencies ----


def alphabet(context):
    return SYMBOLS if context < WIDTH_CONTEXTS else 2 ** min(5, (context - WIDTH_CONTEXTS) // 5 % 7 + 1)


def read_frequencies(bits, contexts):
    """For each context what each of its slots says: symbol, frequency, number of the slot among those of the symbol."""
    before, found = None, []
    for c in range(contexts):
        symbols, of_values = alphabet(c), c >= WIDTH_CONTEXTS
        mark = bits.tree(("mark", of_values), 6)
        if mark == 33:
            f = [SLOTS // symbols] * symbols
        elif mark == 34 and (c % 8 if c < WIDTH_CONTEXTS else c % 5):
            f = before
        else:
            check(mark <= symbols, "the mark of frequencies")
            f, length = [], 0
            for _ in range(mark - 1):
                f.append(bits.number(("length", length), 4))
                length = f[-1].bit_length()
                check(sum(f) < SLOTS, "frequencies")
            f += [SLOTS - sum(f)] if mark else []
        before = f
        found.append([(s, n, i) for s, n in enumerate(f or [SLOTS]) for i in range(n)])
    return found


# ---- Symbols ----

ORDERS = {  # of coding: the block that is number k
    0: [32 * (k % 8 // 2) + 2 * (k // 8) + k % 2 for k in range(BLOCKS)],
    1: [16 * (k % 8) + k // 8 for k in range(BLOCKS)],
    2: [64 * (k % 8 // 4) + 4 * (k // 8) + k % 4 for k in range(BLOCKS)],
    3: [16 * (k // 16) + 4 * (k % 8 // 2) + 2 * (k // 8 % 2) + k % 2 for k in range(BLOCKS)],
}
FAR = (2, 3, 4, 5, 6, 7, 6, 7), (0, 1, 0, 1, 2, 3, 4, 5)
PLANES_FAR = (1, 2, 3, 2, 5, 6, 7, 6)


def above(v, limits):
    return sum(v > limit for limit in limits)


class Layer:
    """A layer of a tile, 0 for C and otherwise the dims, and what the tiles before it have of it."""

    def __init__(self, by, number, tiles, before):
        layer = 1 if by == 0 else 0
        had = [tiles[n] for n in before if n is not None and tiles[n].kind == CODED and tiles[n].widths[layer]]
        self.by, self.number = by, number
        self.around = [sum(t.width[layer][k] for t in had) for k in range(BLOCKS)]
        self.sizes = [sum(t.sizes[j] for t in had if t.sizes) if by == 0 else 0 for j in range(8 * BLOCKS)]

    def width_context(self, k, width):
        lane, t = k % 8, k // 8
        last = width[8 * t - 8:8 * t] if t else [0] * 8
        before = width[k - 16] if t > 1 else 0
        if self.by == 0:
            near = 2 * last[lane] + before + (last[lane - 2] if lane > 1 else 0)
        elif self.by == 1:
            near = 3 * last[lane] + before
        elif self.by == 2:
            near = 2 * last[lane] + before + last[PLANES_FAR[lane]]
        else:
            near = last[lane] + 2 * before + last[FAR[(t + 1) % 2][lane]]
        return 40 * self.number + 8 * above(self.around[k], (0, 2, 6, 12)) + above(near, (0, 2, 4, 7, 11, 16, 24))

    def value_context(self, k, lane, width, m):
        def at(back):
            j = 8 * k + lane - back
            return m[j] if j >= 0 else 0
        if self.by == 0:
            near = 2 * at(64) + self.sizes[8 * k + lane]
        elif self.by == 3:
            near = at(64) + at(48 if k // 8 % 2 else 80) + 2 * at(128)
        else:
            near = 2 * at(64) + at(128) + at(63) + at(65)
        limits = [(n << min(width, 8)) // 16 for n in (1, 4, 10, 22)]
        return WIDTH_CONTEXTS + 35 * self.number + 5 * (min(width, 7) - 1) + above(near, limits)


class Page:
    """A page of symbols while it is read."""

    def __init__(self, data, values, count, dims, grid, unpacked):
        check(len(data) >= 144, "a page that is too short")
        side, words, size, packed = struct.unpack_from("<4I", data)
        check(packed <= size and side + 2 * words + packed == len(data) - 144, "the parts of a page")
        self.state = list(struct.unpack_from("<32I", data, 16))
        check(all(LEAST <= s < 2**31 for s in self.state), "the states")
        bits = Bits(data[144:144 + side])
        self.words = list(struct.unpack_from(f"<{words}H", data, 144 + side))[::-1]
        self.bytes, self.at = unpacked(data[144 + side + 2 * words:], size), 0
        self.values, self.dims, self.grid, self.by_blocks = values, dims, grid, values or packed < size
        self.tiles = read_heads(bits, count, dims, grid)
        self.slots = read_frequencies(bits, WIDTH_CONTEXTS + VALUE_CONTEXTS * values)
        bits.end()

    def step(self, turn, contexts):
        symbols = []
        for lane, c in enumerate(contexts, LANES * turn):
            symbol, f, i = self.slots[c][self.state[lane] % SLOTS]
            self.state[lane] = self.state[lane] // SLOTS * f + i
            symbols.append(symbol)
        for lane in range(LANES * turn, LANES * turn + LANES):
            if self.state[lane] < LEAST:
                check(self.words, "too few words")
                self.state[lane] = self.state[lane] << 16 | self.words.pop()
        return symbols

    def take(self, count):
        check(count <= len(self.bytes) - self.at, "too few bytes")
        self.at += count
        return self.bytes[self.at - count:self.at]

    def layer(self, i, t, of_c):
        """The widths of blocks, and the symbols of blocks, of a layer."""
        by = 0 if of_c else self.dims
        layer = Layer(by, 0 if of_c else 1 if t.transformed else 2, self.tiles, self.grid.before(i))
        width, symbols = [], {}
        for step in range(BLOCKS // LANES if t.widths[of_c] else 0):
            width += self.step(step % TURNS, [layer.width_context(8 * step + lane, width) for lane in range(LANES)])
        width, m, turn = width or [0] * BLOCKS, [0] * 8 * BLOCKS, 0
        for k in (k for k in range(BLOCKS) if self.values and width[k]):
            symbols[k] = self.step(turn, [layer.value_context(k, lane, width[k], m) for lane in range(LANES)])
            turn, half, low = (turn + 1) % TURNS, 2 ** (min(width[k], 5) - 1), max(width[k] - 5, 0)
            m[8 * k:8 * k + 8] = [min(255, abs(s - half) << min(low, 4)) for s in symbols[k]]
        t.width[of_c] = width
        t.sizes = m if of_c else t.sizes
        order = ORDERS[by]
        return {order[k]: width[k] for k in range(BLOCKS)}, {order[k]: s for k, s in symbols.items()}, order

    def planes(self, width, symbols, order):
        if not self.by_blocks:
            return self.take(sum(width.values()))
        planes = b""
        low = {b: self.take(max(width[b] - 5, 0) if self.values else width[b]) for b in order}
        for p in range(max(width.values())):
            for b in range(BLOCKS):
                w = width[b]
                if w > p:
                    top, n = p - len(low[b]), min(w, 5)
                    planes += bytes([low[b][p] if top < 0 else
                                     sum(((s ^ 1 << n - 1) >> top & 1) << j for j, s in enumerate(symbols[b]))])
        return planes

    def specials(self):
        found = b""
        for _ in range(2):
            where = self.take(16)
            found += where + self.take(bin(int.from_bytes(where, "little")).count("1"))
        return found

    def tile(self, i):
        t = self.tiles[i]
        if t.kind != CODED:
            return self.take(t.size)
        width, symbols, order = self.layer(i, t, 0)
        c = self.layer(i, t, 1) if t.transformed else None
        nwp, widths = width_planes(width, t.widths[0])
        la, anchor = short(t.field.get("anchor", 0))
        ls, slope = short(t.field.get("slope", 0))
        flags = ls << 3 if self.dims == 1 else t.turned << 4 | t.transformed << 3
        extra = (t.widths[0] == SQUEEZED) << 7 | t.special << 6 | flags | la
        made = bytes([nwp << 5 | t.mode << 3 | (extra > 0) << 2 | t.order]) + bytes([extra] * (extra > 0)) + anchor + slope + widths
        made += self.specials() if t.special else b""
        if c:
            nwp, widths = width_planes(c[0], t.widths[1])
            lc, anchor = short(t.field["first"])
            made += bytes([(t.widths[1] == SQUEEZED) << 7 | lc << 3 | nwp]) + anchor + widths
        made += self.planes(width, symbols, order)
        return made + (self.planes(*c) if c else b"")

    def end(self):
        check(not self.words and self.at == len(self.bytes), "words or bytes that are left")
        check(all(s == LEAST for s in self.state), "the states at the end")


def width_planes(width, how):
    nwp = max(width.values()).bit_length()
    planes = [bytes(sum((width[8 * j + b] >> k & 1) << b for b in range(8)) for j in range(16)) for k in range(nwp)]
    if how != SQUEEZED:
        return nwp, b"".join(planes)
    maps = b"".join(struct.pack("<H", sum((byte > 0) << j for j, byte in enumerate(plane))) for plane in planes)
    return nwp, maps + bytes(byte for plane in planes for byte in plane if byte)


def short(v):
    """Code and bytes of a number (FORMAT.md, "Tile")."""
    size = ((v if v >= 0 else ~v).bit_length() + 8) // 8 if v else 0
    size = 8 if size == 7 else size
    return min(size, 7), v.to_bytes(size, "little", signed=True)


# ---- Pages ----


def sized(data, count, size):
    """Tiles as they are, behind their sizes."""
    sizes = struct.unpack_from(f"<{count}H", data)
    check(2 * count + sum(sizes) == len(data) and sum(sizes) == size, "the sizes of tiles")
    at = 2 * count
    ends = [at + sum(sizes[:i]) for i in range(count + 1)]
    return [data[a:b] for a, b in zip(ends, ends[1:])]


def read_page(data, first, each, h, unpacked):
    """The tiles of a page of a stream: from `first` on, `each` at most. unpacked: of bytes and the number that they become, by zstd where these differ."""
    check(len(data) >= 5 and data[0] <= VALUES, "the kind of a page")
    count, size = min(each, h.tiles - first), struct.unpack_from("<I", data, 1)[0]
    check(size <= count * TILE_BYTES_MAX and len(data) <= 5 + 2 * count + size, "the size of a page")
    if data[0] == STORED:
        return sized(data[5:], count, size)
    if data[0] == ZSTD:
        check(len(data) - 5 < 2 * count + size, "a page by zstd that is no smaller")
        return sized(unpacked(data[5:], 2 * count + size), count, size)
    check(struct.unpack_from("<I", data, 13)[0] <= size if len(data) >= 17 else False, "the parts of a page")
    page = Page(data[5:], data[0] == VALUES, count, h.dims, Grid(h.bricks, first), unpacked)
    tiles = [page.tile(i) for i in range(count)]
    page.end()
    check(sum(map(len, tiles)) == size, "the size of the tiles")
    return tiles


def read_stream(header, pages, each, h, unpacked):
    """The stream of these 72 bytes and pages of so many tiles; h: the same as decoder.Header."""
    tiles = [tile for number, page in enumerate(pages) for tile in read_page(page, number * each, each, h, unpacked)]
    check(all(len(tile) <= TILE_BYTES_MAX for tile in tiles), "the size of a tile")
    sizes = list(map(len, tiles))
    ends = [sum(sizes[:i + 16]) for i in range(0, len(sizes), 16)]
    check(sum(sizes) == h.payload, "the size of all tiles")
    return header + struct.pack(f"<{len(ends)}Q{len(sizes)}H", *ends, *sizes) + b"".join(tiles)
