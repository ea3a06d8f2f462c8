# test_numcodecs.py: owns the tests of the codec of numcodecs, and of Zarr format 2 with it.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

numcodecs = pytest.importorskip("numcodecs")

import ghz
from ghz.numcodecs import Ghz


def smooth(shape: tuple[int, ...], dtype: Any = "f4") -> np.ndarray:
    values = np.random.default_rng(0).normal(size=shape)
    for axis in range(len(shape)):
        values = values.cumsum(axis)
    return values.astype(dtype)


def error(one: Any, two: Any) -> float:
    return float(np.abs(np.asarray(one, "f8") - np.asarray(two, "f8")).max(initial=0))


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("shape", [(), (0,), (3000,), (40, 50), (20, 30, 40), (2, 3, 20, 30)])
@pytest.mark.parametrize("order", "CF")
def test_values_come_back_flat_in_the_order_of_memory(
    shape: tuple[int, ...], dtype: str, order: Any
) -> None:
    data = np.asarray(smooth(shape, dtype), order=order)
    codec = Ghz(abs=1e-3)
    encoded = codec.encode(data)
    want = data.ravel(order)
    got = codec.decode(encoded)
    assert got.dtype == want.dtype.newbyteorder("=") and got.shape == want.shape
    assert error(got, want) <= 1e-3
    out = np.empty_like(want, dtype=got.dtype)
    codec.decode(encoded, out)
    np.testing.assert_array_equal(out, got)


def test_what_is_encoded_is_a_stream() -> None:
    data = smooth((20, 30, 40))
    assert Ghz(rel=1e-3).encode(data) == bytes(ghz.compress(data, rel=1e-3))
    gaps = data[:, ::2]
    assert Ghz(rel=1e-3).encode(gaps) == bytes(ghz.compress(gaps, rel=1e-3))


def test_the_registry_has_it() -> None:
    codec = numcodecs.get_codec({"id": "ghz", "rel": 1e-3, "range": [0, 10], "fill": -1})
    assert codec.get_config() == {"id": "ghz", "rel": 1e-3, "range": [0.0, 10.0], "fill": -1.0}
    assert numcodecs.get_codec(codec.get_config()) == codec != Ghz(rel=1e-3)
    assert repr(Ghz(abs=2)) == "Ghz(abs=2.0)"


def test_the_checks_of_numcodecs(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    common = pytest.importorskip("numcodecs.tests.common")
    monkeypatch.chdir(tmp_path)  # where it leaves files
    monkeypatch.setattr(common, "Ghz", Ghz, raising=False)
    codec = Ghz(rel=np.float32(0.001), range=(np.float64(0), np.int16(10)), fill=np.array(-1))
    common.check_config(codec)
    common.check_repr(repr(codec))
    for stated in (
        "Ghz(abs=0.001)",
        "Ghz(rel=0.001, range=[0.0, 10.0])",
        "Ghz(abs=1e-05, fill=-1.0)",
    ):
        common.check_repr(stated)
    assert Ghz(rel=1, range=np.array([0, 10])) == Ghz(rel=1, range=[0, 10])
    common.check_err_encode_object_buffer(codec)
    for data in (smooth((100, 10)), smooth((1000,), "f8"), np.asfortranarray(smooth((10, 5, 20)))):
        common.check_backwards_compatibility("ghz", [data], [Ghz(abs=1e-4)], precision=[3])


@pytest.mark.parametrize("dtype", ["O", "f8", "i4", "u4", ">f4", "c8", "S4"])
def test_an_out_of_another_type_is_a_type_error(dtype: str) -> None:
    values = smooth((100,))
    encoded = Ghz(abs=1e-3).encode(values)
    out = np.zeros(100, dtype)
    with pytest.raises(TypeError, match="codec ghz: out= is .*, the chunk is float32"):
        Ghz(abs=1e-3).decode(encoded, out)
    np.testing.assert_array_equal(out, np.zeros(100, dtype))
    for other in ([0.0] * 100, "text", 3):
        with pytest.raises(TypeError):
            Ghz(abs=1e-3).decode(encoded, other)
    for memory in (bytearray(400), np.empty(400, "u1")):  # bytes take any
        Ghz(abs=1e-3).decode(encoded, memory)
        assert error(np.frombuffer(memory, "f4"), values) <= 1e-3


def test_zarr_format_2() -> None:
    zarr = pytest.importorskip("zarr", minversion="3.1")
    data = smooth((50, 60, 30))
    for order in "CF":
        store = zarr.storage.MemoryStore()
        zarr.create_array(store, data=data, chunks=(16, 32, 30), compressors=Ghz(abs=1e-3), order=order,
                          zarr_format=2)  # fmt: skip
        array = zarr.open_array(store, mode="r")
        assert error(array[...], data) <= 1e-3 and array.compressors == (Ghz(abs=1e-3),)


@pytest.mark.parametrize(
    "data",
    [np.arange(4), np.zeros(3, ">f4"), np.zeros(3, "c8"), np.zeros(3, "f2"), b"bytes", [1.0]],
)
def test_other_values_are_refused(data: Any) -> None:
    with pytest.raises(TypeError, match="ghz"):
        Ghz(abs=1).encode(data)


def test_the_other_byte_order_names_the_way_out() -> None:
    with pytest.raises(TypeError, match=">f4 is not .*give dtype='<f4', or take Zarr format 3"):
        Ghz(abs=1).encode(np.zeros((4, 4), ">f4"))


def test_bytes_that_are_no_stream() -> None:
    good = Ghz(abs=1).encode(smooth((40, 40)))
    for bad in (b"", b"x" * 100, good[:-1], good + b"\0"):
        with pytest.raises(ghz.CorruptError):
            Ghz(abs=1).decode(bad)
    with pytest.raises(ValueError):
        Ghz(abs=1).decode(good, np.empty(1599, "f4"))


@pytest.mark.parametrize("settings", [{}, {"abs": 1, "rel": 1}, {"rel": 0}, {"level": 1}])
def test_settings_that_are_none(settings: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="ghz"):
        Ghz(**settings)
