#!/usr/bin/env python3
# pictures.py: draws docs/images/file.svg and brick.svg, what docs/FILE_FORMAT.md and ghz/FORMAT.md
# specify. usage, from the top of the repository: scripts/pictures.py
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

from pathlib import Path

DARK, MIDDLE, LIGHT, PALE = "#0050b0", "#56b4e9", "#cfe6f7", "#f2f2f2"
LINE, GREY = "#404040", "#808080"


class Picture:
    def __init__(self, width: int, height: int) -> None:
        self.parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif">',
            f'<rect width="{width}" height="{height}" fill="white"/>',
        ]

    def text(self, x: float, y: float, words: str, size: int = 14, anchor: str = "middle", fill: str = LINE) -> None:
        self.parts.append(f'<text x="{x}" y="{y}" font-size="{size}" text-anchor="{anchor}" fill="{fill}">{words}</text>')

    def shape(self, points: list[tuple[float, float]], fill: str, stroke: str = GREY, width: float = 1) -> None:
        path = " ".join(f"{x:g},{y:g}" for x, y in points)
        self.parts.append(f'<polygon points="{path}" fill="{fill}" stroke="{stroke}" stroke-width="{width}"/>')

    def path(self, points: list[tuple[float, float]]) -> None:
        path = " ".join(f"{x:g},{y:g}" for x, y in points)
        self.parts.append(f'<polyline points="{path}" fill="none" stroke="{GREY}" stroke-width="0.7"/>')

    def arrow(self, x0: float, y0: float, x1: float, y1: float) -> None:
        self.parts.append(f'<line x1="{x0}" y1="{y0}" x2="{x1}" y2="{y1}" stroke="{LINE}" stroke-width="1.5"/>')
        long = ((x1 - x0) ** 2 + (y1 - y0) ** 2) ** 0.5
        u, v = (x1 - x0) / long * 7, (y1 - y0) / long * 7
        self.shape([(x1, y1), (x1 - u - v / 2, y1 - v + u / 2), (x1 - u + v / 2, y1 - v - u / 2)], LINE, LINE)

    def strip(self, x: float, y: float, height: float, boxes: list[tuple[int, str, str, str]]) -> list[float]:
        """Boxes side by side: width, fill, name, and what is written below. Where each begins."""
        places = []
        for width, fill, name, below in boxes:
            self.shape([(x, y), (x + width, y), (x + width, y + height), (x, y + height)], fill, LINE)
            self.text(x + width / 2, y + height / 2 + 5, name, fill="white" if fill == DARK else LINE)
            self.text(x + width / 2, y + height + 17, below, 12, fill=GREY)
            places.append(x)
            x += width
        return [*places, x]

    def zoom(self, above: tuple[float, float], y0: float, below: tuple[float, float], y1: float) -> None:
        self.shape([(above[0], y0), (above[1], y0), (below[1], y1), (below[0], y1)], PALE, "none")

    def save(self, name: str) -> None:
        Path("docs/images", name).write_text("\n".join([*self.parts, "</svg>\n"]))


def draw_file() -> None:
    p = Picture(1000, 400)
    p.zoom((140, 290), 80, (20, 560), 170)
    p.zoom((640, 820), 81, (590, 980), 170)
    p.strip(
        20, 40, 40,
        [(120, LIGHT, "header", ""), (150, MIDDLE, "frame 0", ""), (150, MIDDLE, "frame 1", ""),
         (100, "white", "...", ""), (100, LIGHT, "end", ""), (180, DARK, "index", ""),],
    )  # fmt: skip
    p.text(20, 28, "A file: every part has a checksum", 15, "start")
    p.text(832, 65, "what a reader of a", 12, "start", GREY)
    p.text(832, 80, "part reads first", 12, "start", GREY)
    p.text(20, 160, "A frame: one stream of ghz, a piece of the array", 15, "start")
    p.strip(
        20, 170, 40,
        [(70, LIGHT, "length", "8"), (90, MIDDLE, "header", "72"), (110, MIDDLE, "page sizes", "4 a page"),
         (60, MIDDLE, "page 0", ""), (60, MIDDLE, "page 1", ""), (70, "white", "...", ""), (80, LIGHT, "check", "8"),],
    )  # fmt: skip
    p.text(290, 262, "128 tiles and their sizes, or 1024, packed;", 12, "middle", GREY)
    p.text(290, 279, "each is read, checked and unpacked by itself", 12, "middle", GREY)
    p.text(590, 160, "The index", 15, "start")
    p.strip(
        590, 170, 40,
        [(100, LIGHT, "header", "again"), (80, DARK, "entry 0", ""), (80, DARK, "entry 1", ""),
         (50, "white", "...", ""), (80, LIGHT, "tail", "32"),],
    )  # fmt: skip
    for k, line in enumerate(
        ["an entry: values, bytes, terms and flags of the frame,", "and of each page its bytes in the file and its checksum"]
    ):
        p.text(590, 262 + 17 * k, line, 12, "start", GREY)
    p.text(20, 350, "To read a part: 1. the last 64 KiB hold the tail, and the index of 700 million values or more;", 13, "start")
    p.text(20, 369, "2. the pages that hold its tiles, those that follow each other in one read.", 13, "start")
    p.save("file.svg")


