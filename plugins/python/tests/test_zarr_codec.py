# test_zarr_codec.py: owns the tests of the Zarr v3 codec: values, bytes, partial reads.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

zarr = pytest.importorskip("zarr", minversion="3.1")

import ghz
from ghz.zarr import GhzCodec
from zarr.storage import MemoryStore, WrapperStore


def smooth(shape: tuple[int, ...], dtype: Any = "f4", seed: int = 0) -> np.ndarray:
    values = np.random.default_rng(seed).normal(size=shape)
    for axis in range(len(shape)):
        values = values.cumsum(axis)
    return values.astype(dtype)


def create(data: np.ndarray, codec: Any = None, store: Any = None, **more: Any) -> Any:
    store = MemoryStore() if store is None else store
    codec = codec or GhzCodec(abs=1e-3)
    return zarr.create_array(store, data=data, serializer=codec, compressors=None, **more)


def chunk_bytes(array: Any, *place: int) -> bytes:
    key = array.metadata.encode_chunk_key(place)
    return array.store_path.store.get_sync((array.store_path / key).path).to_bytes()


def error(one: Any, two: Any) -> float:
    return float(np.abs(np.asarray(one, "f8") - np.asarray(two, "f8")).max(initial=0))


@pytest.mark.parametrize("dtype", ["f4", "f8", ">f4", ">f8"])
@pytest.mark.parametrize(
    "shape, chunks",
    [((), ()), ((1,), (1,)), ((5000,), (1000,)), ((50, 70), (32, 32)), ((40, 50, 60), (16, 24, 60)),
     ((3, 4, 20, 30), (2, 3, 16, 16)), ((0,), (1,)), ((0, 7), (1, 7)), ((2, 3, 4, 5, 6), (2, 2, 2, 2, 2))],
)  # fmt: skip
def test_values_are_within_the_bound(
    shape: tuple[int, ...], chunks: tuple[int, ...], dtype: str
) -> None:
    data = smooth(shape, dtype)
    array = create(data, chunks=chunks)
    assert np.shape(array[...]) == shape
    assert array[...].dtype == (array.dtype if shape else array.dtype.newbyteorder("="))
    assert error(array[...], data) <= 1e-3


def test_a_chunk_is_the_stream_of_its_values() -> None:
    data = smooth((32, 32, 64))
    assert chunk_bytes(create(data, chunks=data.shape), 0, 0, 0) == bytes(
        ghz.compress(data, abs=1e-3)
    )


def test_fortran_order_changes_no_byte() -> None:
    data = smooth((32, 32, 64))
    array = create(np.asfortranarray(data), chunks=data.shape, config={"order": "F"})
    assert array[...].flags.f_contiguous
    assert chunk_bytes(array, 0, 0, 0) == bytes(ghz.compress(data, abs=1e-3))
    assert error(array[3, :, 5:9], data[3, :, 5:9]) <= 1e-3


def test_transpose_codec() -> None:
    data = smooth((32, 48, 64))
    turned = zarr.codecs.TransposeCodec(order=(2, 0, 1))
    array = create(data, chunks=(32, 24, 64), filters=[turned])
    assert error(array[...], data) <= 1e-3
    chunk = np.ascontiguousarray(data[:, :24].transpose(2, 0, 1))
    assert chunk_bytes(array, 0, 0, 0) == bytes(ghz.compress(chunk, abs=1e-3))


def test_shards() -> None:
    data = smooth((64, 64, 64))
    array = create(data, chunks=(16, 16, 64), shards=(32, 32, 64))
    assert error(array[...], data) <= 1e-3
    assert error(array[17, 3:40, ::9], data[17, 3:40, ::9]) <= 1e-3


def test_specials_come_back() -> None:
    data = smooth((40, 40))
    data[3, 4], data[5, 6], data[7, 8] = np.nan, np.inf, -np.inf
    back = create(data, chunks=(16, 40))[...]
    where = ~np.isfinite(data)
    np.testing.assert_array_equal(back[where], data[where])
    assert error(back[~where], data[~where]) <= 1e-3


