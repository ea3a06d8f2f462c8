# test_grids.py: owns tests of grids and integers: what comes back exactly, and what sums are.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ghz
from conftest import field

INTEGERS = ["i1", "i2", "i4", "i8", "u1", "u2", "u4"]


def integers(dtype: str, shape: tuple[int, ...] = (30, 40, 50)) -> Any:
    ends = np.iinfo(dtype)
    low, high = max(ends.min, -(2**44)), min(ends.max, 2**44)
    x = np.random.default_rng(3).integers(0, 60, shape).cumsum(axis=-1) % 100
    x = x.astype(dtype)
    x.flat[:2] = low, high
    return x


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("step", [0.01, float(np.float32(0.01)), 2.0**-6, 1, 25])
def test_multiples_come_back(dtype: str, step: float) -> None:
    x = (np.round(field((20, 30, 40), "f8") * 300) * step).astype(dtype) + 0
    s = ghz.compress(x, step=step)
    np.testing.assert_array_equal(s.decompress(), x)
    assert s.nbytes < x.nbytes / 2 and "grid of" in repr(s) and s.lattice.step == step
    other = x.copy()
    other.flat[77] += step / 3
    np.testing.assert_array_equal(ghz.compress(other, step=step).decompress(), other)
    total = ghz.sum([s, s, s]).decompress(dtype="f8")
    np.testing.assert_array_equal(total, np.round(x.astype("f8") / step) * 3 * step)
    assert ghz.lattice(x, step=step) == s.lattice


@pytest.mark.parametrize("dtype", INTEGERS)
def test_integers(dtype: str, tmp_path: Path) -> None:
    x = integers(dtype)
    for order in "CF":
        s = ghz.compress(np.asarray(x, order=order))
        y = s.decompress()
        assert s.dtype == y.dtype == x.dtype and s.bound == 0 and s.lattice.dtype == x.dtype
        np.testing.assert_array_equal(y, x)
        np.testing.assert_array_equal(s[3:5, :, 10], x[3:5, :, 10])
        np.testing.assert_array_equal(np.asarray(s), x)
    ends = (s.min(), s.max(), s.sum())
    assert ends == (x.min(), x.max(), x.astype("f8").sum()) and s.max().low == s.max().high
    ghz.save(tmp_path / "x.ghz", x)
    with ghz.open(tmp_path / "x.ghz") as f:
        assert f.dtype == x.dtype
        np.testing.assert_array_equal(f.decompress(), x)
        np.testing.assert_array_equal(f[7, 5:9], x[7, 5:9])


@pytest.mark.parametrize("dtype", INTEGERS)
def test_sums_of_integers(dtype: str) -> None:
    x = integers(dtype)
    s = ghz.compress(x)
    total, wanted = s + s - s * 4, -2 * x.astype("i8")
    np.testing.assert_array_equal(total.decompress(dtype="i8"), wanted)
    np.testing.assert_array_equal(total.decompress(dtype="f8"), wanted)
    with pytest.raises(ghz.RangeError, match=f"which is no {np.dtype(dtype)}"):
        (total if dtype != "i8" else s * 2.0**20).decompress()
    mean = ghz.mean([s, s, -s])
    assert mean.dtype == "f8"
    np.testing.assert_allclose(mean.decompress(), x / 3, rtol=1e-15)
    with pytest.raises(ghz.ArgumentError, match="means of integers"):
        mean.decompress(dtype="i8")


def test_fills_of_integers() -> None:
    x = integers("i2")
    x[3] = -32768
    s = ghz.compress(x, fill_value=-32768)
    np.testing.assert_array_equal(s.decompress(), x)
    assert s.min() == x[x > -32768].min()
    for fill in (0.5, 70000):
        with pytest.raises(ghz.ArgumentError, match="no finite int16"):
            ghz.compress(x, fill_value=fill)


def test_refused() -> None:
    x = integers("i4")
    for how in ({"abs": 1}, {"rel": 0.1}, {"psnr": 60}):
        with pytest.raises(TypeError, match="exactly: leave"):
            ghz.compress(x, **how)
    with pytest.raises(ghz.ArgumentError, match="GHZ_STEP, 1"):
        ghz.compress(x, step=2)
    with pytest.raises(ghz.ArgumentError, match="above 0"):
        ghz.compress(field((9,)), step=0)
    with pytest.raises(ghz.ArgumentError, match="step 1e-40"):
        ghz.compress(field((9,)), step=1e-40)
    with pytest.raises(ghz.ArgumentError, match="give one of"):
        ghz.compress(field((9,)), abs=1, step=1)
    with pytest.raises(ghz.MismatchError):
        ghz.compress(x) + ghz.compress(x.astype("i8"))
    with pytest.raises(ghz.ArgumentError, match="do not decompress to integers"):
        ghz.compress(field((9,)), abs=1).decompress(dtype="i4")
    with pytest.raises(ghz.RangeError, match="value 2 is 17592186044417"):
        ghz.compress(np.array([0, 1, 2**44 + 1]))
