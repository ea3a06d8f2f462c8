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
from ghz.zarr._chunk import culprit_of, join, missing_like, read, split, write
from ghz.zarr._layout import Layout

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
        if _same(self.fill, self.result.fill):
            return None
        return self.result.settings.compress(
            np.full(self.result.shape, self.fill, self.result.dtype)
        )


def _batches(items: Iterable[Any], size: int) -> Iterator[list[Any]]:
    rest = iter(items)
    while batch := list(itertools.islice(rest, size)):
        yield batch


def _same(one: Any, two: Any) -> bool:
    return bool(one == two or (one != one and two != two))


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
    weights: Sequence[Any]  # of each axis; of the first one for each group
    divisors: Sequence[float]
    targets: Sequence[StorePath]  # of each group

    def __call__(self) -> None:
        """Makes the chunks of the results."""
        totals: dict[Place, Any] = {}
        for part in self.parts:
            try:
                self._add(part, totals)
            except ghz.Error as error:
                raise type(error)(f"{part.source}: {error}") from error
        for number, target in enumerate(self.targets):
            result = {}
            for place, total in totals.items():
                stream = self._compress(total[number] / self.divisors[number])
                result[place] = self.result.settings.stored(stream)
            write(target, join(result, self.result))

    def _add(self, part: Part, totals: dict[Place, Any]) -> None:
        """Adds the sums of all chunks of a key."""
        parts = split(read(part.source), self.layout)
        shard = self.layout.shard
        for place in [()] if shard is None else shard.places():
            inside = [place[axis] if place else 0 for axis in self.axes]
            first = [f + i * self.layout.chunk[a] for f, i, a in zip(part.first, inside, self.axes)]
            ends = [len(weights[-1]) for weights in self.weights]
            steps = [
                slice(0, max(0, min(self.layout.chunk[axis], end - begin)))
                for axis, begin, end in zip(self.axes, first, ends)
            ]
            to = self._in_result(place)
            if to not in totals:
                totals[to] = np.zeros((len(self.targets), *self._kept_shape()))
            if all(step.stop for step in steps):
                self._add_chunk(parts.get(place), first, steps, totals[to])

    def _add_chunk(
        self, stream: ghz.Stream | None, first: list[int], steps: list[slice], total: Any
    ) -> None:
        values = self._values(stream, steps)
        for axis, begin, step, weights in list(zip(self.axes, first, steps, self.weights))[:0:-1]:
            values = np.tensordot(weights[-1][begin : begin + step.stop], values, (0, axis))
        axis, begin = self.axes[0], first[0]
        for number, weights in enumerate(self.weights[0]):
            own = weights[begin : begin + steps[0].stop]
            there = np.flatnonzero(own)
            if len(there):
                total[number] += np.tensordot(own[there], values.take(there, axis), (0, axis))

    def _values(self, stream: ghz.Stream | None, steps: list[slice]) -> Any:
        """Returns the values of a chunk along the axes of the array, NaN where they are missing,
        without what lies beyond the array along those that are summed over."""
        box = [slice(None)] * len(self.layout.chunk)
        for axis, step in zip(self.axes, steps):
            box[axis] = step
        if stream is None:
            shape = [step.indices(n)[1] for step, n in zip(box, self.layout.chunk)]
            values = np.full(shape, self.layout.fill, np.float64)
        else:
            order = np.argsort(self.layout.axes)
            values = stream.decompress(dtype=np.float64).transpose(order)[tuple(box)]
        marker = self.layout.settings.fill
        if marker is not None:
            values = np.where(values == self.layout.dtype.type(marker), np.nan, values)
        return values

    def _kept_shape(self) -> Place:
        return tuple(n for axis, n in enumerate(self.layout.chunk) if axis not in self.axes)

    def _in_result(self, place: Place) -> Place:
        if self.result.shard is None:
            return ()
        if self.kept:
            return tuple(0 if axis in self.axes else at for axis, at in enumerate(place))
        return tuple(at for axis, at in enumerate(place) if axis not in self.axes)

    def _compress(self, values: Any) -> ghz.Stream:
        if self.kept:
            values = np.expand_dims(values, self.axes[0])
        with np.errstate(over="ignore"):
            values = values.astype(self.result.dtype).transpose(self.result.axes)
        return self.result.settings.compress(values)