def test_fill_is_kept_and_outside_the_range() -> None:
    data = smooth((64, 64))
    codec = GhzCodec(rel=1e-3, fill=1e20)
    plain = float(np.ptp(data)) * 1e-3
    data[10:30, 20:50] = 1e20
    back = create(data, codec, chunks=data.shape)[...]
    assert (back[10:30, 20:50] == np.float32(1e20)).all()
    assert error(back[40:], data[40:]) <= plain


def test_a_range_makes_chunks_that_add() -> None:
    data = smooth((64, 64))
    codecs = [GhzCodec(rel=1e-3, range=(-100, 100)), GhzCodec(rel=1e-3)]
    for codec, equal in zip(codecs, (True, False)):
        array = create(data, codec, chunks=(32, 64))
        streams = [ghz.Stream.from_bytes(chunk_bytes(array, i, 0), (32, 64)) for i in range(2)]
        assert (streams[0].lattice == streams[1].lattice) == equal


def test_metadata_name_the_codec_and_bring_it_back() -> None:
    store = MemoryStore()
    for codec in (GhzCodec(abs=1), GhzCodec(rel=1e-3, range=[0, 2], fill=-999)):
        create(smooth((20, 20)), codec, store, overwrite=True)
        again = zarr.open_array(store, mode="r")
        assert again.serializer == codec
        assert again.metadata.to_dict()["codecs"][0]["name"] == "ghz"
    assert zarr.registry.get_codec_class("ghz") is GhzCodec  # by the entry point


@pytest.mark.parametrize(
    "settings, kind",
    [({}, ValueError), ({"abs": 1, "rel": 1}, ValueError), ({"abs": 0}, ValueError),
     ({"abs": -1}, ValueError), ({"abs": float("nan")}, ValueError), ({"abs": "1"}, TypeError),
     ({"abs": True}, TypeError), ({"abs": 1, "range": [0, 1]}, ValueError),
     ({"rel": 1, "range": [1, 0]}, ValueError), ({"rel": 1, "range": [1]}, ValueError),
     ({"rel": 1, "range": 3}, ValueError), ({"abs": 1, "fill": float("inf")}, ValueError),
     ({"abs": 1, "level": 3}, ValueError), ({"abs": 10**400}, ValueError)],
)  # fmt: skip
def test_settings_that_are_none(settings: dict[str, Any], kind: type[Exception]) -> None:
    with pytest.raises(kind, match="ghz"):
        GhzCodec.from_dict({"name": "ghz", "configuration": settings})


@pytest.mark.parametrize("dtype", ["i4", "u1", "f2", "c8", "bool", "M8[s]"])
def test_other_types_are_refused(dtype: str) -> None:
    with pytest.raises(TypeError, match="float32 or float64"):
        zarr.create_array(MemoryStore(), shape=(4,), dtype=dtype, serializer=GhzCodec(abs=1),
                          compressors=None)  # fmt: skip


class Counting(WrapperStore):  # type: ignore[type-arg, misc]
    """Counts the reads and bytes of chunks."""

    reads = size = 0

    async def get(self, key: str, prototype: Any, byte_range: Any = None) -> Any:
        found = await super().get(key, prototype, byte_range)
        if found is not None and not key.endswith(".json"):
            self.reads += 1
            self.size += len(found)
        return found


SELECTIONS = [
    np.s_[5, 6, 7], np.s_[5], np.s_[:, 100, 9], np.s_[10:40:7, 3:4, :], np.s_[-1, -1, -1],
    np.s_[127:128, 60:70, ::50], np.s_[0:0, :, :], np.s_[..., 3],
]  # fmt: skip


