# _reduce.py: owns one chunk, or shard, of sums along an axis: of chunks that are added as they are
# compressed, or of sums within chunks, which are compressed again.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from zarr.storage import StorePath

import ghz
from ghz._axes import sums_along
from ghz.zarr._chunk import culprit_of, join, missing_like, read, split, write
from ghz.zarr._layout import Layout, same

Place = tuple[int, ...]
BATCH = 64  # streams in memory at a time


@dataclass(frozen=True)
class Step:
    """A chunk of one step."""

    source: StorePath
    inside: int  # its place along the axis in the shard; 0 without one
    weight: int


@dataclass(frozen=True)
class Steps:
    """What one chunk, or shard, of a result is made of: chunks that are a step each."""

    steps: Sequence[Step]
    axis: int  # of the array
    kept: bool  # the result has the axis, too, for groups
    layout: Layout
    result: Layout
    divisor: int  # 1 for a sum
    fill: Any  # what the result of fill values is
    target: StorePath

    def __call__(self) -> None:
        """Makes the chunk of the result; none if no step has it and its fill value is right."""
        result = {}
        for place in self._places():
            stream = self._combine(place)
            if stream is not None:
                result[self._in_result(place)] = self.result.settings.stored(stream)
        if result:
            write(self.target, join(result, self.result))

    def _places(self) -> list[Place]:
        """Returns the places in a shard, but for the axis, which is 0 there."""
        shard = self.layout.shard
        if shard is None:
            return [()]
        return [place for place in shard.places() if place[self.axis] == 0]

    def _in_result(self, place: Place) -> Place:
        if self.result.shard is None:
            return ()
        return place if self.kept else place[: self.axis] + place[self.axis + 1 :]

    def _combine(self, place: Place) -> ghz.Stream | None:
        total: ghz.Stream | None = None
        missing = 0  # weight of the steps that are not there
        for batch in _batches(self._found(place), BATCH):
            there = [found for found in batch if found[1] is not None]
            missing += sum(step.weight for step, stream in batch if stream is None)
            if there:
                part = self._add(*zip(*there))
                total = part if total is None else total + part
        if total is None:
            return self._of_fills() if missing else None
        if missing:
            fills = missing_like(total, self.layout)
            total = ghz.linear([total, fills], [1, missing])
        return total / self.divisor if self.divisor > 1 else total

    def _found(self, place: Place) -> Iterator[tuple[Step, ghz.Stream | None]]:
        """Yields each step and its stream; each key is read once."""
        for source, steps in itertools.groupby(self.steps, key=lambda step: step.source):
            try:
                parts = split(read(source), self.layout)
            except ghz.Error as error:
                raise type(error)(f"{source}: {error}") from error
            for step in steps:
                at = place[: self.axis] + (step.inside,) + place[self.axis + 1 :] if place else ()
                yield step, parts.get(at)

    def _add(self, steps: Sequence[Step], streams: Sequence[ghz.Stream]) -> ghz.Stream:
        weights = [step.weight for step in steps]
        try:
            return ghz.sum(streams) if set(weights) == {1} else ghz.linear(streams, weights)
        except ghz.Error as error:
            culprit = culprit_of([step.source for step in steps], streams)
            raise type(error)(f"{culprit}: {error}") from error

    def _of_fills(self) -> ghz.Stream | None:
        if same(self.fill, self.result.fill):
            return None
        return self.result.settings.compress(
            np.full(self.result.shape, self.fill, self.result.dtype)
        )


def _batches(items: Iterable[Any], size: int) -> Iterator[list[Any]]:
    rest = iter(items)
    while batch := list(itertools.islice(rest, size)):
        yield batch


@dataclass(frozen=True)
class Part:
    """A key with chunks along the axes that are summed over."""

    source: StorePath
    first: Place  # the step of its first value, along each of the axes


