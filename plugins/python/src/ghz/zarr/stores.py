# stores.py: owns sums and means of Zarr arrays and groups, whose chunks are never decompressed.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import os
import warnings
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import zarr

import ghz
from ghz.zarr._agree import Agreed, Differing, agree
from ghz.zarr._nodes import Source, open_all
from ghz.zarr._operation import Mean, Operation, Sum
from ghz.zarr._plan import plan
from ghz.zarr._run import Map, make, target_of

if TYPE_CHECKING:
    from ghz.zarr._nodes import Node


def sum(
    stores: Iterable[Source], out: Any, *, differing: Differing = "drop", map: Map | None = None
) -> Node:
    """Adds Zarr arrays, or the arrays of Zarr groups, chunk by chunk as they are compressed.

    Args:
        stores: Arrays of one shape, chunk shape, data type, codec and fill value: paths, URLs,
            stores, arrays, groups. In groups, arrays of other codecs (coordinates) are copied. A
            chunk that a store lacks is its fill value everywhere.
        out: Where the result goes: a path, a URL or a store, empty. It becomes a Zarr array or
            group when all its chunks are there.
        differing: What becomes of coordinates and attributes in which the stores differ: "drop"
            leaves them out, with a warning that names them; "first" takes those of the first
            store; "error" raises MismatchError.
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
    return _combine(Sum, _several(stores), out, differing, map)


def mean(
    stores: Iterable[Source], out: Any, *, differing: Differing = "drop", map: Map | None = None
) -> Node:
    """Averages Zarr arrays, or the arrays of Zarr groups, chunk by chunk as they are compressed.

    Args:
        stores: As in ghz.zarr.sum.
        out: As in ghz.zarr.sum.
        differing: As in ghz.zarr.sum.
        map: As in ghz.zarr.sum.

    Returns:
        The array or group `out`; each chunk has the mean of the bounds of those that went in.

    Raises:
        MismatchError: As in ghz.zarr.sum, which has the other errors, too.
    """
    return _combine(Mean, _several(stores), out, differing, map)


def _several(stores: Iterable[Source]) -> list[Source]:
    if isinstance(stores, (str, os.PathLike, zarr.Array, zarr.Group)):
        raise TypeError(f"give a list of stores, not one {type(stores).__name__}")
    found = list(stores)
    if not found:
        raise ghz.ArgumentError("no store to add")
    return found


def _combine(
    kind: type[Operation], stores: list[Source], out: Any, differing: Differing, map: Map | None
) -> Node:
    agreed = agree(open_all(stores), differing)
    target = target_of(out)
    _warn(agreed)
    return make([target], lambda: plan(kind(len(stores)), agreed, [target]), map)[0]


def _warn(agreed: Agreed) -> None:
    """Names to the caller of the package what the result lacks."""
    if agreed.dropped:
        what = ", ".join(agreed.dropped)
        warnings.warn(f"the stores differ in what the result lacks: {what}", stacklevel=4)
