# stores.py: owns sums, means and differences of Zarr arrays and groups, whose chunks are never
# decompressed.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import zarr

import ghz
from ghz.zarr._agree import agree
from ghz.zarr._axis import Request, plan_along
from ghz.zarr._layout import chosen
from ghz.zarr._nodes import Source, open_all
from ghz.zarr._operation import operation
from ghz.zarr._plan import plan, plan_each
from ghz.zarr._run import Map, make, target_of, targets_of

if TYPE_CHECKING:
    from ghz.zarr._nodes import Node


def sum(
    stores: Source | Iterable[Source],
    out: Any,
    *,
    axis: str | Sequence[str] | None = None,
    by: Any = None,
    weights: Mapping[str, Any] | None = None,
    variables: Iterable[str] | None = None,
    differing_places: bool = False,
    map: Map | None = None,
) -> Node:
    """Adds Zarr arrays, or the arrays of Zarr groups, chunk by chunk as they are compressed; with
    axis=, the steps of one store along that axis.

        ghz.zarr.sum(members, "sum.zarr")
        ghz.zarr.sum("rain.zarr", "year.zarr", axis="time", by="year")

    Args:
        stores: Arrays of one shape, chunk shape, data type, codec and fill value: paths, URLs,
            stores, arrays, groups. In groups, arrays of other codecs (coordinates) are copied. A
            chunk that a store lacks is its fill value everywhere. With axis= one store.
        out: Where the result goes: a path, a URL or a store, empty. It becomes a Zarr array or
            group when all its chunks are there.
        axis: The name of a dimension, or several: the result lacks them. Where chunks are one step
            of a single axis they are added as they are compressed, and a missing value makes the
            sum missing. Elsewhere missing values are left out, and the sums within chunks are
            compressed again, under the bound of the array's codec.
        by: Groups of the steps of a single axis, each of which gets a step of the result: a label
            for each step, or the name of what the dates of the axis have, as "season", "month".
        weights: Numbers for the steps of axes, by name. Whole ones where chunks are added as they
            are.
        variables: The names of the arrays with the codec that the result has; by default all. Of
            these, along an axis, those that cannot be summed are left out, with a warning.
        differing_places: True adds values at other latitudes, longitudes or levels, too. Times may
            differ, and a warning says so.
        map: Calls a function for each chunk. By default that of a pool of one thread a core; the
            map of any other pool does, too, or what Dask makes of it.

    Returns:
        The array or group `out`; each chunk has the sum of the bounds of those that went in, times
        their weights. Where sums were compressed again their bound is added. Coordinates and
        attributes are those of the first store; a warning names what others have otherwise.

    Raises:
        MismatchError: The stores differ, or their places; the message names the store.
        CorruptError: A chunk is damaged; the message names it.
        FileExistsError: `out` is not empty.
        TypeError: One store instead of several, or several with axis=.
        ArgumentError: An axis that is not there; labels or weights that do not fit it.
    """
    if request := _request(False, axis, by, weights, variables):
        return _along(request, stores, out, map)
    how = variables, differing_places
    return _combine("sum", _several(stores), out, how, map)


def mean(
    stores: Source | Iterable[Source],
    out: Any,
    *,
    axis: str | Sequence[str] | None = None,
    by: Any = None,
    weights: Mapping[str, Any] | None = None,
    variables: Iterable[str] | None = None,
    differing_places: bool = False,
    map: Map | None = None,
) -> Node:
    """Averages Zarr arrays, or the arrays of Zarr groups, chunk by chunk as they are compressed; with
    axis=, the steps of one store along that axis.

        ghz.zarr.mean(members, "mean.zarr")
        ghz.zarr.mean("months.zarr", "seasons.zarr", axis="time", by="season",
                      weights={"time": days})

    Args:
        stores, out, axis, by, weights, variables, differing_places, map: As in ghz.zarr.sum.

    Returns:
        The array or group `out`; each chunk has the mean of the bounds of those that went in. Where
        means were compressed again the bound of that is added.

    Raises:
        MismatchError: As in ghz.zarr.sum, which has the other errors, too.
    """
    if request := _request(True, axis, by, weights, variables):
        return _along(request, stores, out, map)
    how = variables, differing_places
    return _combine("mean", _several(stores), out, how, map)


