# _quality.py: owns how well a result resembles its original: the numbers of `ghz compare`.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ._arrays import Shape
from ._call import check
from ._errors import ArgumentError
from ._ghz import ffi, lib

BATCH = 1 << 18  # values


@dataclass(frozen=True)
class Quality:
    """How well a result resembles its original. NaN is a number that there is not.

    Attributes:
        count: Pairs of values.
        finite: Of these, pairs that are finite; the others are left out.
        mismatches: Of the others: one is special and the other is not, or in another way.
        max_error: The largest |result - original|.
        place: The first index where that is; None without finite pairs.
        rms: Root of the mean square of the error.
        bias: The mean of result - original.
        nrmse: rms over the range of the original.
        psnr: The same in dB; infinite without an error.
        correlation: Pearson's r.
        neighbours: Along each axis, the largest error of a difference between neighbours.
        ssim: Data SSIM (Baker et al., 2022) of planes of the last two axes: the least.
        ssim_mean: The mean of all planes.
        ssim_plane: The index of the plane that has the least; None without one.
    """

    count: int
    finite: int
    mismatches: int
    max_error: float
    place: Shape | None
    rms: float
    bias: float
    nrmse: float
    psnr: float
    correlation: float
    neighbours: tuple[float, ...]
    ssim: float
    ssim_mean: float
    ssim_plane: Shape | None


def compare(
    original: npt.ArrayLike, result: npt.ArrayLike, *, fill_value: float | None = None
) -> Quality:
    """Measures how well a result resembles its original, as `ghz compare` does.

    Args:
        original: An array of numbers, or a stream, which is decompressed.
        result: Another one of the same shape.
        fill_value: What stands for missing values in both; of a stream its own one is used if
            none is given. NaN and infinities do, too.

    Returns:
        Numbers in the units of the data; nrmse, correlation and SSIM have none.

    Raises:
        ArgumentError: The shapes differ, or have more than 32 axes.
        TypeError: An array of something else.
    """
    own = [getattr(getattr(one, "lattice", None), "fill_value", None) for one in (original, result)]
    fills = own if fill_value is None else [fill_value, fill_value]
    fills = [fills[i] if fills[i] is not None else fills[1 - i] for i in (0, 1)]
    x, y = np.asarray(original), np.asarray(result)
    for array in (x, y):
        if array.dtype.kind not in "fiub":
            raise TypeError(f"numbers are compared, and this is {array.dtype}")
        wide = array.dtype.itemsize == 8 and array.dtype.kind in "iu"
        if wide and np.any((array >= 2**53) | (array <= -(2**53))):
            raise ArgumentError("integers of 2^53 and more: float64 does not tell them apart")
    if x.shape != y.shape:
        raise ArgumentError(f"the original has the shape {x.shape}, the result {y.shape}")
    made = ffi.new("ghz_meter **")
    check(lib.ghz_meter_create(x.ndim, x.shape, made))
    meter, q = ffi.gc(made[0], lib.ghz_meter_free), ffi.new("ghz_quality *")
    for a, b in _pairs(x.reshape(-1), y.reshape(-1), fills):
        lib.ghz_meter_add(meter, *(ffi.from_buffer("double[]", v) for v in (a, b)), a.size)
    check(lib.ghz_meter_read(meter, q))
    planes = x.shape[:-2]
    return Quality(
        *(q.count, q.finite, q.mismatches, q.error, _index(q.error_at, x.shape, q.finite)),
        *(q.rms, q.bias, q.nrmse, q.psnr, q.correlation),
        *(tuple(q.neighbours[i] for i in range(x.ndim)), q.ssim, q.ssim_mean),
        _index(q.ssim_plane, planes, q.planes),
    )


def _pairs(x: Any, y: Any, fills: list[float | None]) -> Any:
    """Yields both as doubles, a batch at a time, with NaN for what is missing."""
    for begin in range(0, x.size, BATCH):
        parts = [v[begin : begin + BATCH] for v in (x, y)]
        missing = [False if f is None else p == _as(p.dtype, f) for p, f in zip(parts, fills)]
        yield [np.where(m, np.nan, p.astype(np.float64)) for m, p in zip(missing, parts)]


def _as(dtype: Any, fill_value: float) -> Any:
    return dtype.type(fill_value) if dtype.kind == "f" else fill_value


def _index(at: int, shape: Shape, there: int) -> Shape | None:
    return (
        tuple(int(i) for i in np.unravel_index(at, shape))
        if there and shape
        else ()
        if there
        else None
    )
