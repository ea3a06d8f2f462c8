# stores.py: owns sums and means of Zarr arrays and groups, whose chunks are never decompressed.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import zarr
import zarr.api.asynchronous
from zarr.abc.store import Store
from zarr.core.sync import sync
from zarr.storage import FsspecStore, LocalStore, StorePath

import ghz
from ghz.zarr._chunk import Chunk, combine
from ghz.zarr._plan import plan

if TYPE_CHECKING:
    from ghz.zarr._plan import Node

Source = Any  # a path, a URL, a zarr.Array, a zarr.Group, or a store of zarr.storage
Map = Callable[[Callable[[Chunk], None], list[Chunk]], Iterable[None]]


def sum(stores: Iterable[Source], out: Any, *, map: Map | None = None) -> Node:
    """Adds Zarr arrays, or the arrays of Zarr groups, chunk by chunk as they are compressed.

    Args:
        stores: Arrays of one shape, chunk shape, data type, codec and fill value: paths, URLs,
            stores, arrays, groups. In groups, arrays of other codecs (coordinates) must be equal,
            and are copied. A chunk that a store lacks is its fill value everywhere.
        out: Where the result goes: a path, a URL or a store, empty. Its attributes are those of the
            first store. It becomes a Zarr array or group when all its chunks are there.
        map: Calls a function for each chunk. By default that of a pool of one thread a core; the
            map of any other pool does, too, or what Dask makes of it.

    Returns:
        The array or group `out`; each chunk has the sum of the bounds of those that went in.

    Raises:
        MismatchError: The stores differ; the message names the store.
        CorruptError: A chunk is damaged; the message names it.
        FileExistsError: `out` is not empty.
        TypeError: One store instead of several.
    """
    return _make(False, stores, out, map)


def mean(stores: Iterable[Source], out: Any, *, map: Map | None = None) -> Node:
    """Averages Zarr arrays, or the arrays of Zarr groups, chunk by chunk as they are compressed.

    Args:
        stores: As in ghz.zarr.sum.
        out: As in ghz.zarr.sum.
        map: As in ghz.zarr.sum.

    Returns:
        The array or group `out`; each chunk has the mean of the bounds of those that went in.

    Raises:
        MismatchError: As in ghz.zarr.sum, which has the other errors, too.
    """
    return _make(True, stores, out, map)


def _make(mean: bool, stores: Iterable[Source], out: Any, map: Map | None) -> Node:
    if isinstance(stores, (str, os.PathLike, zarr.Array, zarr.Group)):
        raise TypeError(f"give a list of stores, not one {type(stores).__name__}")
    stores = list(stores)
    if not stores:
        raise ghz.ArgumentError("no store to add")
    target = _target(out)
    if not sync(target.is_empty()):
        raise FileExistsError(f"{target} is not empty")
    try:
        keys, chunks = plan(mean, sync(_open(stores)), target)
        _run(chunks, map)
        for key in sorted(keys, key=_depth, reverse=True):  # what makes it a Zarr store, last
            sync((target / key).set(keys[key]))
    except BaseException:
        with contextlib.suppress(NotImplementedError):  # a zip file keeps what it has: chunks alone
            sync(target.delete_dir())
        raise
    return zarr.open(store=target, mode="r+")


def _run(chunks: list[Chunk], map: Map | None) -> None:
    if map is not None:
        for _ in map(combine, chunks):
            pass
        return
    pool = ThreadPoolExecutor(len(os.sched_getaffinity(0)))
    try:
        for _ in pool.map(combine, chunks):
            pass
    finally:
        pool.shutdown(cancel_futures=True)


def _depth(key: str) -> int:
    return key.count("/")


def _target(out: Any) -> StorePath:
    if isinstance(out, StorePath):
        return out
    if isinstance(out, Store):
        store = out
    else:
        store = FsspecStore.from_url(str(out)) if "://" in str(out) else LocalStore(out)
    return sync(StorePath.open(store, ""))


async def _open(stores: list[Source]) -> list[Node]:
    """Opens all stores at once: of ten in a cloud, the time of one."""
    return list(await asyncio.gather(*(_open_one(store) for store in stores)))


async def _open_one(store: Source) -> Node:
    if isinstance(store, (zarr.Array, zarr.Group)):
        return store
    writable = isinstance(store, Store) and not store.read_only
    node = await zarr.api.asynchronous.open(store=store, mode="r+" if writable else "r")
    return zarr.Group(node) if isinstance(node, zarr.AsyncGroup) else zarr.Array(node)
