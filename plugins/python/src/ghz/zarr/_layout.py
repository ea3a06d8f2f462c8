# _layout.py: owns how the chunks of an array are streams: of which shape, in shards, of Zarr 2.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import zarr
from zarr.codecs import ShardingCodec, TransposeCodec

import ghz
from ghz._settings import Settings
from ghz.zarr._nodes import name_of
from ghz.zarr._shard import Shard
from ghz.zarr.codec import GhzCodec

if TYPE_CHECKING:
    from ghz.zarr._nodes import Array, Node


@dataclass(frozen=True)
class Layout:
    """How the chunks of an array are stored."""

    settings: Settings  # of the codec
    chunk: tuple[int, ...]  # extents, along the axes of the array
    axes: tuple[int, ...]  # which axis of the array each axis of a stream is
    dtype: np.dtype[Any]
    fill: Any  # the value of all values of a chunk that is not stored
    shard: Shard | None

    @property
    def shape(self) -> tuple[int, ...]:
        """Extents of a stream."""
        return tuple(self.chunk[axis] for axis in self.axes)


def has_codec(node: Node) -> bool:
    """Returns whether the chunks of an array are streams."""
    return isinstance(node, zarr.Array) and _settings(node) is not None


def _settings(array: Array) -> Settings | None:
    if array.metadata.zarr_format == 3:
        return next((codec for codec in _codecs(array)[1] if isinstance(codec, GhzCodec)), None)
    codec: Any = array.metadata.compressor
    if getattr(codec, "codec_id", None) != "ghz":
        return None
    config = {name: value for name, value in codec.get_config().items() if name != "id"}
    settings: Settings = Settings.named(config)
    return settings


def _codecs(array: Array) -> tuple[list[Any], list[Any]]:
    """Returns the codecs of shards, if there are any, and those of chunks."""
    metadata: Any = array.metadata
    outer = list(metadata.codecs)
    inner = next((list(codec.codecs) for codec in outer if isinstance(codec, ShardingCodec)), None)
    return ([], outer) if inner is None else (outer, inner)


def layout_of(array: Array) -> Layout:
    """Returns how the chunks of an array with the codec are stored; refuses streams that are
    wrapped."""
    settings = _settings(array)
    assert settings is not None
    fill = array.dtype.type(0) if array.fill_value is None else array.fill_value
    axes = tuple(range(array.ndim))
    if array.metadata.zarr_format == 2:
        _refuse(array, list(array.filters))
        axes = axes[::-1] if array.metadata.order == "F" else axes
        return Layout(settings, array.chunks, axes, array.dtype, fill, None)
    outer, inner = _codecs(array)
    others = [codec for codec in outer if not isinstance(codec, ShardingCodec)]
    others += [codec for codec in inner if not isinstance(codec, (TransposeCodec, GhzCodec))]
    _refuse(array, others)
    for codec in inner:
        if isinstance(codec, TransposeCodec):
            axes = tuple(axes[axis] for axis in codec.order)
    if not outer:
        return Layout(settings, array.chunks, axes, array.dtype, fill, None)
    assert array.shards is not None
    counts = tuple(s // c for s, c in zip(array.shards, array.chunks))
    return Layout(settings, array.chunks, axes, array.dtype, fill, Shard.of(outer[0], counts))


def _refuse(array: Array, others: list[Any]) -> None:
    if others:
        what = ", ".join(_codec_name(codec) for codec in others)
        need = "sums need compressors=None and no filters but transpose"
        raise ghz.ArgumentError(f"{name_of(array)}: the codecs are ghz and {what}; {need}")


def _codec_name(codec: Any) -> str:
    found = getattr(codec, "codec_id", None)
    return str(codec.to_dict()["name"] if found is None else found)


def keys_in(array: Array, layout: Layout) -> Iterator[tuple[int, ...]]:
    """Yields the places of what is stored under a key of its own: chunks, or shards."""
    counts = [1] * array.ndim if layout.shard is None else layout.shard.counts
    grid = zip(array.shape, layout.chunk, counts)
    return itertools.product(*(range(-(-n // (c * k))) for n, c, k in grid))
