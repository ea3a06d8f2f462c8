# test_notices.py: owns the tests of what the package and its codecs warn of, once.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

numcodecs = pytest.importorskip("numcodecs")
zarr = pytest.importorskip("zarr", minversion="3.1")
xarray = pytest.importorskip("xarray")

import ghz
import ghz.numcodecs
from ghz import _notices
from ghz.zarr import GhzCodec
from zarr.storage import MemoryStore


@pytest.fixture(autouse=True)
def nothing_was_said() -> None:
    _notices._told.clear()


def said(caught: list[Any]) -> list[str]:
    texts = [str(warning.message) for warning in caught]
    return [text for text in texts if text.startswith(("codec ghz: ", "ghz: "))]


def write(data: Any, codec: GhzCodec, **more: Any) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        settings = {"chunks": data.shape, "compressors": None, **more}
        zarr.create_array(MemoryStore(), data=data, serializer=codec, **settings)
    return said(caught)


def masked(fill: float, dtype: Any = "f4") -> Any:
    values = np.random.default_rng(0).normal(280, 10, (50, 60)).astype(dtype)
    values[10:20, 30:50] = fill
    return values


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("fill", [1e20, -9999.0, 9.969209968386869e36, -32767.0, -999.0])
def test_a_usual_fill_in_the_data_is_named_once(fill: float, dtype: str) -> None:
    data = masked(fill, dtype)
    (text,) = write(data, GhzCodec(abs=0.01))
    assert float(text.rpartition("fill=")[2]) == pytest.approx(fill, rel=1e-7)
    assert write(data, GhzCodec(abs=0.01)) == []  # it was said
    _notices._told.clear()
    assert write(data, GhzCodec(abs=0.01, fill=fill)) == []


def test_numcodecs_says_it_too() -> None:
    with pytest.warns(UserWarning, match="values are 1e\\+20, a usual fill value.* fill=1e\\+20"):
        ghz.numcodecs.Ghz(abs=0.01).encode(masked(1e20))


@pytest.mark.parametrize(
    "data",
    [masked(280.0), masked(np.nan), masked(np.inf), np.zeros((3, 4), "f4"), np.zeros((0, 3), "f4"),
     np.linspace(-9999, 9999, 300).astype("f4"), np.full((1,), 999.0)],
)  # fmt: skip
def test_data_without_one_are_not_named(data: Any) -> None:
    if data.size:
        assert write(data, GhzCodec(abs=0.01)) == []
    assert warned(lambda: ghz.compress(data, abs=0.01)) == []


def warned(call: Any) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    assert all(warning.filename == __file__ for warning in caught)
    return said(caught)


def outlier(dtype: Any = "f4") -> Any:
    values = masked(280.0, dtype)
    values[7, 7] = 1e9
    return values


TAKEN = "ghz: the bound 1e+05 is larger than "


@pytest.mark.parametrize(
    "function",
    [lambda x, path: ghz.compress(x, rel=1e-4), lambda x, path: ghz.save(path, x, rel=1e-4),
     lambda x, path: ghz.lattice(x, rel=1e-4), lambda x, path: ghz.compress(x.T, psnr=80),
     lambda x, path: ghz.compress(x, like=ghz.Lattice(x.dtype, 35, 1.96e5, 1e5))],
)  # fmt: skip
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_a_bound_that_takes_the_data_is_named_once(
    function: Any, dtype: str, tmp_path: Any
) -> None:
    (text,) = warned(lambda: function(outlier(dtype), tmp_path / "x.ghz"))
    assert text.startswith(TAKEN) and "% of the values other than 0, which come back as 0" in text
    assert warned(lambda: function(outlier(dtype) + 1, tmp_path / "x.ghz")) == []  # it was said
    _notices._told.clear()
    assert warned(lambda: function(np.zeros_like(outlier()), tmp_path / "y.ghz")) == []


def test_writing_again_and_appending_say_it(tmp_path: Any) -> None:
    x, path = outlier(), tmp_path / "x.ghz"
    old = ghz.compress(masked(280.0), rel=1e-4)
    ghz.save(path, masked(280.0), abs=1e5 / 1.01)
    for call in (lambda: ghz.update(old, x, rel=1e-4), lambda: ghz.append(path, x)):
        _notices._told.clear()
        (text,) = warned(call)
        assert text.startswith("ghz: the bound ")


