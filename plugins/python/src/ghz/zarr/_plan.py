# _plan.py: owns what a sum of stores consists of: metadata, chunks, and what has to agree.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import itertools
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import zarr
from zarr.codecs import TransposeCodec
from zarr.core.buffer import Buffer, default_buffer_prototype
from zarr.core.sync import collect_aiterator, sync
from zarr.storage import MemoryStore, StorePath

import ghz
from ghz.zarr._chunk import Chunk
from ghz.zarr.codec import GhzCodec

if TYPE_CHECKING:
    Array = zarr.Array[Any]
    Node = Array | zarr.Group

Keys = dict[str, Buffer]  # what is written beside the chunks of sums

AGREE = ("shape", "data_type", "chunk_grid", "codecs", "fill_value")
DECODING = (("scale_factor", 1), ("add_offset", 0))  # attributes that xarray decodes values by


def plan(mean: bool, nodes: list[Node], target: StorePath) -> tuple[Keys, list[Chunk]]:
    """Returns the metadata and copied arrays of the result, and its chunks that are sums."""
    every = [_members(node) for node in nodes]
    first = every[0]
    for members in every[1:]:
        _check_members(members, first)
    keys: Keys = {}
    chunks: list[Chunk] = []
    for path, node in first.items():
        same: Any = [members[path] for members in every]
        if isinstance(node, zarr.Group):
            keys |= _metadata(path, replace(node.metadata, consolidated_metadata=None))
        elif _has_codec(node):
            keys |= _metadata(path, _result(mean, node, len(nodes)))
            chunks += _chunks(mean, same, target / path)
        else:
            keys |= _copy(path, same)
    if not any(_has_codec(node) for node in first.values()):
        raise ghz.ArgumentError(f"{_name(nodes[0])}: no array has the codec ghz")
    if getattr(nodes[0].metadata, "consolidated_metadata", None) is not None:
        zarr.consolidate_metadata(MemoryStore(keys))
    return keys, chunks


def _name(node: Node) -> str:
    return str(node.store_path)


def _members(node: Node) -> dict[str, Node]:
    if node.metadata.zarr_format != 3:
        raise ghz.ArgumentError(f"{_name(node)}: Zarr format 2; sums are of format 3")
    below = node.members(max_depth=None) if isinstance(node, zarr.Group) else ()
    return {"": node, **dict(below)}


def _check_members(members: dict[str, Node], first: dict[str, Node]) -> None:
    for path in sorted(members.keys() | first.keys()):  # "" first: an array or a group
        if path not in members or path not in first:
            has, lacks = (members, first) if path in members else (first, members)
            raise ghz.MismatchError(f"{_name(lacks[''])}: no {path!r}, which {_name(has[''])} has")
        one, two = members[path], first[path]
        if _kind(one) != _kind(two):
            raise ghz.MismatchError(f"{_name(one)}: {_kind(one)}, but {_name(two)} is {_kind(two)}")
        if isinstance(one, zarr.Array) and isinstance(two, zarr.Array):
            _check_array(one, two)


def _kind(node: Node) -> str:
    return "an array" if isinstance(node, zarr.Array) else "a group"


def _check_array(array: Array, first: Array) -> None:
    for field in AGREE:
        one, two = getattr(array.metadata, field), getattr(first.metadata, field)
        if one != two and not (one != one and two != two):  # NaN is a fill value, too
            what = f"{field} {one}, but {two} in {_name(first)}"
            raise ghz.MismatchError(f"{_name(array)}: {what}")
    for name, default in DECODING:
        one, two = (a.metadata.attributes.get(name, default) for a in (array, first))
        if one != two:
            what = f"{name} {one}, but {two} in {_name(first)}; store the decoded values"
            raise ghz.MismatchError(f"{_name(array)}: {what}")


def _has_codec(node: Node) -> bool:
    """Returns whether the chunks of an array are streams; refuses streams that are wrapped."""
    if not isinstance(node, zarr.Array) or not isinstance(node.serializer, GhzCodec):
        return False
    if node.shards is not None:
        raise ghz.ArgumentError(f"{_name(node)}: sharded; sums need chunks with keys of their own")
    others = [c for c in node.filters if not isinstance(c, TransposeCodec)] + [*node.compressors]
    if others:
        what = ", ".join(str(codec.to_dict()["name"]) for codec in others)
        need = "sums need compressors=None and no filters but transpose"
        raise ghz.ArgumentError(f"{_name(node)}: the codecs are ghz and {what}; {need}")
    return True


def _metadata(path: str, metadata: Any) -> Keys:
    written: Keys = metadata.to_buffer_dict(default_buffer_prototype())
    return {f"{path}/{key}" if path else key: value for key, value in written.items()}


def _result(mean: bool, array: Array, k: int) -> Any:
    """Returns the metadata of a sum: where no array has a chunk, it is that of their fill values."""
    dtype, fill = array.dtype, array.fill_value
    offset = array.metadata.attributes.get("add_offset", 0)
    if not mean and offset != 0:
        what = f"add_offset {offset}, which a sum would have only once; store the decoded values"
        raise ghz.ArgumentError(f"{_name(array)}: {what}")
    marker = getattr(array.serializer, "fill", None)
    if mean or (marker is not None and fill == dtype.type(marker)):
        return array.metadata
    with np.errstate(over="ignore"):
        return replace(array.metadata, fill_value=dtype.type(float(fill) * k))


def _chunks(mean: bool, arrays: list[Array], target: StorePath) -> list[Chunk]:
    first = arrays[0]
    shape = first.chunks
    for transpose in first.filters:
        assert isinstance(transpose, TransposeCodec)  # _has_codec has seen to it
        shape = tuple(shape[axis] for axis in transpose.order)
    places = itertools.product(*(range(count) for count in first.cdata_shape))
    result = []
    for place in places:
        sources = [a.store_path / a.metadata.encode_chunk_key(place) for a in arrays]
        there = target / first.metadata.encode_chunk_key(place)
        result.append(Chunk(mean, sources, there, shape, first.dtype, first.fill_value))
    return result


def _copy(path: str, arrays: list[Array]) -> Keys:
    """Returns all keys of an array of another codec, which must have equal values in all stores."""
    first = arrays[0]
    values = first[...]
    for array in arrays[1:]:
        if not _equal(values, array[...]):
            what = f"values differ from those of {_name(first)}"
            raise ghz.MismatchError(f"{_name(array)}: {what}, and it has not the codec ghz")
    store, at = first.store_path.store, first.store_path.path
    found = collect_aiterator(store.list_prefix(f"{at}/" if at else ""))
    result: Keys = {}
    for key in found:
        value = sync(store.get(key, default_buffer_prototype()))
        if value is not None:
            result[f"{path}{key.removeprefix(at)}"] = value
    return result


def _equal(one: Any, two: Any) -> bool:
    one, two = np.asarray(one), np.asarray(two)
    return np.array_equal(one, two, equal_nan=one.dtype.kind in "fcmM")