def subtract(
    a: Source,
    b: Source,
    out: Any,
    *,
    variables: Iterable[str] | None = None,
    differing_places: bool = False,
    map: Map | None = None,
) -> Node:
    """Subtracts a Zarr array, or the arrays of a group, chunk by chunk as they are compressed.

        ghz.zarr.mean(members, "mean.zarr")
        ghz.zarr.subtract(members[0], "mean.zarr", "anomaly.zarr")  # the mean was made of it

    Args:
        a: As one of the stores of ghz.zarr.sum.
        b: Another one, or a mean of such.
        out: As in ghz.zarr.sum.
        map: As in ghz.zarr.sum.

    Returns:
        The array or group `out`; each chunk has the sum of the bounds of both.

    Raises:
        MismatchError: As in ghz.zarr.sum, which has the other errors, too. Or the steps of chunks
            are no multiples of each other.
    """
    return _combine("difference", [a, b], out, (variables, differing_places), map)


def anomalies(
    stores: Iterable[Source],
    out: Any,
    *,
    variables: Iterable[str] | None = None,
    differing_places: bool = False,
    map: Map | None = None,
) -> list[Node]:
    """Subtracts from each of several Zarr arrays or groups the mean of all, chunk by chunk as they
    are compressed. Each chunk is read once.

    Args:
        stores: As in ghz.zarr.sum.
        out: A folder (a path, URL or store), in which each result has the name of its store; or a
            list of places, one for each store.
        variables, differing_places, map: As in ghz.zarr.sum.

    Returns:
        The arrays or groups of the results, each with the coordinates and attributes of its store;
        each chunk has at most the bound of its own and the mean of all bounds together.

    Raises:
        MismatchError: As in ghz.zarr.sum, which has the other errors, too.
        ArgumentError: Another number of places than of stores; stores of the same name.
    """
    nodes = open_all(_several(stores))
    agreed = agree(nodes, variables, differing_places)
    targets = targets_of(out, [node.store_path for node in nodes])
    every = [chosen(node, variables) for node in nodes]
    _warn(agreed.times, "each result has those of its store", 3)
    what = operation("anomalies", len(nodes))
    return make(targets, lambda: plan_each(what, agreed, every, targets), map)


def _request(mean: bool, axis: Any, by: Any, weights: Any, variables: Any) -> Request | None:
    if axis is None:
        if by is not None or weights is not None:
            raise ghz.ArgumentError("by= and weights= go with axis=")
        return None
    names = [axis] if isinstance(axis, str) else list(axis)
    if not names or len(set(names)) < len(names):
        raise ghz.ArgumentError(f"axis={axis!r}: names of dimensions are needed, each once")
    if by is not None and len(names) > 1:
        raise ghz.ArgumentError(f"by= groups the steps of one axis, not of {len(names)}")
    given = {} if weights is None else weights
    if not isinstance(given, Mapping):
        raise TypeError(f"weights: a mapping from axes to arrays, not {type(given).__name__}")
    if others := sorted(set(given) - set(names)):
        raise ghz.ArgumentError(f"weights of {others[0]!r}, which is not in axis={axis!r}")
    return Request(mean, names, by, given, variables)


def _along(request: Request, store: Source, out: Any, map: Map | None) -> Node:
    if isinstance(store, (list, tuple)):
        raise TypeError("axis= is of one store: give that, not a list")
    (root,) = open_all([store])
    target = target_of(out)
    (made,) = make([target], lambda: plan_along(request, root, target), map)
    if request.dropped:
        what = ", ".join(request.dropped)
        warnings.warn(
            f"the result lacks what has the axis and cannot be summed: {what}", stacklevel=3
        )
    return made


def _several(stores: Iterable[Source]) -> list[Source]:
    if isinstance(stores, (str, os.PathLike, zarr.Array, zarr.Group)):
        raise TypeError(f"give a list of stores, not one {type(stores).__name__}")
    found = list(stores)
    if not found:
        raise ghz.ArgumentError("no store to add")
    return found


def _combine(kind: str, stores: list[Source], out: Any, how: Any, map: Map | None) -> Node:
    agreed = agree(open_all(stores), *how)
    target = target_of(out)
    _warn(agreed.differ, "the result has what the first one has", 4)
    return make([target], lambda: plan(operation(kind, len(stores)), agreed, target), map)[0]


def _warn(differ: list[str], takes: str, level: int) -> None:
    """Names to the caller of the package what is not the same in all stores."""
    if differ:
        what = ", ".join(differ)
        warnings.warn(f"the stores differ in {what}; {takes}", stacklevel=level)
