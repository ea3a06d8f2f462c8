# _partial.py: owns which bytes of a chunk hold a box of its values, and makes a stream of them.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import asyncio
import math
from typing import Any

import numpy as np
from zarr.abc.store import ByteGetter, RangeByteRequest
from zarr.core.array_spec import ArraySpec
from zarr.core.buffer import Buffer
from zarr.storage import StorePath

from ghz import _arrays, _index

Box = tuple[slice, ...]

HEADER = 72  # bytes of a stream before its index: FORMAT.md, "Stream"
GROUP = 16  # tiles of which a stream's index says where they end (its own "chunks")
WHOLE = 1 << 20  # bytes of values: smaller chunks are read at once, more reads would cost more
GAP = 1 << 16  # bytes that are read rather than skipped


def bounding_box(selection: Any, shape: tuple[int, ...]) -> tuple[Box | None, Any]:
    """Returns the box that holds what Zarr selects of a chunk, and how to select from that.
    None is the whole chunk."""
    items = selection if isinstance(selection, tuple) else (selection,)
    if len(items) != len(shape) or any(item is None or item is Ellipsis for item in items):
        return None, selection
    axes = [_bounds(item, extent) for item, extent in zip(items, shape)]
    if any(box.start >= box.stop for box, _ in axes) or not axes:
        return None, selection
    box = tuple(box for box, _ in axes)
    whole = all(b.start == 0 and b.stop == extent for b, extent in zip(box, shape))
    return None if whole else box, tuple(rest for _, rest in axes)


def _bounds(item: Any, extent: int) -> tuple[slice, Any]:
    if isinstance(item, slice):
        chosen = range(*item.indices(extent))
        if chosen.step < 0 or not chosen:
            return slice(0, 0), item
        return slice(chosen[0], chosen[-1] + 1), slice(None, None, chosen.step)
    positions = np.asarray(item)
    if positions.dtype == bool:
        positions = np.flatnonzero(positions)
    if not positions.size:
        return slice(0, 0), item
    first = int(positions.min())
    return slice(first, int(positions.max()) + 1), positions - first


async def read(getter: ByteGetter, box: Box | None, spec: ArraySpec) -> Buffer | None:
    """Reads a stream that has the values of the box, and zeros where nothing was read; the
    chunk's own stream if that is as good, or if something is wrong with it."""
    size = math.prod(spec.shape) * spec.dtype.to_native_dtype().itemsize
    # What is inside a shard comes from memory.
    if box is not None and size >= WHOLE and isinstance(getter, StorePath):
        part = await _read_part(getter, _Part(spec.shape, box), spec)
        if part is not None:
            return part
    return await getter.get(spec.prototype)


async def _read_part(getter: ByteGetter, part: _Part, spec: ArraySpec) -> Buffer | None:
    if 2 * len(part.wanted) > part.groups:
        return None
    head = await getter.get(spec.prototype, RangeByteRequest(0, part.head_size))
    if head is None or not part.parse(head.to_bytes()):
        return None
    requests = [RangeByteRequest(*ends) for ends in part.ranges()]
    pieces = await asyncio.gather(*(getter.get(spec.prototype, r) for r in requests))
    data = part.stream([b"" if piece is None else piece.to_bytes() for piece in pieces])
    return None if data is None else spec.prototype.buffer.from_bytes(data)


class _Part:
    """The groups of tiles of a chunk that hold a box."""

    def __init__(self, shape: tuple[int, ...], box: Box) -> None:
        folded = _arrays.library_shape(shape, "C")
        extents = tuple(folded.extent)
        cuts = _index.groups(shape, extents)
        assert cuts is not None
        corners = ([b.start for b in box], [b.stop - 1 for b in box])
        axes, numbers = [], np.zeros(1, np.int64)
        for a, b, extent, tile in zip(cuts, cuts[1:], extents, _index.TILES[folded.dims]):
            low, high = (
                int(np.ravel_multi_index(c[a:b], shape[a:b])) if b > a else 0 for c in corners
            )
            axes.append(-(-extent // tile))
            numbers = np.add.outer(
                numbers * axes[-1], np.arange(low // tile, high // tile + 1)
            ).ravel()
        self.tiles = math.prod(axes)
        self.groups = -(-self.tiles // GROUP)
        self.wanted = np.unique(numbers // GROUP)
        self.kind = folded.dims.to_bytes(1, "little") + np.array(extents, "<u8").tobytes()
        self.head_size = HEADER + 8 * self.groups + 2 * self.tiles

    def parse(self, head: bytes) -> bool:
        """Takes header and index of the stream; False if they are not those of such a chunk."""
        if len(head) != self.head_size or head[7:32] != self.kind:
            return False
        self.header = bytearray(head[:HEADER])
        self.ends = np.frombuffer(head, "<u8", self.groups, HEADER)
        self.sizes = np.frombuffer(head, "<u2", self.tiles, HEADER + 8 * self.groups).copy()
        self.bytes = np.add.reduceat(self.sizes, np.arange(0, self.tiles, GROUP), dtype=np.uint64)
        return bool(np.array_equal(np.cumsum(self.bytes), self.ends))

    def ranges(self) -> list[tuple[int, int]]:
        """Returns which bytes of the stream to read: of the groups that are wanted, and of those
        between them where that is little."""
        begins = self.ends - self.bytes
        gaps = begins[self.wanted[1:]] - self.ends[self.wanted[:-1]]
        runs = np.split(self.wanted, np.flatnonzero(gaps > GAP) + 1)
        self.kept = np.zeros(self.groups, bool)
        for run in runs:
            self.kept[run[0] : run[-1] + 1] = True
        return [
            (self.head_size + int(begins[run[0]]), self.head_size + int(self.ends[run[-1]]))
            for run in runs
        ]

    def stream(self, pieces: list[bytes]) -> bytes | None:
        """Makes a stream of the tiles that were read; the others are empty, which means zeros."""
        payload = b"".join(pieces)
        ends = np.cumsum(np.where(self.kept, self.bytes, 0).astype("<u8"))
        if len(payload) != ends[-1]:
            return None
        self.sizes[~np.repeat(self.kept, GROUP)[: self.tiles]] = 0
        self.header[56:64] = len(payload).to_bytes(8, "little")
        return b"".join([self.header, ends.tobytes(), self.sizes.tobytes(), payload])
