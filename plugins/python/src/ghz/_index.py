# _index.py: owns NumPy's indices: which boxes of a stream hold the values that one selects.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ._arrays import Array, Order, Shape

# Reads the box at an origin, of the extents of the array, into the array.
ReadBox = Callable[[tuple[int, ...], Array], None]

TILES = {1: (1, 1, 1024), 2: (1, 32, 32), 3: (8, 8, 16)}  # extents of a tile, by dims
SPAN = 16  # tiles that are read together at most, where only some of their values are wanted


class Selection(NamedTuple):
    """What an index selects: positions on each axis, in rising order; and what is left to do."""

    positions: list[range]
    after: tuple[Any, ...]  # an index of the selected box: drops axes, turns them round


def select(index: Any, shape: Shape) -> Selection:
    """Reads an index of integers, slices and an ellipsis; raises IndexError as NumPy does."""
    given = index if isinstance(index, tuple) else (index,)
    items = _without_ellipsis(given, len(shape))
    positions: list[range] = []
    after: list[Any] = []
    for axis, (item, extent) in enumerate(zip(items, shape)):
        if isinstance(item, slice):
            chosen = range(*item.indices(extent))
            backward = chosen.step < 0
            positions.append(chosen[::-1] if backward else chosen)
            after.append(slice(None, None, -1 if backward else None))
            continue
        at = _integer(item)
        if not -extent <= at < extent:
            raise IndexError(f"index {at} is out of bounds for axis {axis} with size {extent}")
        positions.append(range(at % extent, at % extent + 1))
        after.append(0)
    if any(item is Ellipsis for item in given):
        after.append(...)  # an array without dimensions, where NumPy gives no scalar
    return Selection(positions, tuple(after))


def _integer(item: Any) -> int:
    try:
        if not isinstance(item, (bool, np.bool_)):
            return operator.index(item)
    except TypeError:
        pass
    raise IndexError("a stream takes integers, slices and ... as indices; for more: decompress()")


def _without_ellipsis(items: tuple[Any, ...], ndim: int) -> tuple[Any, ...]:
    at = [i for i, item in enumerate(items) if item is Ellipsis]
    if len(at) > 1:
        raise IndexError("an index can only have a single ellipsis ('...')")
    missing = ndim - (len(items) - len(at))
    if missing < 0:
        raise IndexError(f"too many indices: {ndim} dimensions, {len(items) - len(at)} indices")
    fill = (slice(None),) * missing
    return items[: at[0]] + fill + items[at[0] + 1 :] if at else items + fill


def groups(extents: Shape, joined: Sequence[int]) -> list[int] | None:
    """Returns where axes in the order of memory are cut to give joined[0], [1] and [2] as products:
    [0, a, b, ndim]. None if they are not."""
    cuts = [len(extents)]
    for want in (joined[2], joined[1]):
        at, product = cuts[0], 1
        while product != want and at > 0:
            at -= 1
            product *= extents[at]
        if product != want:
            return None
        cuts.insert(0, at)
    product = 1
    for extent in extents[: cuts[0]]:
        product *= extent
    return [0, *cuts] if product == joined[0] else None


class _Runs(NamedTuple):
    """Positions on joined axes: `length` in a row from each start on, in rising order."""

    starts: Array
    length: int


def _runs(positions: Sequence[range], extents: Sequence[int]) -> _Runs:
    begin, length, extent = 0, 1, 1  # of the axes that are joined so far
    axis = len(positions) - 1
    while axis >= 0:  # as long as the positions are in a row
        outer = positions[axis]
        if len(outer) > 1 and (outer.step != 1 or length < extent):
            break
        begin += outer.start * extent
        length += (len(outer) - 1) * extent
        extent *= extents[axis]
        axis -= 1
    starts = np.array([begin], np.int64)
    for outer, size in zip(positions[axis::-1], extents[axis::-1]) if axis >= 0 else ():
        these = np.arange(outer.start, outer.stop, outer.step, dtype=np.int64) * extent
        starts = np.add.outer(these, starts).ravel()
        extent *= size
    return _Runs(starts, length)


class _Segment(NamedTuple):
    """Positions begin .. begin + extent - 1, which are read together; of these, `wanted` go to
    `out` in the result."""

    begin: int
    extent: int
    wanted: slice | Array
    out: slice


def _segments(runs: _Runs, tile: int) -> Iterator[_Segment]:
    starts, length = runs
    # Runs that the same tiles or neighbours hold are read together, SPAN tiles at a time.
    apart = np.diff(starts) >= length + tile
    apart |= np.diff(starts // (SPAN * tile)) > 0
    cuts = [0, *(np.flatnonzero(apart) + 1).tolist(), len(starts)]
    for first, last in itertools.pairwise(cuts):
        begin, end = int(starts[first]), int(starts[last - 1]) + length
        count = (last - first) * length
        wanted: slice | Array = slice(None)
        if count < end - begin:
            wanted = np.add.outer(starts[first:last] - begin, np.arange(length)).ravel()
        yield _Segment(begin, end - begin, wanted, slice(first * length, last * length))


def read(
    index: Any,
    shape: Shape,
    order: Order,
    dtype: np.dtype[Any],
    cuts: Sequence[int],
    tile: Sequence[int],
    read_box: ReadBox,
) -> Any:
    """Returns what array[index] would be, having read only the tiles that hold it.

    cuts: in the order of the memory, axes cuts[i] to cuts[i + 1] - 1 are axis i of the boxes.
    tile: the extents of a tile along these.
    """
    selection = select(index, shape)
    turned = slice(None) if order == "C" else slice(None, None, -1)
    positions, extents = selection.positions[turned], shape[turned]
    result = np.empty([len(p) for p in positions], dtype)
    if result.size:
        runs = [_runs(positions[a:b], extents[a:b]) for a, b in itertools.pairwise(cuts)]
        box = result.reshape([len(r.starts) * r.length for r in runs])
        _fill(box, [list(_segments(r, t)) for r, t in zip(runs, tile)], read_box)
    return (result if order == "C" else result.T)[selection.after]


def _fill(box: Array, segments: list[list[_Segment]], read_box: ReadBox) -> None:
    for parts in itertools.product(*segments):
        origin = tuple(part.begin for part in parts)
        out: tuple[Any, ...] = (*(part.out for part in parts), ...)
        target = box[out]
        if target.flags.c_contiguous and all(isinstance(part.wanted, slice) for part in parts):
            read_box(origin, target)
            continue
        values = np.empty([part.extent for part in parts], box.dtype)
        read_box(origin, values)
        for axis, part in enumerate(parts):
            if not isinstance(part.wanted, slice):
                values = values.take(part.wanted, axis)
        target[...] = values
