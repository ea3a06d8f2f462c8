# test_axes.py: owns tests of sums and means along axes.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import itertools
import warnings
from typing import Any

import numpy as np
import pytest

import ghz
from conftest import field


def every_axes(ndim: int) -> list[tuple[int, ...]]:
    return [c for k in range(ndim + 1) for c in itertools.combinations(range(ndim), k)]


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize(
    "shape", [(50000,), (70, 90), (20, 40, 50), (3, 5, 20, 32), (500, 3), (4, 1, 6)]
)
def test_sums_and_means(shape: tuple[int, ...], dtype: str, order: Any) -> None:
    x = field(shape, dtype, order=order)
    s = ghz.compress(x, rel=1e-4)
    held = s.decompress(dtype="f8").astype(np.longdouble)
    for axes in every_axes(len(shape)):
        wanted, found = held.sum(axis=axes), s.sum(axis=axes)
        assert found.dtype == np.float64 and found.shape == wanted.shape
        scale = np.abs(held).sum(axis=axes)
        assert (np.abs(found - wanted) <= 1e-14 * scale).all()
        count = x.size // max(found.size, 1)
        off = np.abs(found - x.astype(np.longdouble).sum(axis=axes))
        assert (off <= count * s.bound * (1 + 1e-9)).all()
        assert (np.abs(s.mean(axis=axes) - wanted / count) <= 1e-14 * scale / count).all()
    assert np.array_equal(s.sum(axis=-1), s.sum(axis=len(shape) - 1))
    assert np.array_equal(np.sum(s, axis=0), s.sum(axis=0))
    assert np.array_equal(np.mean(s, axis=0), s.mean(axis=0))
    assert isinstance(s.sum(), ghz.Estimate) and isinstance(s.mean(), ghz.Estimate)
    everything = tuple(range(len(shape)))
    assert isinstance(s.sum(axis=everything), np.float64) and s.sum(axis=everything) == s.sum()


def test_sums_of_streams() -> None:
    x, y = field((20, 40, 50), seed=1), field((20, 40, 50), seed=2)
    lattice = ghz.lattice(x, y, rel=1e-3)
    a, b = (ghz.compress(v, like=lattice) for v in (x, y))
    for s in (a + b, a - ghz.mean([a, b]), 3 * a, ghz.linear([a, b], [2, 5], 7)):
        held = s.decompress(dtype="f8")
        for axis in (0, 1, 2, (0, 2)):
            assert np.allclose(s.sum(axis=axis), held.sum(axis=axis), rtol=1e-12, atol=1e-9)


def test_missing() -> None:
    x = field((30, 40, 50), "f8")
    x[:, 3], x[4, :, 7], x[0, 0, 0], x[0, 0, 1] = -999, np.nan, np.inf, -np.inf
    s = ghz.compress(x, abs=1e-3, fill_value=-999)
    known = np.where((x == -999) | ~np.isfinite(x), np.nan, s.decompress())
    for axis in (0, 1, 2, (0, 1), (1, 2), (0, 1, 2)):
        with warnings.catch_warnings(action="ignore"):  # of places that are all NaN
            wanted = np.nanmean(known, axis=axis)
        assert np.allclose(s.mean(axis=axis), wanted, rtol=1e-12, atol=1e-12, equal_nan=True)
        assert np.allclose(s.sum(axis=axis), np.nansum(known, axis=axis), rtol=1e-12, atol=1e-9)
    assert np.isnan(s.mean(axis=0)[3]).all() and not s.sum(axis=0)[3].any()
    weights = np.cos(np.linspace(-1.5, 1.5, 40))
    sums = np.nansum(known * weights[:, None], axis=(1, 2))
    counts = (np.isfinite(known) * weights[:, None]).sum(axis=(1, 2))
    assert np.allclose(s.mean(axis=(1, 2), weights=weights), sums / counts, rtol=1e-12)


