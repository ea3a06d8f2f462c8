# _axes.py: owns sums and means of a stream along axes of its array, with weights.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ._arrays import Array, Shape, memory_shape
from ._call import call
from ._errors import ArgumentError
from ._ghz import ffi, lib

if TYPE_CHECKING:
    from ._stream import Stream

_AxisError = getattr(np, "exceptions", np).AxisError


def sums_along(stream: Stream, axis: Any, weights: Any) -> tuple[Array, Array]:
    """Returns the sums along axes, and the numbers of values, or with weights the sums of those."""
    summed = checked_axes(axis, len(stream.shape))
    if weights is None:
        return _sums(stream, summed)
    along, factors = _weights_along(weights, summed, stream.shape)
    sums, counts = _sums(stream, tuple(a for a in summed if a != along))
    kept = [a for a in range(len(stream.shape)) if a == along or a not in summed]
    position = kept.index(along)
    return _weighted(sums, factors, position), _weighted(counts, factors, position)


def means(sums: Array, counts: Array) -> Array:
    """Returns sums / counts; NaN where there is nothing to average."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(counts == 0, np.nan, sums / counts)[()]


def checked_axes(axis: Any, ndim: int) -> Shape:
    """Returns axes from 0 on, each once; raises what NumPy raises."""
    several = axis if isinstance(axis, (tuple, list)) else (axis,)
    given = tuple(operator.index(one) for one in several)
    for one in given:
        if not -ndim <= one < ndim:
            raise _AxisError(one, ndim)
    found = tuple(one % ndim for one in given)
    if len(set(found)) != len(found):
        raise ValueError("duplicate value in 'axis'")
    return found


def _sums(stream: Stream, axes: Shape) -> tuple[Array, Array]:
    """Returns sums and counts along axes, from the compressed form."""
    shape, ndim = stream.shape, len(stream.shape)
    backward = stream.order == "F"
    extents = memory_shape(shape, stream.order) or (1,)
    if len(extents) > 32:
        raise ArgumentError(f"{len(extents)} dimensions: sums along axes have 32 at most")
    bits = sum(1 << (ndim - 1 - a if backward else a) for a in axes)
    kept = tuple(extent for a, extent in enumerate(shape) if a not in axes)
    sums = np.empty(memory_shape(kept, stream.order))
    counts = np.empty(sums.shape, np.uint64)
    pointers = (
        ffi.from_buffer("double[]", sums, True),
        ffi.from_buffer("uint64_t[]", counts, True),
    )
    call(lib.ghz_sum_axes, stream._c[0], len(extents), extents, bits, *pointers)
    return (sums.T, counts.T) if backward else (sums, counts)


def _weights_along(weights: npt.ArrayLike, summed: Shape, shape: Shape) -> tuple[int, Array]:
    """Returns the axis of the weights, which is one that is summed, and the weights."""
    values = np.asarray(weights, np.float64)
    if not np.isfinite(values).all():
        raise ArgumentError("weights: NaN or infinite")
    if values.ndim == 1:
        along = [a for a in summed if shape[a] == len(values)]
    else:
        fits = values.ndim == len(shape)
        along = [a for a in summed if fits and values.size == values.shape[a] == shape[a]]
    if len(along) == 1 or (along and values.size == 1):
        return along[0], values.ravel()
    sizes = ", ".join(f"{shape[a]} along axis {a}" for a in summed)
    if along:
        raise ArgumentError(
            f"weights: {len(values)} fit several axes: {sizes}; give them as many dimensions as "
            "the stream, of extent 1 but for their axis"
        )
    raise ArgumentError(f"weights of shape {values.shape}: needed are {sizes}, which is summed")


def _weighted(values: Array, factors: Array, position: int) -> Array:
    return np.asarray(np.tensordot(values.astype(np.float64, copy=False), factors, (position, 0)))
