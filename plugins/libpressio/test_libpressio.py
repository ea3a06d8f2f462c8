# test_libpressio.py: owns the test of libpressio's compressor "ghz", through libpressio's calls in C.
# SPDX-License-Identifier: BSD-3-Clause
"""usage: GHZ_LIBPRESSIO=.../libghz_libpressio.so pytest test_libpressio.py

The plugin is linked to libpressio, whose calls are found through it.
"""

from __future__ import annotations

import ctypes
import os
from typing import Any

import numpy as np
import pytest

BYTES, DTYPES = 10, {"float64": 0, "float32": 1, "int32": 8}  # enum pressio_dtype

lib = ctypes.CDLL(os.environ["GHZ_LIBPRESSIO"], ctypes.RTLD_GLOBAL)
lib.pressio_compressor_error_msg.restype = ctypes.c_char_p
for name in (
    "instance",
    "get_compressor",
    "options_new",
    "data_new_nonowning",
    "data_new_owning",
    "data_new_empty",
    "data_ptr",
):
    getattr(lib, f"pressio_{name}").restype = ctypes.c_void_p


def pointer(value: int) -> ctypes.c_void_p:
    return ctypes.c_void_p(value)


class Compressor:
    """The compressor "ghz", with options of float64."""

    def __init__(self, **options: float) -> None:
        library = pointer(lib.pressio_instance())
        self.it = pointer(lib.pressio_get_compressor(library, b"ghz"))
        assert self.it.value, "libpressio has no compressor ghz"
        given = pointer(lib.pressio_options_new())
        for name, value in options.items():
            key = name.replace("_", ":").encode()
            lib.pressio_options_set_double(given, key, ctypes.c_double(value))
        self._check(lib.pressio_compressor_set_options(self.it, given))

    def _check(self, status: int) -> None:
        if status:
            raise ValueError(lib.pressio_compressor_error_msg(self.it).decode())

    def compress(self, values: np.ndarray) -> Any:
        """Returns a pressio_data."""
        where = values.ctypes.data_as(ctypes.c_void_p)
        given = lib.pressio_data_new_nonowning(
            DTYPES[values.dtype.name], where, *sizes(values.shape)
        )
        result = pointer(lib.pressio_data_new_empty(BYTES, ctypes.c_size_t(0), None))
        self._check(lib.pressio_compressor_compress(self.it, pointer(given), result))
        return result

    def decompress(self, data: Any, shape: tuple[int, ...], dtype: Any) -> np.ndarray:
        found = np.dtype(dtype)
        room = pointer(lib.pressio_data_new_owning(DTYPES[found.name], *sizes(shape)))
        self._check(lib.pressio_compressor_decompress(self.it, data, room))
        result = np.empty(shape, found)
        values = pointer(lib.pressio_data_ptr(room, None))
        ctypes.memmove(result.ctypes.data_as(ctypes.c_void_p), values, result.nbytes)
        return result


def sizes(shape: tuple[int, ...]) -> tuple[Any, Any]:
    """libpressio counts dimensions from the fastest one on."""
    return ctypes.c_size_t(len(shape)), (ctypes.c_size_t * len(shape))(*shape[::-1])


def content(data: Any) -> bytes:
    count = ctypes.c_size_t()
    where = lib.pressio_data_ptr(data, ctypes.byref(count))
    return ctypes.string_at(where, count.value)


def field(shape: tuple[int, ...], dtype: Any = "f4") -> np.ndarray:
    values = np.random.default_rng(0).normal(size=shape)
    for axis in range(len(shape)):
        values = values.cumsum(axis)
    return values.astype(dtype)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("shape", [(5000,), (60, 70), (20, 30, 40), (2, 3, 20, 30)])
def test_values_are_within_the_bound(shape: tuple[int, ...], dtype: str) -> None:
    values = field(shape, dtype)
    compressor = Compressor(pressio_abs=1e-2)
    data = compressor.compress(values)
    assert len(content(data)) < values.nbytes
    back = compressor.decompress(data, shape, dtype)
    assert np.abs(back.astype("f8") - values).max() <= 1e-2


def test_the_stream_has_the_shape() -> None:
    data = content(Compressor(pressio_abs=1e-2).compress(field((20, 30, 40))))
    assert data[:4] == b"GHZ3" and data[7] == 3
    assert list(np.frombuffer(data, "<u8", 3, 8)) == [20, 30, 40]


def test_other_bounds_and_the_fill() -> None:
    values = field((64, 64))
    rel = Compressor(pressio_rel=1e-3)
    back = rel.decompress(rel.compress(values), values.shape, "f4")
    assert np.abs(back - values).max() <= 1e-3 * np.ptp(values)
    psnr = Compressor(ghz_psnr=60)
    apart = psnr.decompress(psnr.compress(values), values.shape, "f4") - values
    assert 20 * np.log10(np.ptp(values) / np.sqrt(np.mean(apart**2))) >= 60
    values[3:20, 4:30] = -999
    fill = Compressor(pressio_rel=1e-3, ghz_fill=-999)
    back = fill.decompress(fill.compress(values), values.shape, "f4")
    assert (back[3:20, 4:30] == -999).all()


def test_what_is_wrong_is_said() -> None:
    values = field((20, 30))
    with pytest.raises(ValueError, match="bound"):
        Compressor(pressio_abs=-1).compress(values)
    with pytest.raises(ValueError, match="neither float nor double"):
        Compressor(pressio_abs=1).compress(values.astype("i4"))
    good = Compressor(pressio_abs=1)
    data = good.compress(values)
    with pytest.raises(ValueError, match="600 values, the output 601"):
        good.decompress(data, (601,), "f4")
    with pytest.raises(ValueError, match="ghz: "):
        bad = np.frombuffer(content(data)[:-1], "i4", 20)
        where = bad.ctypes.data_as(ctypes.c_void_p)
        given = lib.pressio_data_new_nonowning(BYTES, where, *sizes((bad.nbytes,)))
        good.decompress(pointer(given), (20, 30), "f4")