def brick(p: Picture, x: float, y: float, cell: float) -> None:
    """8 x 8 x 16 values, in a projection; the first line of it in its two blocks."""
    dx, dy, right, low = cell * 0.55, -cell * 0.42, x + 16 * cell, y + 8 * cell  # dx, dy: a step along z
    p.shape([(x, y), (x + 8 * dx, y + 8 * dy), (right + 8 * dx, y + 8 * dy), (right, y)], LIGHT)
    p.shape([(right, y), (right + 8 * dx, y + 8 * dy), (right + 8 * dx, low + 8 * dy), (right, low)], PALE)
    for k in (0, 1):
        a = x + 8 * k * cell
        p.shape([(a, y), (a + 8 * cell, y), (a + 8 * cell, y + cell), (a, y + cell)], (DARK, MIDDLE)[k])
    for i in range(17):
        p.path([(x + i * cell, low), (x + i * cell, y), (x + i * cell + 8 * dx, y + 8 * dy)])
    for j in range(9):
        p.path([(x, y + j * cell), (right, y + j * cell), (right + 8 * dx, y + j * cell + 8 * dy)])
        p.path([(x + j * dx, y + j * dy), (right + j * dx, y + j * dy), (right + j * dx, low + j * dy)])
    p.text(x + 8 * cell, low + 18, "x: 16 values, two blocks of 8", 13)
    p.text(x - 8, y + 4 * cell + 5, "y: 8", 13, "end")
    p.text(right + 4 * dx + 12, low + 4 * dy + 14, "z: 8", 13, "start")
    p.text(x + 8 * cell, low + 38, "(of an array of two dimensions: 32 x 32)", 12, fill=GREY)


def layer(p: Picture, x: float, y: float, name: str, fill: str, words: list[str]) -> None:
    """Three bit planes, one behind the other, and what they hold."""
    for k in (2, 1, 0):
        a, b = x + 14 * k, y - 10 * k
        p.shape([(a, b), (a + 150, b), (a + 150, b + 34), (a, b + 34)], fill if k == 0 else LIGHT, LINE)
    p.text(x + 75, y + 22, name, 15, fill="white")
    for k, line in enumerate(words):
        p.text(x + 192, y + 2 + 18 * k, line, 13, "start")


def draw_brick() -> None:
    p = Picture(1000, 420)
    p.text(20, 28, "A brick: a tile of 1024 values of an array with a shape", 15, "start")
    brick(p, 60, 110, 15)
    p.arrow(385, 120, 455, 105)
    p.arrow(385, 185, 455, 205)
    layer(
        p, 475, 90, "layer R", DARK,
        ["integers, as differences along x, y and z (Lorenzo)", "or along fewer axes: whatever is smallest;", "with layer C what that leaves of each value"],
    )  # fmt: skip
    layer(
        p, 475, 195, "layer C", MIDDLE,
        ["coefficients of a transform, in integers,", "where they make the tile an eighth smaller"],
    )  # fmt: skip
    p.text(475, 262, "Both are stored as bit planes: of each block of 8 one byte in", 13, "start")
    p.text(475, 280, "each plane, and none in the planes above the block's width.", 13, "start")
    p.text(20, 325, "Its bytes", 15, "start")
    p.strip(
        20, 338, 40,
        [(105, PALE, "first, extra", "1 or 2"), (80, PALE, "anchor", "0 to 8"), (120, LIGHT, "widths of R", ""),
         (120, PALE, "NaN, infinities", "where there are any"), (135, PALE, "head, c(0, 0, 0)", "with C"),
         (120, LIGHT, "widths of C", "with C"), (140, DARK, "planes of R", ""), (130, MIDDLE, "planes of C", "with C"),],
    )  # fmt: skip
    p.save("brick.svg")


if __name__ == "__main__":
    draw_file()
    draw_brick()