def test_the_codecs_say_it_of_their_chunks() -> None:
    (text,) = write(outlier(), GhzCodec(rel=1e-4))
    assert text.startswith(TAKEN)
    assert write(outlier(), GhzCodec(rel=1e-4)) == []
    assert write(np.full((50, 60), 280, "i4"), GhzCodec(lossless=True)) == []


def test_all_that_is_known_is_said_of_an_unnamed_fill() -> None:
    (text,) = warned(lambda: ghz.compress(masked(1e20), rel=1e-3))
    assert "which come back as 0: their median magnitude is 28" in text
    assert "6.67 % of the values are 1e+20, a usual fill value" in text
    assert warned(lambda: ghz.compress(masked(1e20), rel=1e-3, fill_value=1e20)) == []


def test_a_compressor_behind_the_codec_is_named_once() -> None:
    data = masked(280)
    (text,) = write(data, GhzCodec(abs=0.01), compressors="auto")
    assert "zstd behind it" in text and "compressors=None" in text
    assert write(data, GhzCodec(abs=0.01), compressors="auto") == []
    _notices._told.clear()
    assert write(data, GhzCodec(abs=0.01)) == []


@pytest.mark.parametrize("fill, told", [(None, True), (1e20, True), (-5.0, False)])
def test_a_fill_value_of_xarray_that_the_codec_lacks(fill: Any, told: bool) -> None:
    data = xarray.DataArray(masked(np.nan), dims=("y", "x"), name="tas").to_dataset()
    encoding = {"serializer": GhzCodec(abs=0.01, fill=fill), "compressors": None}
    data.tas.attrs["_FillValue"] = np.float32(-5)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        data.to_zarr(MemoryStore(), encoding={"tas": encoding}, zarr_format=3)
    want = ["codec ghz: _FillValue is -5, and not the codec's: give fill=-5"]
    assert said(caught) == (want if told else [])


@pytest.mark.parametrize("fill", [1e20, float(np.float32(1e20))])
@pytest.mark.parametrize("own", [np.float32(1e20), 1e20])
def test_one_fill_value_of_float32_has_two_names(fill: float, own: Any) -> None:
    """As CMIP has it; what is stored and said is the shorter one."""
    data = xarray.DataArray(masked(np.nan), dims=("y", "x"), name="tas").to_dataset()
    stores = []
    for number in (fill, 1e20):
        encoding = {"serializer": GhzCodec(abs=0.01, fill=number), "compressors": None}
        data.tas.attrs["_FillValue"], stores = own, [*stores, MemoryStore()]
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            data.to_zarr(stores[-1], encoding={"tas": encoding}, zarr_format=3)
            array = xarray.open_zarr(stores[-1]).tas
        assert said(caught) == [] and array.encoding["serializer"].fill == 1e20
        own = np.float32(1e20)
    ghz.zarr.mean(stores, MemoryStore())
    two = [ghz.numcodecs.Ghz(abs=0.01, fill=number) for number in (fill, 1e20)]
    plain = np.zeros((4, 4), "f4")
    stores = [
        zarr.create_array(MemoryStore(), data=plain, compressors=codec, zarr_format=2)
        for codec in two
    ]
    ghz.zarr.mean(stores, MemoryStore())
    (text,) = write(
        masked(0), GhzCodec(abs=0.01), attributes={"_FillValue": float(np.float32(1e20))}
    )
    assert text.endswith("_FillValue is 1e+20, and not the codec's: give fill=1e+20")
    with pytest.raises(ghz.MismatchError, match="fill_value=1e\\+20, like= has -5.0"):
        ghz.compress(plain, like=ghz.compress(plain, abs=1, fill_value=-5), fill_value=1e20)


def test_nan_needs_no_fill() -> None:
    data = xarray.DataArray(masked(np.nan), dims=("y", "x"), name="tas").to_dataset()
    encoding = {"serializer": GhzCodec(abs=0.01), "compressors": None}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        data.to_zarr(MemoryStore(), encoding={"tas": encoding}, zarr_format=3)
    assert said(caught) == []