@pytest.mark.parametrize("selection", SELECTIONS, ids=str)
@pytest.mark.parametrize("shape", [(128, 128, 128), (2, 2, 64, 128, 64), (1, 1500, 1500)], ids=str)
def test_a_part_is_what_numpy_takes(shape: tuple[int, ...], selection: Any) -> None:
    data = smooth(shape)
    selection = (
        selection if len(shape) == 3 else (1, 0, *np.atleast_1d(np.array(selection, object)))
    )
    array = create(data, chunks=shape)
    index = tuple(
        i if i is Ellipsis or isinstance(i, slice) else min(i, n - 1)
        for i, n in zip(selection if isinstance(selection, tuple) else (selection,), shape)
    )
    want, got = data[index], array[index]
    assert np.shape(got) == want.shape and error(got, want) <= 1e-3


def test_a_part_by_positions() -> None:
    data = smooth((128, 128, 128))
    array = create(data, chunks=(128, 128, 64))
    rng = np.random.default_rng(1)
    for count in (1, 3, 40):
        z, y, x = (rng.integers(0, 128, count) for _ in range(3))
        assert error(array.vindex[z, y, x], data[z, y, x]) <= 1e-3
        got = array.oindex[np.unique(z), :, np.unique(x)]
        assert error(got, data[np.ix_(np.unique(z), range(128), np.unique(x))]) <= 1e-3
    mask = np.zeros(128, bool)
    mask[[3, 77]] = True
    assert error(array.oindex[mask, 5, :], data[mask, 5, :]) <= 1e-3


def test_a_part_reads_a_part() -> None:
    data = smooth((256, 256, 128))
    store = Counting(MemoryStore())
    array = create(data, store=store, chunks=data.shape)
    size = len(store._store._store_dict["c/0/0/0"])
    store.reads = store.size = 0
    assert error(array[100, 40:50, :], data[100, 40:50, :]) <= 1e-3
    assert store.reads <= 3 and store.size < size / 10, (store.reads, store.size, size)


def test_an_index_that_lies_ends_in_an_error_or_in_values() -> None:
    data = smooth((64, 128, 64))
    array = create(data, chunks=data.shape)
    store = array.store_path.store
    good = chunk_bytes(array, 0, 0, 0)
    rng = np.random.default_rng(2)
    index = 72 + 32 * 8 + 512 * 2
    outcomes = set()
    for at in [*range(72), *rng.integers(72, index, 200)]:
        bad = bytearray(good)
        bad[at] ^= int(rng.integers(1, 256))
        store._store_dict["c/0/0/0"] = zarr.core.buffer.cpu.Buffer.from_bytes(bytes(bad))
        try:
            outcomes.add(array[3, 5:9, :].shape)
        except ghz.Error as problem:
            outcomes.add(type(problem))
    assert {ghz.CorruptError, (4, 64)} <= outcomes


def test_a_chunk_of_something_else() -> None:
    data = smooth((64, 128, 64))
    array = create(data, chunks=data.shape)
    other = {
        "shape": ghz.compress(data.reshape(128, 64, 64), abs=1e-3),
        "fewer": ghz.compress(data[:63], abs=1e-3),
        "type": ghz.compress(data.astype("f8"), abs=1e-3),
        "truncated": chunk_bytes(array, 0, 0, 0)[:-1],
        "header": chunk_bytes(array, 0, 0, 0)[:71],
        "longer": chunk_bytes(array, 0, 0, 0) + b"\0",
        "nothing": b"",
        "no stream": b"Zarr" * 1000,
    }
    for name, data_bytes in other.items():
        value = zarr.core.buffer.cpu.Buffer.from_bytes(bytes(data_bytes))
        array.store_path.store._store_dict["c/0/0/0"] = value
        kind = ValueError if name in ("shape", "fewer", "type") else ghz.CorruptError
        for selection in (..., np.s_[-1, -9:, :]):
            if name == "longer" and selection is not ...:
                continue  # a part is read as the index says
            with pytest.raises(kind, match="c/0/0/0: ") as caught:
                array[selection]
            assert isinstance(caught.value, ghz.Error), name


def test_a_missing_chunk_is_the_fill_value() -> None:
    array = zarr.create_array(MemoryStore(), shape=(64, 64, 64), dtype="f4", serializer=GhzCodec(abs=1),
                              compressors=None, fill_value=7)  # fmt: skip
    assert (array[...] == 7).all() and (array[3, 4:6] == 7).all()
