# _nodes.py: owns arrays and groups as sums see them: opened, listed, named; and their metadata.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import asyncio
import time
import warnings
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import zarr
import zarr.api.asynchronous
from zarr.abc.store import Store
from zarr.core.buffer import Buffer, default_buffer_prototype
from zarr.core.sync import collect_aiterator, sync
from zarr.storage import MemoryStore

if TYPE_CHECKING:
    Array = zarr.Array[Any]
    Node = Array | zarr.Group

Source = Any  # a path, a URL, a zarr.Array, a zarr.Group, or a store of zarr.storage
Keys = dict[str, Buffer]  # what is written beside the chunks of sums
Attributes = dict[str, Any]

DIMENSIONS = "_ARRAY_DIMENSIONS"  # of Zarr 2, by xarray


def open_all(stores: list[Source]) -> list[Node]:
    """Opens all stores at once: of ten in a cloud, the time of one."""
    return sync(_open_all(stores))


async def _open_all(stores: list[Source]) -> list[Node]:
    return list(await asyncio.gather(*(_open(store) for store in stores)))


async def _open(store: Source) -> Node:
    if isinstance(store, (zarr.Array, zarr.Group)):
        return store
    writable = isinstance(store, Store) and not store.read_only
    node = await zarr.api.asynchronous.open(store=store, mode="r+" if writable else "r")
    return zarr.Group(node) if isinstance(node, zarr.AsyncGroup) else zarr.Array(node)


def name_of(node: Node) -> str:
    return str(node.store_path)


def kind_of(node: Node) -> str:
    return "an array" if isinstance(node, zarr.Array) else "a group"


def members_of(node: Node) -> dict[str, Node]:
    """Returns the node and what is below it, by path; its own is ""."""
    below = node.members(max_depth=None) if isinstance(node, zarr.Group) else ()
    return {"": node, **dict(below)}


def dimensions_of(node: Node) -> tuple[str | None, ...] | None:
    """Returns the names of an array's dimensions; None if it has none."""
    found: Any = getattr(node.metadata, "dimension_names", None)
    if found is None:
        found = node.metadata.attributes.get(DIMENSIONS)
    return None if found is None else tuple(found)


def attributes_of(node: Node) -> Attributes:
    return dict(node.metadata.attributes)


def with_attributes(node: Node, attributes: Attributes) -> Any:
    """Returns the metadata of a node, with other attributes."""
    if isinstance(node, zarr.Group):
        return replace(node.metadata, attributes=attributes, consolidated_metadata=None)
    return replace(node.metadata, attributes=attributes)


def with_history(attributes: Attributes, done: str) -> Attributes:
    """Returns the attributes of a result's root: the newest line of its history comes first, as CDO
    and NCO have it."""
    line = f"{time.ctime()}: ghz.zarr.{done}"
    old = attributes.get("history")
    return attributes | {"history": f"{line}\n{old}" if old else line}


def with_method(attributes: Attributes, method: str | None) -> Attributes:
    """Returns the attributes of an array with one more of CF's cell_methods, as in "time: mean"."""
    methods = (str(attributes.get("cell_methods", "")), method or "")
    return attributes | ({"cell_methods": " ".join(filter(None, methods))} if method else {})


def keys_of(path: str, metadata: Any) -> Keys:
    """Returns what is stored of the metadata of the node at a path."""
    written: Keys = metadata.to_buffer_dict(default_buffer_prototype())
    return {f"{path}/{key}" if path else key: value for key, value in written.items()}


def consolidated(keys: Keys, node: Node) -> Keys:
    """Returns the keys of a store, consolidated if that of the node is."""
    if getattr(node.metadata, "consolidated_metadata", None) is not None:
        with warnings.catch_warnings():  # that Zarr 3 does not specify it: the store has it already
            warnings.filterwarnings("ignore", "Consolidated metadata")
            zarr.consolidate_metadata(MemoryStore(keys))
    return keys


def copy_of(path: str, array: Array, metadata: Any) -> Keys:
    """Returns all keys of an array, with other metadata."""
    store, at = array.store_path.store, array.store_path.path
    own = keys_of(at, array.metadata)
    result = keys_of(path, metadata)
    for key in collect_aiterator(store.list_prefix(f"{at}/" if at else "")):
        value = None if key in own else sync(store.get(key, default_buffer_prototype()))
        if value is not None:
            result[f"{path}{key.removeprefix(at)}"] = value
    return result
