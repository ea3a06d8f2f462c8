# test_quality.py: owns the tests of ghz.compare, whose numbers are those of `ghz compare`, against
# NumPy's.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ghz
from conftest import field


def ssim(x: Any, y: Any) -> float:
    """Data SSIM of a plane, window by window."""
    there = np.isfinite(x) & np.isfinite(y)
    both = np.concatenate([x[there], y[there]])
    if both.min() == both.max():
        return 1.0
    x, y = (np.where(there, (v - both.min()) / (both.max() - both.min()), 0) for v in (x, y))
    x, y = (np.round(v * 255) / 255 for v in (x, y))
    line = np.exp(-(np.arange(-5, 6) ** 2) / (2 * 1.5**2))
    found = []
    for i in range(x.shape[0] - 10):
        for j in range(x.shape[1] - 10):
            if not there[i + 5, j + 5]:
                continue
            at = np.s_[i : i + 11, j : j + 11]
            w = np.outer(line, line) * there[at]
            w = w / w.sum()
            a, b = (w * x[at]).sum(), (w * y[at]).sum()
            aa, bb = (w * (x[at] - a) ** 2).sum(), (w * (y[at] - b) ** 2).sum()
            ab = (w * (x[at] - a) * (y[at] - b)).sum()
            top = (2 * a * b + 1e-8) * (2 * ab + 1e-8)
            found.append(top / ((a * a + b * b + 1e-8) * (aa + bb + 1e-8)))
    return float(np.mean(found))


def pair(dtype: str, missing: float) -> tuple[Any, Any]:
    x = field((3, 2, 19, 25)).astype(dtype)
    y = x + np.random.default_rng(7).normal(0, 0.02, x.shape).astype(dtype)
    for array in (x, y):
        array[:, :, 4:7, 20:] = missing
        array[1, 1] = missing  # a plane without values
    y[2, 0] = x[2, 0] * dtype_of(dtype)(0.5)
    y[2, 0, 4:7, 20:] = missing
    return x, y


def dtype_of(dtype: str) -> Any:
    return np.dtype(dtype).type


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("missing", [np.nan, 1e20])
def test_numbers(dtype: str, missing: float) -> None:
    x, y = pair(dtype, missing)
    q = ghz.compare(x, y, fill_value=None if np.isnan(missing) else missing)
    x, y = (np.where(v == dtype_of(dtype)(missing), np.nan, v.astype("f8")) for v in (x, y))
    error, there = y - x, np.isfinite(x)
    assert (q.count, q.finite, q.mismatches) == (x.size, there.sum(), 0)
    assert q.max_error == np.nanmax(abs(error))
    assert q.place == np.unravel_index(np.nanargmax(abs(error)), x.shape)
    rms = np.sqrt(np.nanmean(error**2))
    assert np.isclose(q.rms, rms, rtol=1e-12) and np.isclose(q.bias, np.nanmean(error), rtol=1e-9)
    assert np.isclose(q.nrmse, rms / np.ptp(x[there]), rtol=1e-12)
    assert np.isclose(q.psnr, -20 * np.log10(q.nrmse), rtol=1e-12)
    assert np.isclose(q.correlation, np.corrcoef(x[there], y[there])[0, 1], rtol=1e-12)
    for axis in range(4):
        far = abs(np.diff(y, axis=axis) - np.diff(x, axis=axis))
        assert np.isclose(q.neighbours[axis], np.nanmax(far), rtol=1e-9)
    places = [p for p in np.ndindex(3, 2) if p != (1, 1)]
    every = [ssim(x[p], y[p]) for p in places]
    assert np.isclose(q.ssim, min(every), rtol=1e-9) and q.ssim_plane == (2, 0)
    assert np.isclose(q.ssim_mean, np.mean(every), rtol=1e-9) and min(every) < 0.9


def test_integers_and_fills() -> None:
    x = np.array([0, 3, 255], "u1")
    for fill in (-999, 1e20, np.nan):
        assert ghz.compare(x, x + np.uint8(0), fill_value=fill).finite == 3
    assert ghz.compare(x, x, fill_value=255).finite == 2
    for wide in (2**53, -(2**53)):
        with pytest.raises(ghz.ArgumentError, match="2\\^53"):
            ghz.compare(np.array([wide]), np.array([0]))
    y = np.array([1, 2, 1e20], "f4")
    s = ghz.compress(y, abs=1e-3, fill_value=1e20)
    assert ghz.compare(y, s).finite == 2
    z = np.array([1, 2, -999], "f4")  # two streams, each with its own
    q = ghz.compare(s, ghz.compress(z, abs=1e-3, fill_value=-999))
    assert (q.finite, q.mismatches) == (2, 0)


def test_orders_streams_and_what_there_is_not() -> None:
    x = field((20, 30))
    stream = ghz.compress(x, abs=0.01)
    q = ghz.compare(x, stream)
    assert q == ghz.compare(np.asfortranarray(x), stream.decompress()) and 0 < q.max_error <= 0.01
    same = ghz.compare(x, x)
    assert (same.psnr, same.correlation, same.ssim, same.ssim_plane) == (np.inf, 1, 1, ())
    flat = ghz.compare(np.ones(5), np.zeros(5))
    assert flat.max_error == 1 and flat.place == (0,) and flat.neighbours == (0,)
    assert np.isnan([flat.psnr, flat.correlation, flat.ssim]).all() and flat.ssim_plane is None
    assert ghz.compare(np.ones((12, 12)), np.ones((12, 12))).ssim == 1
    assert np.isnan(ghz.compare(np.ones((10, 12)), np.ones((10, 12))).ssim)  # no window fits
    none = ghz.compare(np.zeros((0, 3)), np.zeros((0, 3)))
    assert none.count == 0 and none.place is None and np.isnan(none.rms)
    odd = ghz.compare([1, np.nan, np.inf, 2], [1, np.nan, -np.inf, np.nan])
    assert (odd.finite, odd.mismatches) == (1, 2)
    assert ghz.compare(3, 5).max_error == 2
    with pytest.raises(ghz.ArgumentError, match=r"shape \(2,\), the result \(3,\)"):
        ghz.compare(np.zeros(2), np.zeros(3))
    with pytest.raises(ghz.ArgumentError, match="33 dimensions"):
        ghz.compare(np.zeros((1,) * 33), np.zeros((1,) * 33))
    with pytest.raises(TypeError, match="numbers are compared, and this is complex128"):
        ghz.compare(np.zeros(2, complex), np.zeros(2))
