# _layout.py: owns how the chunks of an array are streams: of which shape, in shards, of Zarr 2.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import zarr
from zarr.codecs import ShardingCodec, TransposeCodec

import ghz
from ghz._settings import Settings
from ghz.zarr._nodes import members_of, name_of
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

    @property
    def key_shape(self) -> tuple[int, ...]:
        """Extents of what is stored under a key: a chunk, or a shard."""
        counts = (1,) * len(self.chunk) if self.shard is None else self.shard.counts
        return tuple(c * k for c, k in zip(self.chunk, counts))


class CannotSum(ghz.ArgumentError):
    """An array whose chunks cannot be added; others of the store can."""

    def __init__(self, array: Array, what: str) -> None:
        super().__init__(f"{name_of(array)}: {what}; variables= leaves it out")


def same(one: Any, two: Any) -> bool:
    return bool(one == two or (one != one and two != two))  # NaN is a fill value, too


def chosen(node: Node, variables: Iterable[str] | None) -> dict[str, Node]:
    """Returns the node and what is below it, by path, but for arrays with the codec that are not of
    these names or paths."""
    members = members_of(node)
    if variables is None:
        return members
    names = {variables} if isinstance(variables, str) else set(variables)
    coded = {path: {path, path.rpartition("/")[2]} for path in members if has_codec(members[path])}
    if unknown := sorted(names - set().union(*coded.values())):
        have = ", ".join(coded) or "none"
        raise ghz.ArgumentError(
            f"{name_of(node)}: no {unknown[0]!r} with the codec ghz, but {have}"
        )
    return {p: node for p, node in members.items() if p not in coded or coded[p] & names}


def has_codec(node: Node) -> bool:
    """Returns whether the chunks of an array are streams."""
    return isinstance(node, zarr.Array) and settings_of(node) is not None


def settings_of(array: Array) -> Settings | None:
    if array.metadata.zarr_format == 3:
        return next((codec for codec in _codecs(array)[1] if isinstance(codec, GhzCodec)), None)
    codec: Any = array.metadata.compressor
    if getattr(codec, "codec_id", None) != "ghz":
        return None
    config = {name: value for name, value in codec.get_config().items() if name != "id"}
    settings: Settings = Settings.named(config).of(array.dtype)
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
    settings = settings_of(array)
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
        raise CannotSum(array, f"the codecs are ghz and {what}; {need}")


def _codec_name(codec: Any) -> str:
    found = getattr(codec, "codec_id", None)
    return str(codec.to_dict()["name"] if found is None else found)


def keys_in(array: Array, layout: Layout) -> Iterator[tuple[int, ...]]:
    """Yields the places of what is stored under a key of its own: chunks, or shards."""
    return itertools.product(*(range(-(-n // k)) for n, k in zip(array.shape, layout.key_shape)))
