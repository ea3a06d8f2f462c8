# test_stream.py: owns tests of one stream: the bound, what is kept of an array, numbers, pickles.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import copy
import hashlib
import io
import math
import pickle

import numpy as np
import pytest

import ghz
from conftest import LEVELS, error, field

SHAPES = [
    (),
    (1,),
    (7,),
    (1025,),
    (40000,),
    (0,),
    (0, 3),
    (3, 0, 5),
    (70, 90),
    (20, 40, 50),
    (3, 5, 2, 700),
    (2, 3, 4, 5, 6, 7),
    (1, 64, 1, 64),
    (100, 1),
]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_round_trip(shape: tuple[int, ...], dtype: str, order: str) -> None:
    x = field(shape, dtype, order=order)
    s = ghz.compress(x, abs=1e-3)
    y = s.decompress()
    assert (s.shape, s.dtype, s.ndim, s.size) == (x.shape, x.dtype, x.ndim, x.size)
    assert (y.shape, y.dtype) == (x.shape, x.dtype)
    assert y.flags.c_contiguous == x.flags.c_contiguous
    assert y.flags.f_contiguous == x.flags.f_contiguous
    assert error(y, x) <= 1e-3 == s.bound
    assert s.nbytes == len(bytes(s)) == s.data.nbytes
    assert s.ratio == x.nbytes / s.nbytes
    np.testing.assert_array_equal(np.asarray(s), y)


def test_bounds() -> None:
    x = field((50, 60, 70))
    reach = float(x.max() - x.min())
    assert error(ghz.compress(x, rel=1e-3).decompress(), x) <= 1e-3 * reach
    y = ghz.compress(x, psnr=70).decompress()
    assert 20 * math.log10(reach / np.sqrt(np.mean((y.astype("f8") - x) ** 2))) >= 70


def test_gaps_are_copied() -> None:
    x = field((60, 80))
    for part in (x[::2, ::3], x[::-1], x.T[::3], np.moveaxis(field((9, 8, 7)), 0, 1)):
        assert error(ghz.compress(part, abs=1e-3).decompress(), part) <= 1e-3
    read_only = x.copy()
    read_only.setflags(write=False)
    assert ghz.compress(read_only, abs=1e-3) == ghz.compress(x, abs=1e-3)
    assert ghz.compress([1.0, 2.0], abs=1e-3).dtype == "f8"


def test_fill_value() -> None:
    x = field((40, 50))
    x[3, 4:9] = 1e20
    x[5, 5] = np.nan
    s = ghz.compress(x, rel=1e-3, fill_value=1e20)
    y = s.decompress()
    assert s.lattice.fill_value == np.float32(1e20)
    assert (y[3, 4:9] == np.float32(1e20)).all() and y[5, 5] == np.float32(1e20)
    kept = x < 100
    assert error(y[kept], x[kept]) <= s.bound <= 1e-3 * 2.1
    assert s.summary().count == kept.sum() and s.summary().specials == 6
    assert np.isnan(ghz.compress(x[5], abs=1, fill_value=np.nan).decompress()[5])


def test_out() -> None:
    x = field((30, 40))
    s = ghz.compress(x, abs=1e-3)
    out = np.empty_like(x)
    assert s.decompress(out) is out
    wide = s.decompress(dtype="f8")
    assert wide.dtype == "f8" and error(wide, x) <= 1e-3
    np.testing.assert_array_equal(np.asarray(s, "f8"), out.astype("f8"))
    for bad in (
        np.empty((40, 30), "f4"),
        np.empty_like(x, order="F"),
        np.empty((60, 40), "f4")[::2],
        np.broadcast_to(np.float32(0), x.shape),
    ):
        with pytest.raises(ghz.ArgumentError, match="^out: "):
            s.decompress(bad)
    with pytest.raises(TypeError, match="float16"):
        s.decompress(np.empty(x.shape, "f2"))
    with pytest.raises(ghz.ArgumentError, match="doubles"):
        ghz.compress(x.astype("f8"), abs=1).decompress(dtype="f4")
    with pytest.raises(ValueError):
        np.asarray(s, copy=False)


def test_numbers() -> None:
    x = field((30, 40, 50), "f8")
    s = ghz.compress(x, rel=1e-3)
    wanted = {
        "sum": x.sum(),
        "mean": x.mean(),
        "var": x.var(),
        "std": x.std(),
        "min": x.min(),
        "max": x.max(),
        "norm": np.linalg.norm(x.ravel()),
    }
    y = s.decompress()
    for name, value in wanted.items():
        found = getattr(s, name)()
        assert found.low <= value <= found.high, name
        assert found == pytest.approx(
            getattr(np.linalg if name == "norm" else np, name)(y.ravel()), rel=1e-9, abs=1e-9
        )
    again = pickle.loads(pickle.dumps(s.mean()))
    assert (again, again.low, again.high) == (s.mean(), s.mean().low, s.mean().high)
    assert isinstance(again, ghz.Estimate) and "low=" in repr(again)
    empty = ghz.compress(np.full(9, np.nan), abs=1)
    assert empty.sum() == 0 and all(math.isnan(v) for v in (empty.min(), empty.max(), empty.mean()))


