#!/usr/bin/env python3
"""What the bytes of a .ghz file are for, as the second reader counts them, against what `ghz info --json` says.

usage: parts.py FILE.ghz < JSON
"""
# SPDX-License-Identifier: BSD-3-Clause
import json
import math
import pathlib
import struct
import sys
from collections import Counter

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "format"))
import container  # noqa: E402
import decoder  # noqa: E402
import tile_pages  # noqa: E402

# ---- Tiles ----


def counted(owner, name, *parts):
    """Notes the bytes that a function of the reader takes; its calls for a tile go to the parts in turn."""
    function, turns = getattr(owner, name), []

    def call(r, *arguments):
        before = r.at
        found = function(r, *arguments)
        turns.append((parts[len(turns) % len(parts)], r.at - before))
        return found

    setattr(owner, name, call)
    return turns


TURNS = [
    counted(decoder, "take_widths", "widths_r", "widths_c"),
    counted(decoder, "take_planes", "values_r", "values_c"),
    counted(decoder.Reader, "special_plane", "specials"),
]


def tile_parts(tile, number, header):
    if not tile or tile[0] >> 3 & 3 == 3:
        return Counter(raw=len(tile))
    for turns in TURNS:
        turns.clear()
    decoder.lattice_tile(tile, decoder.Tile(header, number), header)
    parts = Counter()
    for part, size in sum(TURNS, []):
        parts[part] += size
    return parts + Counter(heads=len(tile) - sum(parts.values()))


def stream_parts(data):
    stream = decoder.Stream(data)
    parts = Counter(tables=len(data) - sum(map(len, stream.tiles)))
    for number, tile in enumerate(stream.tiles):
        parts += tile_parts(tile, number, stream.header)
    return parts


# ---- Pages of tiles ----

FOUND = Counter()  # of all pages that were read, in fractions of bytes


def share(size, weights):
    total = sum(weights.values())
    for part, weight in (weights if total else {"tables": 1}).items():
        FOUND[part] += size * weight / (total or 1)


class Page(tile_pages.Page):
    """A page of symbols that notes what its bits are for."""

    def __init__(self, *arguments):
        self.bits, self.taken, self.turn = Counter(), Counter(), 0
        super().__init__(*arguments)

    def step(self, turn, contexts):
        for lane, c in enumerate(contexts, 8 * turn):
            what, layer = ("widths", c // 40) if c < 120 else ("values", (c - 120) // 35)
            frequency = self.slots[c][self.state[lane] % 512][1]
            self.bits[what + ("_r" if layer else "_c")] += math.log2(512 / frequency)
        return super().step(turn, contexts)

    def tile(self, i):
        self.turn, before = 0, self.at
        made = super().tile(i)
        self.taken["raw"] += self.at - before if self.tiles[i].kind == tile_pages.AS_IS else 0
        return made

    def noted(self, part, function, *arguments):
        before = self.at
        found = function(*arguments)
        self.taken[part] += self.at - before
        return found

    def specials(self):
        return self.noted("specials", super().specials)

    def planes(self, *arguments):
        self.turn += 1
        return self.noted(("values_r", "values_c")[self.turn - 1], super().planes, *arguments)

    def end(self):
        super().end()
        share(2 * self.number_of_words + 128, self.bits)
        share(self.packed, self.taken)


def read_heads(bits, *arguments, read=tile_pages.read_heads):
    tiles = read(bits, *arguments)
    FOUND["heads"] += bits.at - 4
    FOUND["frequencies"] += len(bits.data) - bits.at + 4
    return tiles


def read_page(data, number, h, unpacked, read=tile_pages.read_page):
    if data[0] in (tile_pages.WIDTHS, tile_pages.VALUES):
        Page.number_of_words, Page.packed = (struct.unpack_from("<I", data, at)[0] for at in (9, 17))
    tiles = read(data, number, h, unpacked)
    FOUND["tables"] += (5, 5, 21, 21)[data[0]]
    if data[0] == tile_pages.ZSTD:
        FOUND["zstd"] += len(data) - 5
    elif data[0] == tile_pages.STORED:
        FOUND["tables"] += 2 * len(tiles)
        for i, tile in enumerate(tiles, tile_pages.TILES * number):
            FOUND.update(tile_parts(tile, i, h))
    return tiles


tile_pages.Page, tile_pages.read_heads, tile_pages.read_page = Page, read_heads, read_page

# ---- Files ----


def check(what, says, wanted, exact):
    for part in sorted(set(says) | set(wanted)):
        given, want = says.get(part, 0), wanted[part]
        if abs(given - want) > (0 if exact or part in ("tables", "zstd") else 0.02 * want + 64):
            raise SystemExit(f"{sys.argv[1]}: {what}: {part}: {given}, not {want:.6g}")


def main():
    data, (says,) = pathlib.Path(sys.argv[1]).read_bytes(), json.load(sys.stdin)
    file, streams, index = container.File(data), Counter(), container.Index(data)
    for stream in file.bytes:
        streams += stream_parts(stream)
    check("streams", says["stream_parts"], streams, True)
    if sum(says["stream_parts"].values()) != sum(map(len, file.bytes)) or sum(says["parts"].values()) != len(data):
        raise SystemExit(f"{sys.argv[1]}: the parts are not all: {says}")
    levels = {index.level(entry) for entry in index.entries}
    bodies = [index.body(entry) for entry in index.entries]
    heads = sum(((0, 8, 80)[index.level(e)] + 4 * len(p) if index.level(e) else 0) for e, p in zip(index.entries, file.pages))
    if levels == {0}:
        FOUND.update(streams)
    if levels == {1}:
        FOUND["zstd"] += sum(bodies) - heads
    FOUND["tables"] += heads
    FOUND["file"] += len(data) - sum(bodies)
    check("file", says["parts"], FOUND, levels != {2})


main()
