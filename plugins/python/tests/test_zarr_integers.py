# test_zarr_integers.py: owns the tests of arrays of integers and of a quantum, which are exact.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import pathlib
import warnings
from typing import Any

import numpy as np
import pytest

zarr = pytest.importorskip("zarr", minversion="3.1")
xarray = pytest.importorskip("xarray")

import ghz
import ghz.zarr
from ghz.zarr import GhzCodec
from zarr.storage import MemoryStore

SHAPE, CHUNKS = (6, 40, 60), (1, 32, 60)
INTEGERS = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", ">i2"]


def field(seed: int, dtype: Any = "i2") -> Any:
    values = np.random.default_rng(seed).normal(size=SHAPE).cumsum(1).cumsum(2)
    return (values * 100).astype("i8").astype(np.dtype(dtype))


def create(data: Any, codec: Any = None, **more: Any) -> Any:
    settings = {"serializer": codec or GhzCodec(lossless=True), "compressors": None, **more}
    names = {} if "zarr_format" in more else {"dimension_names": ["t", "y", "x"]}
    return zarr.create_array(MemoryStore(), data=data, chunks=CHUNKS, **names, **settings)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_integers_come_back(dtype: str) -> None:
    data = field(0, dtype)
    array = create(data)
    np.testing.assert_array_equal(array[...], data)
    np.testing.assert_array_equal(array[2, 5:30, ::7], data[2, 5:30, ::7])
    again = zarr.open_array(array.store_path.store)
    assert again.serializer == GhzCodec(lossless=True)
    assert again.dtype == array.dtype.newbyteorder("=")


@pytest.mark.parametrize("dtype", ["i1", "i2", "u2", "i4", "i8"])
def test_sums_and_differences_are_exact_and_do_not_overflow(dtype: str) -> None:
    data = [field(seed, dtype) for seed in range(5)]
    arrays = [create(one) for one in data]
    total = ghz.zarr.sum(arrays, MemoryStore())
    assert total.dtype == np.dtype("i8")
    np.testing.assert_array_equal(total[...], np.sum(data, 0, dtype="i8"))
    np.testing.assert_array_equal(total[3, 4:20, 5], np.sum(data, 0, dtype="i8")[3, 4:20, 5])
    off = ghz.zarr.subtract(arrays[0], arrays[1], MemoryStore())
    np.testing.assert_array_equal(off[...], data[0].astype("i8") - data[1])
    mean = ghz.zarr.mean(arrays, MemoryStore())
    assert mean.dtype == np.dtype("f8")
    np.testing.assert_allclose(mean[...], np.mean(data, 0, dtype="f8"), rtol=1e-14)
    anomalies = ghz.zarr.anomalies(arrays, [MemoryStore() for _ in arrays])
    for one, result in zip(data, anomalies):
        want = one - np.mean(data, 0, dtype="f8")
        np.testing.assert_allclose(result[...], want, rtol=1e-13, atol=1e-9)


def test_along_time() -> None:
    data = field(0)
    array = create(data)
    total = ghz.zarr.sum(array, MemoryStore(), axis="t", by=[0, 1, 0, 1, 0, 2])
    want = np.stack([data[:5:2].sum(0, dtype="i8"), data[1:4:2].sum(0, dtype="i8"), data[5]])
    np.testing.assert_array_equal(total[...], want)
    mean = ghz.zarr.mean(array, MemoryStore(), axis="t", weights={"t": [31, 28, 31, 30, 31, 30]})
    want = np.average(data, 0, [31, 28, 31, 30, 31, 30])
    np.testing.assert_allclose(mean[...], want, rtol=1e-12, atol=1e-9)
    with pytest.raises(ghz.ArgumentError, match="integers are summed along one axis of which"):
        ghz.zarr.mean(array, MemoryStore(), axis="y")


def test_integers_of_zarr_2_come_back_and_are_not_added() -> None:
    codec = pytest.importorskip("ghz.numcodecs").Ghz(lossless=True)
    data = field(0)
    array = create(data, "auto", compressors=codec, zarr_format=2)
    np.testing.assert_array_equal(array[...], data)
    with pytest.raises(ghz.ArgumentError, match="integers need Zarr format 3"):
        ghz.zarr.sum([array, array], MemoryStore())