def test_numbers_by_numpy() -> None:
    s = ghz.compress(field((30, 40, 50), "f4"), abs=1e-3)
    for name in ("sum", "mean", "var", "std", "min", "max"):
        found = getattr(np, name)(s)
        assert found == getattr(s, name)() and found.high > found.low
    assert np.median(s) == np.median(s.decompress())
    for refused in (
        lambda: np.mean(s, axis=0, keepdims=True),
        lambda: np.var(s, axis=0),
        lambda: np.std(s, ddof=1),
        lambda: np.sum(s, out=np.zeros(())),
        lambda: np.max(s, keepdims=True),
    ):
        with pytest.raises(TypeError, match="take decompress"):
            refused()


def test_bytes() -> None:
    x = field((3, 5, 2, 700), order="F")
    s = ghz.compress(x, rel=1e-3)
    assert ghz.Stream.from_bytes(bytes(s), s.shape, "F") == s
    assert ghz.Stream.from_bytes(bytearray(s.data), s.shape, "F") == s
    flat = ghz.Stream.from_bytes(ghz.compress(x.ravel("K"), like=s))
    assert flat.shape == (21000,)
    assert ghz.Stream.from_bytes(ghz.compress(field((20, 40, 50)), abs=1)).shape == (20, 40, 50)
    assert ghz.Stream.from_bytes(ghz.compress(field((40, 50)), abs=1)).shape == (40, 50)
    # As a buffer.
    kept = io.BytesIO()
    kept.write(s)
    assert kept.getvalue() == bytes(s) == b"".join([s]) == np.frombuffer(s, np.uint8).tobytes()
    assert hashlib.sha1(s).digest() == hashlib.sha1(bytes(s)).digest()
    assert s.data.readonly and s.data.nbytes == s.nbytes
    with pytest.raises(BufferError, match=r"stream\.data"):
        memoryview(s)


def test_pickle() -> None:
    for order in ("C", "F"):
        s = ghz.compress(field((30, 40), order=order), rel=1e-3)
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
            again = pickle.loads(pickle.dumps(s, protocol))
            assert again == s and again.order == order
        buffers: list[pickle.PickleBuffer] = []
        small = pickle.dumps(s, 5, buffer_callback=buffers.append)
        assert len(small) < 300 and pickle.loads(small, buffers=buffers) == s
        assert copy.copy(s) is s is copy.deepcopy(s)


def test_equality() -> None:
    x = field((40, 50))
    s = ghz.compress(x, abs=1e-3)
    assert s == ghz.compress(x, abs=1e-3) and s != ghz.compress(x, abs=2e-3)
    assert s != ghz.Stream.from_bytes(bytes(s), (2000,) if s.info.dims == 1 else (40, 50, 1))
    assert s != 3 and not s == "x"


def test_info() -> None:
    s = ghz.compress(field((20, 40, 50)), abs=1e-3)
    i = (s + s).info
    assert (i.shape, i.dims, i.count, i.terms, i.inexact) == ((20, 40, 50), 3, 40000, 2, False)
    assert i.bound == 2e-3 and i.lattice == s.lattice and i.lattice.bound == 1e-3
    assert "shape (20, 40, 50)" in repr(s) and "float32" in repr(s)
    assert len(s) == 20 and [v.shape for v in s][:2] == [(40, 50), (40, 50)]
    with pytest.raises(TypeError):
        len(ghz.compress(1.0, abs=1))


# ---- Packed ----


def test_a_packed_stream_comes_back() -> None:
    stream = ghz.compress(field((200, 300)), abs=1e-3)
    for level in LEVELS:
        packed = stream.packed(level)
        assert packed[:8] == b"GHZP\2\0\0\0"
        assert len(packed) < len(stream.packed(1) if level == 2 and 1 in LEVELS else bytes(stream))
        assert ghz.Stream.from_bytes(packed, stream.shape) == stream
        assert ghz.Stream.from_bytes(bytearray(packed)) == stream
    assert len(ghz.compress(np.zeros((500, 500)), abs=1).packed(2)) < 300


@pytest.mark.parametrize("level", LEVELS)
def test_packed_bytes_that_lie(level: int) -> None:
    stream = ghz.compress(field((200, 300)), abs=1e-3)
    packed = stream.packed(level)
    for bad in (packed[:-1], packed[:20], packed + b"\0", packed[:8] + b"\xff" * 8 + packed[16:]):
        with pytest.raises(ghz.CorruptError):
            ghz.Stream.from_bytes(bad, stream.shape)
    for version in (1, 3):
        with pytest.raises(ghz.VersionError, match=f"version {version}"):
            ghz.Stream.from_bytes(packed[:4] + bytes([version]) + packed[5:])
    with pytest.raises(ghz.CorruptError, match="it may have"):
        ghz.Stream.from_bytes(ghz.compress(field((300, 300, 30)), abs=1e-9).packed(level), (4, 4))


def test_levels_that_are_none() -> None:
    stream = ghz.compress(field((20, 30)), abs=1e-3)
    for level in (0, 3, 19, -1):
        with pytest.raises(ghz.ArgumentError, match=f"level {level} of packing: must be 1 or 2"):
            stream.packed(level)
    if not ghz.features["zstd"]:
        with pytest.raises(ghz.UnsupportedError, match="no zstd"):
            stream.packed(1)
