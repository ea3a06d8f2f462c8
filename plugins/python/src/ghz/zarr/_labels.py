# _labels.py: owns the steps of an axis: to which group each belongs, and how much it weighs.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import zarr

import ghz
from ghz.zarr._nodes import attributes_of, name_of

if TYPE_CHECKING:
    from ghz.zarr._nodes import Node


@dataclass(frozen=True)
class Groups:
    """The groups of the steps of an axis."""

    name: str  # of the dimension that they become
    labels: Any  # of each group, sorted
    of: Any  # the number of the group of each step; -1: of none


def groups_of(by: Any, axis: str, extent: int, root: Node, folder: str) -> Groups:
    """Reads labels, one for each step; or makes them of the dates of a time axis."""
    if isinstance(by, str):
        labels, name = _of_dates(by, axis, root, folder), by
    else:
        labels, name = np.asarray(by), str(getattr(by, "name", None) or "group")
    if labels.shape != (extent,):
        raise ghz.ArgumentError(
            f"by: labels of shape {labels.shape} for the {extent} steps of {axis!r}"
        )
    if labels.dtype.kind not in "iuUbfMT":
        labels = labels.astype(str)
    missing = labels != labels  # NaN, NaT
    every, of = np.unique(labels[~missing], return_inverse=True)
    numbers = np.full(extent, -1)
    numbers[~missing] = of
    if not len(every):
        raise ghz.ArgumentError(f"by: no step of {axis!r} has a label")
    return Groups(name, every, numbers)


def _of_dates(field: str, axis: str, root: Node, folder: str) -> Any:
    """Returns a field of the dates of a coordinate, as xarray has it: "season", "month", "year"."""
    try:
        import xarray
    except ImportError:
        raise ghz.ArgumentError(f"by={field!r} needs xarray: give labels, one a step") from None
    path = f"{folder}/{axis}" if folder else axis
    found = root[path] if isinstance(root, zarr.Group) and path in root else None
    if not isinstance(found, zarr.Array) or found.ndim != 1:
        what = f"by={field!r} needs the coordinate {axis!r}, of one dimension"
        raise ghz.ArgumentError(f"{name_of(root)}: {what}: give labels, one a step")
    variable = (axis, found[...], attributes_of(found))
    dates = xarray.decode_cf(xarray.Dataset(coords={axis: variable}))[axis]
    try:
        return np.asarray(getattr(dates.dt, field))
    except (AttributeError, TypeError):
        what = f"{axis!r} has no dates with a {field!r}"
        raise ghz.ArgumentError(f"{name_of(root)}: {what}: give labels, one a step") from None


def weights_of(
    weights: Mapping[str, Any], axes: Sequence[str], extents: Sequence[int]
) -> list[Any]:
    """Returns the weights of the steps of each axis; None where all are 1."""
    return [
        None if axis not in weights else _checked(weights[axis], axis, extent)
        for axis, extent in zip(axes, extents)
    ]


def _checked(weights: Any, axis: str, extent: int) -> Any:
    found = np.asarray(weights)
    if found.dtype.kind not in "biuf":
        raise TypeError(f"weights of {axis!r}: {found.dtype} is no type of numbers")
    if found.shape != (extent,):
        what = f"shape {found.shape} for {extent} steps"
        raise ghz.ArgumentError(f"weights of {axis!r}: {what}")
    if not np.isfinite(found).all():
        raise ghz.ArgumentError(f"weights of {axis!r}: not all are finite")
    return found


def whole(weights: Any, axis: str, name: str) -> Any:
    """Returns weights as integers. ArgumentError if they are none: chunks are added as they are."""
    if weights.dtype.kind == "f" and (weights != np.rint(weights)).any():
        what = f"{axis!r} has a chunk for each step, which are added as they are"
        raise ghz.ArgumentError(f"{name}: {what}: its weights must be whole numbers")
    if (np.abs(weights.astype(np.float64)) > 2**31).any():
        raise ghz.ArgumentError(f"{name}: weights of {axis!r} beyond 2^31 cannot be added")
    return weights.astype(np.int64)
