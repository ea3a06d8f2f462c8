# _run.py: owns the making of results: chunks by a map, then what makes each a store; or nothing.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import contextlib
import operator
import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import zarr
from zarr.abc.store import Store
from zarr.core.sync import sync
from zarr.storage import FsspecStore, LocalStore, StorePath

import ghz

if TYPE_CHECKING:
    from ghz.zarr._nodes import Node
    from ghz.zarr._plan import Plan

Map = Callable[[Callable[[Any], None], list[Any]], Iterable[None]]


def target_of(out: Any) -> StorePath:
    """Returns the place of a result, which has to be empty."""
    target = _place(out)
    if not sync(target.is_empty()):
        raise FileExistsError(f"{target} is not empty")
    return target


def targets_of(out: Any, sources: list[StorePath]) -> list[StorePath]:
    """Returns the place of a result for each store: those of a list, or in a folder the name of the
    store."""
    if isinstance(out, Iterable) and not isinstance(out, str):
        every = list(out)
        if len(every) != len(sources):
            raise ghz.ArgumentError(f"{len(every)} places for the results of {len(sources)} stores")
    else:
        names = [str(source).rstrip("/").rpartition("/")[2] for source in sources]
        if len(set(names)) < len(names):
            raise ghz.ArgumentError(
                "stores of the same name: give a list of places in place of one"
            )
        every = [_inside(out, name) for name in names]
    return [target_of(one) for one in every]


def _inside(folder: Any, name: str) -> Any:
    if isinstance(folder, (Store, StorePath)):
        return _place(folder) / name
    return f"{folder}/{name}" if "://" in str(folder) else os.path.join(folder, name)


def _place(out: Any) -> StorePath:
    if isinstance(out, StorePath):
        return out
    if isinstance(out, Store):
        store = out
    else:
        store = FsspecStore.from_url(str(out)) if "://" in str(out) else LocalStore(out)
    return sync(StorePath.open(store, ""))


def make(targets: list[StorePath], plan: Callable[[], Plan], map: Map | None) -> list[Node]:
    """Makes what is planned; after an error nothing is left."""
    try:
        planned = plan()
        _run(planned.chunks, map)
        for target, keys in zip(targets, planned.keys):
            for key in sorted(
                keys, key=lambda key: key.count("/"), reverse=True
            ):  # what makes it a Zarr store, last
                sync((target / key).set(keys[key]))
    except BaseException:
        for target in targets:
            with contextlib.suppress(NotImplementedError):  # a zip file keeps what it has: chunks
                sync(target.delete_dir())
        raise
    return [zarr.open(store=target, mode="r+") for target in targets]


def _run(chunks: list[Any], map: Map | None) -> None:
    if map is not None:
        for _ in map(operator.call, chunks):
            pass
        return
    pool = ThreadPoolExecutor(len(os.sched_getaffinity(0)))
    try:
        for _ in pool.map(operator.call, chunks):
            pass
    finally:
        pool.shutdown(cancel_futures=True)
