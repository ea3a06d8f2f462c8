# test_rewrite.py: owns the tests of chunks that are written again and again: what is not written
# anew stays within two bounds of what was.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import gc
import threading
import weakref
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import ghz
from ghz import _recent
from ghz._settings import Settings


def waves(shape: tuple[int, ...], dtype: Any = "f4") -> np.ndarray:
    rng = np.random.default_rng(3)
    axes = np.meshgrid(*(np.linspace(0, 1, n) for n in shape), indexing="ij")
    terms = zip(rng.normal(size=8), rng.uniform(0, 4, (8, len(shape))), rng.uniform(0, 1, 8))
    total = sum(
        a * np.sin(2 * np.pi * (sum(k * x for k, x in zip(ks, axes)) + phase))
        for a, ks, phase in terms
    )
    return (10 * np.asarray(total)).astype(dtype)


class ByUpdate:
    """An array behind ghz.update."""

    def __init__(self, shape: tuple[int, ...], **bound: float) -> None:
        self.bound = bound
        self.stream = ghz.compress(np.zeros(shape, "f4"), **bound)

    def __setitem__(self, box: Any, values: Any) -> None:
        x = self.stream.decompress()
        x[box] = values
        self.stream = ghz.update(self.stream, x, **self.bound)

    def __getitem__(self, box: Any) -> np.ndarray:
        return self.stream.decompress()[box]


def by_zarr(shape: tuple[int, ...], **bound: float) -> Any:
    zarr = pytest.importorskip("zarr", minversion="3.1")
    from ghz.zarr import GhzCodec

    store = zarr.storage.MemoryStore()
    return zarr.create_array(store, shape=shape, chunks=shape, dtype="f4", fill_value=0,
                             serializer=GhzCodec(**bound), compressors=None)  # fmt: skip


def by_numcodecs(shape: tuple[int, ...], **bound: float) -> Any:
    zarr = pytest.importorskip("zarr", minversion="3.1")
    from ghz.numcodecs import Ghz

    store = zarr.storage.MemoryStore()
    return zarr.create_array(store, shape=shape, chunks=shape, dtype="f4", fill_value=0,
                             compressors=Ghz(**bound), zarr_format=2)  # fmt: skip


class ByHdf5:
    """A data set of one chunk, which leaves HDF5's cache after each access."""

    def __init__(self, path: Any, shape: tuple[int, ...], **bound: float) -> None:
        self.h5py = pytest.importorskip("h5py")
        self.path = path
        with self.h5py.File(path, "w") as f:
            f.create_dataset("a", shape, "f4", chunks=shape, **ghz.hdf5(**bound))

    def __setitem__(self, box: Any, values: Any) -> None:
        with self.h5py.File(self.path, "r+") as f:
            f["a"][box] = values

    def __getitem__(self, box: Any) -> np.ndarray:
        with self.h5py.File(self.path) as f:
            return f["a"][box]


WAYS = ["update", "zarr", "numcodecs", "hdf5"]
BOUNDS = [{"abs": 0.05}, {"rel": 1e-3}]


@pytest.fixture
def make(request: Any, tmp_path: Any) -> Iterator[Any]:
    way = request.param
    yield {
        "update": ByUpdate,
        "zarr": by_zarr,
        "numcodecs": by_numcodecs,
        "hdf5": lambda shape, **bound: ByHdf5(tmp_path / f"{id(bound)}.h5", shape, **bound),
    }[way]


class Written:
    """What was last written, and the largest bound of the chunk since."""

    def __init__(self, array: Any, values: np.ndarray, **bound: float) -> None:
        self.array, self.bound = array, bound
        self.values = np.zeros(values.shape)
        self.bounds = np.zeros(values.shape)
        self.write(np.s_[...], values)

    def write(self, box: Any, values: np.ndarray) -> None:
        self.array[box] = values
        self.values[box] = values
        [(kind, value)] = self.bound.items()
        # HDF5's filter leaves zeros out of the range, and what the values were, were they written
        # elsewhere, in: both are within what is measured here.
        now = value * (np.ptp(self.values) if kind == "rel" else 1)
        self.bounds = np.maximum(self.bounds, now)
        self.bounds[box] = now

    def distance(self) -> float:
        """The largest distance from what was last written, in bounds."""
        apart = np.abs(self.array[...].astype("f8") - self.values)
        return float((apart / self.bounds).max())