def packed_by_xarray(path: pathlib.Path, seed: int) -> Any:
    """Writes int16 with a scale_factor, an add_offset and missing values, as netCDF has them."""
    values = np.random.default_rng(seed).normal(size=SHAPE).cumsum(1).cumsum(2) / 10 + 280
    values[:, 5:9, 20:40] = np.nan
    tas = xarray.DataArray(values.astype("f4"), dims=("time", "lat", "lon"), attrs={"units": "K"})
    encoding = {
        "dtype": "int16", "_FillValue": np.int16(-32768), "scale_factor": 0.01, "add_offset": 280.0, "chunks": CHUNKS,
        "serializer": GhzCodec(lossless=True, fill=-32768), "compressors": None,
    }  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tas.to_dataset(name="tas").to_zarr(path, encoding={"tas": encoding}, zarr_format=3)
    return values


def test_variables_with_a_scale_factor_are_taken_as_they_are(tmp_path: pathlib.Path) -> None:
    paths = [tmp_path / f"{seed}.zarr" for seed in range(3)]
    values = [packed_by_xarray(path, seed) for seed, path in enumerate(paths)]
    stored = [xarray.open_zarr(path).tas.values.astype("f8") for path in paths]
    for one, two in zip(stored, values):
        assert np.nanmax(abs(one - two)) <= 0.0051
    ghz.zarr.mean(paths, tmp_path / "mean.zarr")
    mean = xarray.open_zarr(tmp_path / "mean.zarr").tas
    np.testing.assert_allclose(mean, np.mean(stored, 0), rtol=1e-6)
    assert np.isnan(mean.values[0, 6, 30]) and mean.attrs["units"] == "K"
    ghz.zarr.anomalies(paths, tmp_path / "anomalies")
    for path, one in zip(paths, stored):
        anomaly = xarray.open_zarr(tmp_path / "anomalies" / path.name).tas
        np.testing.assert_allclose(anomaly, one - np.mean(stored, 0), atol=1e-4)
    ghz.zarr.subtract(paths[0], paths[1], tmp_path / "off.zarr")
    off = xarray.open_zarr(tmp_path / "off.zarr").tas
    np.testing.assert_allclose(off, stored[0] - stored[1], atol=1e-4)


def test_a_quantum_is_exact() -> None:
    data = [(field(seed) * 0.25).astype("f4") for seed in range(4)]
    data[0][0, 0, 0] = np.float32(0.1)  # is none: its tile is stored as it is
    arrays = [create(one, GhzCodec(step=0.25)) for one in data]
    for one, array in zip(data, arrays):
        np.testing.assert_array_equal(array[...], one)
    total = ghz.zarr.sum(arrays, MemoryStore())
    np.testing.assert_allclose(total[...], np.sum(data, 0, dtype="f8"), rtol=1e-7)
    assert arrays[0].metadata.to_dict()["codecs"][0]["configuration"] == {"step": 0.25}


def test_numcodecs_has_both() -> None:
    numcodecs = pytest.importorskip("ghz.numcodecs")
    data = field(0)
    codec = numcodecs.Ghz(lossless=True)
    np.testing.assert_array_equal(codec.decode(codec.encode(data)).reshape(SHAPE), data)
    assert codec.get_config() == {"id": "ghz", "lossless": True}
    quantum = (data * 0.5).astype("f8")
    codec = numcodecs.Ghz(step=0.5)
    np.testing.assert_array_equal(codec.decode(codec.encode(quantum)).reshape(SHAPE), quantum)
    with pytest.raises(TypeError, match="lossless=True"):
        numcodecs.Ghz(abs=1).encode(data)


@pytest.mark.parametrize(
    "settings, dtype",
    [({"lossless": True}, "f4"), ({"abs": 1}, "i2"), ({"step": 1}, "i2"), ({"lossless": True}, "u8"),
     ({"lossless": True}, "f2"), ({"lossless": True}, "bool")],
)  # fmt: skip
def test_types_that_do_not_fit(settings: dict[str, Any], dtype: str) -> None:
    with pytest.raises(TypeError, match=f"codec ghz: the array is of {np.dtype(dtype)}, not of"):
        create(np.zeros(SHAPE, dtype), GhzCodec(**settings))


@pytest.mark.parametrize("settings", [{"lossless": True, "abs": 1}, {"lossless": False}, {"step": 0},
                                      {"step": 1, "rel": 1}, {"step": -1}])  # fmt: skip
def test_settings_that_are_none(settings: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="codec ghz"):
        GhzCodec(**settings)
    with pytest.raises(TypeError, match="lossless is 1"):
        GhzCodec(lossless=1)  # type: ignore[arg-type]
