# _chunk.py: owns one chunk, or shard, of a result: it is read, added and written as it is
# compressed.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from zarr.core.buffer import default_buffer_prototype
from zarr.core.sync import sync
from zarr.storage import StorePath

import ghz
from ghz.zarr._layout import Layout
from ghz.zarr._operation import Operation
from ghz.zarr.codec import stream_of

PROTOTYPE = default_buffer_prototype()


@dataclass(frozen=True)
class Chunk:
    """What one chunk, or shard, of each result is made of. Can be pickled if the stores can."""

    operation: Operation
    sources: Sequence[StorePath]  # the same chunk of each array
    targets: Sequence[StorePath]  # of each result
    layout: Layout

    def __call__(self) -> None:
        """Makes the chunk of each result; none if no array has this chunk."""
        found = [self._split(source) for source in self.sources]
        results: list[dict[Any, Any]] = [{} for _ in self.targets]
        for place in dict.fromkeys(place for parts in found for place in parts):
            streams = [parts.get(place) for parts in found]
            for result, stream in zip(results, self._combine(streams)):
                result[place] = self.layout.settings.stored(stream)
        for target, result in zip(self.targets, results):
            if result:
                write(target, join(result, self.layout))

    def _split(self, source: StorePath) -> dict[Any, ghz.Stream]:
        try:
            return split(read(source), self.layout)
        except ghz.Error as error:
            raise type(error)(f"{source}: {error}") from error

    def _combine(self, found: list[ghz.Stream | None]) -> list[ghz.Stream]:
        there = [stream for stream in found if stream is not None]
        streams = there
        if len(there) < len(found):
            # A fill value is added as any other: zeros take no bytes, NaN makes the sum NaN.
            missing = missing_like(there[0], self.layout)
            streams = [missing if stream is None else stream for stream in found]
        try:
            return self.operation.combine(streams)
        except ghz.Error as error:
            culprit = culprit_of(self.sources, streams)
            raise type(error)(f"{culprit}: {error}") from error


def culprit_of(sources: Sequence[StorePath], streams: Sequence[ghz.Stream]) -> StorePath:
    """Returns whose stream it is that is damaged, or that differs from the first."""
    pairs = [[stream, stream] for stream in streams] + [[streams[0], stream] for stream in streams]
    for source, pair in zip([*sources, *sources], pairs):
        try:
            ghz.mean(pair)
        except ghz.Error:
            return source
    return sources[0]


def missing_like(stream: ghz.Stream, layout: Layout) -> ghz.Stream:
    """Returns a stream of the fill value that can be added to a stream: on its lattice, which nothing
    can be compressed on if it is that of a mean."""
    plain = ghz.compress(np.full(layout.shape, layout.fill, stream.lattice.dtype), like=stream)
    return plain if plain.lattice == stream.lattice else ghz.linear([plain, stream], [1, 0])


def split(data: Any, layout: Layout) -> dict[Any, ghz.Stream]:
    """Returns the streams of what is stored under a key, by their place in the shard; of a chunk
    the place is ()."""
    if data is None:
        return {}
    chunks = {(): data} if layout.shard is None else layout.shard.split(data)
    return {place: stream_of(chunk, layout.shape, layout.dtype) for place, chunk in chunks.items()}


def join(chunks: dict[Any, Any], layout: Layout) -> Any:
    """Returns what is stored under a key, of the bytes of its streams."""
    return chunks[()] if layout.shard is None else layout.shard.join(chunks)


def read(source: StorePath) -> Any:
    """Returns what is stored as a buffer, or None."""
    # Local files and memory need no event loop: that costs more than adding a chunk does.
    store: Any = source.store
    if hasattr(store, "get_sync"):
        return store.get_sync(source.path, prototype=PROTOTYPE)
    return sync(source.get(PROTOTYPE))


def write(target: StorePath, data: Any) -> None:
    buffer = PROTOTYPE.buffer.from_bytes(data)
    store: Any = target.store
    if hasattr(store, "set_sync"):
        store.set_sync(target.path, buffer)
    else:
        sync(target.set(buffer))