def boxes(shape: tuple[int, ...], rng: Any, part: int = 3) -> Iterator[tuple[slice, ...]]:
    while True:
        begins = [int(rng.integers(0, n)) for n in shape]
        yield tuple(
            slice(b, b + 1 + int(rng.integers(0, max(n // part, 1)))) for b, n in zip(begins, shape)
        )


@pytest.mark.parametrize("make", WAYS, indirect=True)
@pytest.mark.parametrize("bound", BOUNDS, ids=str)
@pytest.mark.parametrize("shape", [(30, 40, 50), (2, 70, 90), (9000,)], ids=str)
def test_a_hundred_rewrites_stay_within_two_bounds(make: Any, bound: Any, shape: Any) -> None:
    rng = np.random.default_rng(1)
    data = waves(shape)
    written = Written(make(shape, **bound), data, **bound)
    for _, box in zip(range(100), boxes(shape, rng)):
        noise = rng.normal(size=data[box].shape).astype("f4") / 10
        written.write(box, data[box] * np.float32(rng.uniform(0.9, 1)) + noise)
    assert written.distance() <= 2.001  # the range is that of what is stored, within a bound


@pytest.mark.parametrize("make", WAYS, indirect=True)
@pytest.mark.parametrize("bound", BOUNDS, ids=str)
def test_thirty_appends_stay_within_two_bounds(make: Any, bound: Any) -> None:
    data = waves((30, 40, 50))
    data += np.linspace(0, 300, 30, dtype="f4")[:, None, None]  # the range grows
    array = make(data.shape, **bound)
    for i in range(30):
        array[i] = data[i]
    [(kind, value)] = bound.items()
    apart = np.abs(array[...].astype("f8") - data).max()
    assert apart <= 2 * value * (np.ptp(data) if kind == "rel" else 1)


@pytest.mark.parametrize("make", WAYS, indirect=True)
def test_ranges_that_grow_and_shrink(make: Any) -> None:
    rng = np.random.default_rng(2)
    data = waves((16, 40, 50))
    written = Written(make(data.shape, rel=1e-3), data, rel=1e-3)
    for _, box in zip(range(60), boxes(data.shape, rng, 2)):
        written.write(box, data[box] * np.float32(1000 ** rng.uniform(-1, 1)))
    assert written.distance() <= 2.51  # a change of the step may cost half a bound


@pytest.mark.parametrize("make", ["zarr", "numcodecs"], indirect=True)
def test_several_threads_write_at_once(make: Any) -> None:
    data = waves((16, 40, 50))
    problems: list[Any] = []

    def run(number: int) -> None:
        try:
            rng = np.random.default_rng(number)
            written = Written(make(data.shape, abs=0.05), data + number, abs=0.05)
            for _, box in zip(range(25), boxes(data.shape, rng)):
                written.write(box, data[box] * np.float32(rng.uniform(0.5, 2)))
            assert written.distance() <= 2
        except BaseException as problem:
            problems.append(problem)

    threads = [threading.Thread(target=run, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not problems, problems


def test_many_chunks_of_a_store_at_once() -> None:
    zarr = pytest.importorskip("zarr", minversion="3.1")
    from ghz.zarr import GhzCodec

    data = waves((32, 96, 96))
    turned = zarr.codecs.TransposeCodec(order=(2, 0, 1))
    for more in ({}, {"shards": (16, 96, 96)}, {"filters": [turned]}):
        rng = np.random.default_rng(3)
        array = zarr.create_array(zarr.storage.MemoryStore(), shape=data.shape, dtype="f4", fill_value=0,
                                  chunks=(16, 32, 48), serializer=GhzCodec(abs=0.05), compressors=None,
                                  **more)  # fmt: skip
        written = Written(array, data, abs=0.05)
        for _, box in zip(range(30), boxes(data.shape, rng)):
            written.write(box, data[box] * np.float32(rng.uniform(0.5, 2)))
        assert written.distance() <= 2, more


def test_one_write_costs_nothing() -> None:
    """A chunk that is no other's has the bytes of ghz.compress, whatever was read before."""
    numcodecs = pytest.importorskip("numcodecs")
    codec = numcodecs.get_codec({"id": "ghz", "abs": 0.05})
    data = waves((16, 40, 50))
    for step in range(5):
        now = data * np.float32(1 + step / 10)
        encoded = codec.encode(now)
        assert encoded == bytes(ghz.compress(now, abs=0.05))
        codec.decode(encoded)
    # Nor does another bound find it.
    back = codec.decode(encoded).reshape(data.shape)
    other = numcodecs.get_codec({"id": "ghz", "abs": 0.01})
    assert other.encode(back) == bytes(ghz.compress(back, abs=0.01))


def test_what_is_kept_is_bounded(monkeypatch: Any) -> None:
    monkeypatch.setattr(_recent, "STREAMS", 3)
    x = waves((40, 50))
    for number in range(5):
        stream = ghz.compress(x + number, abs=0.01)
        _recent.keep("test", stream, stream.decompress())
    assert len(_recent._kept) <= 3
    values = stream.decompress()
    values[:20] = 7
    assert _recent.find("test", values, None) is stream
    assert _recent.find("other", values, None) is None
    assert _recent.find("test", np.zeros_like(values), None) is None
    for mib, kept in (("no number", 1), ("0", 0), ("1", 1)):
        monkeypatch.setenv("GHZ_KEEP_MIB", mib)
        _recent.keep(mib, stream, stream.decompress())
        assert (_recent.find(mib, values, None) is stream) == kept and len(
            _recent._kept
        ) <= 3 * kept


def test_what_is_kept_holds_no_shard() -> None:
    x = waves((40, 50))
    encoded = bytes(ghz.compress(x, abs=0.01))
    shard = np.frombuffer(bytes(99) + encoded + bytes(99), np.uint8)
    seen = weakref.ref(shard)
    chunk = ghz.Stream(shard[99:-99], x.shape)
    Settings(abs=0.01).decompress(chunk)
    del shard, chunk
    gc.collect()
    assert seen() is None


# ---- ghz.update ----


def test_update_keeps_what_did_not_change() -> None:
    x = waves((32, 40, 48))
    for order in "CF":
        a = ghz.compress(np.asarray(x, order=order), abs=1e-3)
        y = a.decompress()
        assert bytes(ghz.update(a, y)) == bytes(a)
        y[20:] += 1
        b = ghz.update(a, y)
        assert b.lattice == a.lattice and b.shape == a.shape and b.order == a.order
        np.testing.assert_array_equal(b.decompress()[:16], y[:16])
        assert np.abs(b.decompress() - y).max() <= 1e-3
        assert ghz.update(a, y, abs=1e-1).lattice.step == a.lattice.step * 64


def test_update_refuses() -> None:
    x = waves((32, 40))
    a = ghz.compress(x, abs=1e-3)
    with pytest.raises(ghz.MismatchError):
        ghz.update(a, x[:31])
    with pytest.raises(ghz.MismatchError):
        ghz.update(a, x.astype("f8"))
    with pytest.raises(ghz.ArgumentError, match="sum"):
        ghz.update(a + a, x)
    with pytest.raises(ghz.ArgumentError):
        ghz.update(a, x, abs=1, rel=1)
    with pytest.raises(ghz.MismatchError, match="int16"):
        ghz.update(a, x.astype("i2"))
    with pytest.raises(TypeError):
        ghz.update(a, x.astype("c8"))
    bad = bytearray(bytes(a))
    bad[-40:] = bytes(40)
    bad[90] = 255
    with pytest.raises(ghz.CorruptError):
        ghz.update(ghz.Stream(bytes(bad), x.shape), x)