def test_weights() -> None:
    x = field((12, 18, 36))
    s = ghz.compress(x, rel=1e-5)
    held, w = s.decompress(dtype="f8"), np.cos(np.linspace(-1.5, 1.5, 18))
    wanted = np.average(held.mean(axis=2), axis=1, weights=w)
    assert np.allclose(s.mean(axis=(1, 2), weights=w), wanted, rtol=1e-12, atol=1e-12)
    assert np.allclose(
        s.mean(axis=(-1, 1), weights=w[:, None][None]), wanted, rtol=1e-12, atol=1e-12
    )
    assert np.allclose(
        s.sum(axis=1, weights=w), np.tensordot(w, held, (0, 1)), rtol=1e-12, atol=1e-9
    )
    assert np.isscalar(s.mean(axis=(0, 1, 2), weights=list(w)))
    square = ghz.compress(x[:, :12, :], rel=1e-5)
    with pytest.raises(
        ghz.ArgumentError, match="12 fit several axes: 12 along axis 0, 12 along axis 1"
    ):
        square.mean(axis=(0, 1), weights=np.ones(12))
    wanted = np.average(
        square.decompress(dtype="f8").sum(axis=0), axis=0, weights=np.arange(12) + 1
    )
    found = square.mean(axis=(0, 1), weights=(np.arange(12) + 1)[None, :, None])
    assert np.allclose(found, wanted / 12, rtol=1e-12, atol=1e-12)


def test_refused() -> None:
    s = ghz.compress(field((12, 18, 36)), rel=1e-5)
    for axis in (3, -4, (0, 3)):
        with pytest.raises(IndexError, match="out of bounds for array of dimension 3"):
            s.sum(axis=axis)
        with pytest.raises(ValueError, match="out of bounds"):
            s.mean(axis=axis)
    with pytest.raises(ValueError, match="duplicate"):
        s.sum(axis=(1, -2))
    for axis in (1.5, "x", (0, 1.0)):
        with pytest.raises(TypeError):
            s.sum(axis=axis)  # type: ignore[call-overload]
    with pytest.raises(TypeError, match="say along which axes"):
        s.mean(weights=np.ones(12))  # type: ignore[call-overload]
    with pytest.raises(ghz.ArgumentError, match=r"shape \(5,\): needed are 18 along axis 1"):
        s.mean(axis=1, weights=np.ones(5))
    with pytest.raises(ghz.ArgumentError, match="needed are 12 along axis 0"):
        s.mean(axis=0, weights=np.ones((1, 18, 1)))
    with pytest.raises(ghz.ArgumentError, match="NaN or infinite"):
        s.mean(axis=0, weights=[np.nan] * 12)
    with pytest.raises(TypeError, match="dtype="):
        s.sum(axis=0, dtype="f4")
    damaged = bytearray(bytes(s))
    damaged[72 + 2 * 8 + 18 * 2] = 0x1F  # the first of 18 tiles, in two chunks
    with pytest.raises(ghz.CorruptError, match="tile"):
        ghz.Stream.from_bytes(bytes(damaged), s.shape).sum(axis=0)


def test_small() -> None:
    assert ghz.compress(np.float32(3), abs=1e-3).sum(axis=()) == pytest.approx(3, abs=1e-3)
    none = ghz.compress(np.empty((5, 0, 7), "f4"), abs=1)
    assert none.sum(axis=1).shape == (5, 7) and not none.sum(axis=1).any()
    assert none.sum(axis=0).shape == (0, 7) and np.isnan(none.mean(axis=1)).all()


@pytest.mark.parametrize("shape", [(40, 64), (24, 16, 32), (5000,)])
def test_one_value_beside_the_lattice_is_summed_as_it_is(shape: tuple[int, ...]) -> None:
    stream = ghz.compress(np.full(shape, 273.15), abs=1e-3)
    assert (stream.decompress() == 273.15).all()
    for axis in range(len(shape)):
        assert abs(stream.sum(axis=axis) - 273.15 * shape[axis]).max() <= 1e-9
