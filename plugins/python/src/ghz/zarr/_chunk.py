# _chunk.py: owns one chunk of a sum of arrays: it is read, added and written as it is compressed.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from zarr.core.buffer import Buffer, default_buffer_prototype
from zarr.core.sync import sync
from zarr.storage import StorePath

import ghz
from ghz.zarr.codec import stream_of

PROTOTYPE = default_buffer_prototype()


@dataclass(frozen=True)
class Chunk:
    """What one chunk of the result is made of. Can be pickled if the stores can."""

    mean: bool  # else the sum
    sources: Sequence[StorePath]  # the same chunk of each array
    target: StorePath
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    fill: Any  # the value of all values of a chunk that is not stored


def combine(chunk: Chunk) -> None:
    """Makes the chunk of the result; none if no array has this chunk."""
    found = [(source, _read(source)) for source in chunk.sources]
    there = [(source, data) for source, data in found if data is not None]
    streams = [_stream(chunk, source, data) for source, data in there]
    if not streams:
        return
    if len(streams) < len(found):
        # A fill value is added as any other: zeros take no bytes, NaN makes the sum NaN.
        missing = ghz.compress(np.full(chunk.shape, chunk.fill, chunk.dtype), like=streams[0])
        streams += [missing] * (len(found) - len(streams))
    try:
        result = ghz.mean(streams) if chunk.mean else ghz.sum(streams)
    except ghz.Error as error:
        culprit = _culprit([source for source, _ in there], streams)
        raise type(error)(f"{culprit}: {error}") from error
    _write(chunk.target, PROTOTYPE.buffer.from_bytes(result.data))


def _stream(chunk: Chunk, source: StorePath, data: Buffer) -> ghz.Stream:
    try:
        return stream_of(data, chunk.shape, chunk.dtype)
    except ghz.Error as error:
        raise type(error)(f"{source}: {error}") from error


def _culprit(sources: list[StorePath], streams: list[ghz.Stream]) -> StorePath:
    """Returns whose stream it is that is damaged, or that differs from the first."""
    for source, stream in zip(sources, streams):
        try:
            ghz.mean([streams[0], stream])
        except ghz.Error:
            return source
    return sources[0]


def _read(source: StorePath) -> Buffer | None:
    # Local files and memory need no event loop: that costs more than adding a chunk does.
    store: Any = source.store
    if hasattr(store, "get_sync"):
        found: Buffer | None = store.get_sync(source.path, prototype=PROTOTYPE)
        return found
    return sync(source.get(PROTOTYPE))


def _write(target: StorePath, data: Buffer) -> None:
    store: Any = target.store
    if hasattr(store, "set_sync"):
        store.set_sync(target.path, data)
    else:
        sync(target.set(data))