@dataclass(frozen=True)
class Within:
    """What chunks, or shards, of results are made of: sums within chunks, one for each group."""

    parts: Sequence[Part]
    axes: Place  # of the array
    kept: bool  # the results have the one axis, too, for groups
    layout: Layout
    result: Layout
    weights: Sequence[Any]  # of each axis, in rows: of the first one a row for each group
    mean: bool
    targets: Sequence[StorePath]  # of each group

    def __call__(self) -> None:
        """Makes the chunks of the results."""
        totals: dict[Place, tuple[Any, Any]] = {}
        for part in self.parts:
            try:
                self._add(part, totals)
            except ghz.Error as error:
                raise type(error)(f"{part.source}: {error}") from error
        for number, target in enumerate(self.targets):
            result = {}
            for place, (sums, counts) in totals.items():
                stream = self._compress(sums[number], counts[number])
                result[place] = self.result.settings.stored(stream)
            write(target, join(result, self.result))

    def _add(self, part: Part, totals: dict[Place, tuple[Any, Any]]) -> None:
        """Adds the sums of all chunks of a key."""
        parts = split(read(part.source), self.layout)
        shard = self.layout.shard
        shape = (len(self.targets), *self._kept_shape())
        for place in [()] if shard is None else shard.places():
            inside = [place[axis] if place else 0 for axis in self.axes]
            first = [f + i * self.layout.chunk[a] for f, i, a in zip(part.first, inside, self.axes)]
            rows = [
                weights[:, begin : begin + self.layout.chunk[axis]]
                for axis, begin, weights in zip(self.axes, first, self.weights)
            ]
            to = self._in_result(place)
            if to not in totals:
                totals[to] = np.zeros(shape), np.zeros(shape)
            if all(row.size for row in rows):
                self._add_chunk(parts.get(place), rows, totals[to])

    def _add_chunk(
        self, stream: ghz.Stream | None, rows: list[Any], totals: tuple[Any, Any]
    ) -> None:
        """Adds a chunk to the sums of each group, and to the weights of what they are of."""
        plain = {axis for axis, row in zip(self.axes, rows) if self._is_plain(axis, row)}
        sums, counts = self._sums(stream, plain)
        self._weigh(sums, rows, plain, totals[0])
        # Of a sum the weights only say whether there is anything, also where they cancel out.
        self._weigh(counts, rows if self.mean else [abs(row) for row in rows], plain, totals[1])

    def _weigh(self, values: Any, rows: list[Any], plain: set[int], total: Any) -> None:
        """Adds values, summed along the plain axes, to those of each group, weighted."""
        left = [axis for axis in range(len(self.layout.chunk)) if axis not in plain]
        for axis, row in zip(self.axes[1:], rows[1:]):
            values = _weighted(values, row[0], left.index(axis) if axis in left else None)
            left = [other for other in left if other != axis]
        axis = self.axes[0]
        for number, row in enumerate(rows[0]):
            if row.any():
                total[number] += _weighted(values, row, left.index(axis) if axis in left else None)

    def _is_plain(self, axis: int, rows: Any) -> bool:
        """Returns whether all steps of a chunk are added in one group, with one weight."""
        used = rows[rows.any(1)]
        whole = rows.shape[1] == self.layout.chunk[axis]
        return bool(whole and len(used) == 1 and (used[0] == used[0, 0]).all())

    def _sums(self, stream: ghz.Stream | None, plain: set[int]) -> tuple[Any, Any]:
        """Returns the sums of a chunk along some axes of the array, of what is not missing, and the
        numbers of values that they are of."""
        if stream is None:
            values = np.full(self.layout.chunk, self.layout.fill, np.float64)
            there = ~(np.isnan(values) | (values == self._marker()))
            return np.where(there, values, 0).sum(tuple(plain)), there.sum(tuple(plain))
        axes = self.layout.axes
        order = np.argsort([axis for axis in axes if axis not in plain])
        if plain:
            along = tuple(number for number, axis in enumerate(axes) if axis in plain)
            both = sums_along(stream, along, None)
            return both[0].transpose(order), both[1].transpose(order)
        values = stream.decompress(dtype=np.float64).transpose(order)
        there = np.isfinite(values) & (values != self._marker())
        return np.where(there, values, 0), there

    def _marker(self) -> float:
        fill = self.layout.settings.fill
        return np.nan if fill is None else float(self.layout.dtype.type(fill))

    def _kept_shape(self) -> Place:
        return tuple(n for axis, n in enumerate(self.layout.chunk) if axis not in self.axes)

    def _in_result(self, place: Place) -> Place:
        if self.result.shard is None:
            return ()
        if self.kept:
            return tuple(0 if axis in self.axes else at for axis, at in enumerate(place))
        return tuple(at for axis, at in enumerate(place) if axis not in self.axes)

    def _compress(self, sums: Any, counts: Any) -> ghz.Stream:
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            values = np.where(counts == 0, np.nan, sums / counts if self.mean else sums)
            if self.kept:
                values = np.expand_dims(values, self.axes[0])
            values = values.astype(self.result.dtype).transpose(self.result.axes)
        return self.result.settings.compress(values)


def _weighted(values: Any, weights: Any, axis: int | None) -> Any:
    """Returns the weighted sum along an axis; without one they were added with one weight."""
    if axis is None:
        return values * float(weights[0])
    some = values.take(range(len(weights)), axis)
    return np.tensordot(weights.astype(np.float64), some, (0, axis))
