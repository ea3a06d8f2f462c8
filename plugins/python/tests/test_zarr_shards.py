# test_zarr_shards.py: owns the tests of sums of arrays in shards, and of Zarr format 2.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

zarr = pytest.importorskip("zarr", minversion="3.1")

import ghz
import ghz.zarr
from ghz.zarr import GhzCodec
from zarr.codecs import BytesCodec, Crc32cCodec, ShardingCodec, TransposeCodec
from zarr.core.buffer import cpu
from zarr.storage import MemoryStore

SHAPE, SHARD, CHUNK = (40, 50, 60), (32, 32, 60), (16, 16, 30)
EB = 1e-3
INDICES: dict[str, dict[str, Any]] = {
    "end": {},
    "start": {"index_location": "start"},
    "big": {"index_codecs": [BytesCodec(endian="big"), Crc32cCodec()]},
    "plain": {"index_codecs": [BytesCodec()], "index_location": "start"},
}


def field(seed: int) -> Any:
    values = np.random.default_rng(seed).normal(size=SHAPE)
    return values.cumsum(0).cumsum(1).cumsum(2).astype("f4") / 100


def create(data: Any, codecs: Any = None, **index: Any) -> Any:
    codecs = codecs or [GhzCodec(abs=EB)]
    sharding = ShardingCodec(chunk_shape=CHUNK, codecs=codecs, **index)
    return zarr.create_array(
        MemoryStore(), data=data, chunks=SHARD, serializer=sharding, compressors=None, filters=None
    )


def chunk(array: Any, *place: int) -> bytes:
    found: bytes = array.store_path.store._store_dict["c/" + "/".join(map(str, place))].to_bytes()
    return found


@pytest.mark.parametrize("kind", INDICES)
def test_chunks_in_shards_are_added(kind: str) -> None:
    data = [field(i) for i in range(3)]
    data[0][:20, :20] = data[1][:32, :32, :30] = data[2][:32, :32, :30] = 0
    data[0][32:, 32:] = data[1][32:, 32:] = data[2][32:, 32:] = 0  # no shard
    arrays = [create(values, **INDICES[kind]) for values in data]
    for function, k in ((ghz.zarr.sum, 1), (ghz.zarr.mean, 3)):
        result = function(arrays, MemoryStore())
        assert result.shards == SHARD and result.chunks == CHUNK
        assert abs(result[...] - np.sum(data, 0, dtype="f8") / k).max() <= 3 * EB / k
        assert "c/1/1/0" not in result.store_path.store._store_dict
        plain = [
            zarr.create_array(MemoryStore(), data=v, chunks=CHUNK, compressors=None,
                              serializer=GhzCodec(abs=EB)) for v in data
        ]  # fmt: skip
        alone = function(plain, MemoryStore())
        for place in itertools.product(range(3), range(4), range(2)):
            if place[0] < 2 and place[1] < 2 and place != (0, 0, 0):
                assert chunk(alone, *place) in chunk(result, *(p // 2 for p in place))


def test_shards_of_turned_chunks_and_missing_ones() -> None:
    data = [field(i) for i in range(2)]
    data[0][:16, :16, :30] = np.nan
    codecs = [TransposeCodec(order=(2, 0, 1)), GhzCodec(abs=EB)]
    result = ghz.zarr.sum([create(v, codecs) for v in data], MemoryStore())
    want = np.sum(data, 0, dtype="f8")
    np.testing.assert_array_equal(np.isnan(result[...]), np.isnan(want))
    assert np.nanmax(abs(result[...] - want)) <= 2 * EB


def lying(good: bytes, location: str) -> dict[str, bytes]:
    """Returns shards whose index, without a checksum, is wrong."""
    size = 16 * 2 * 2 * 2
    at = 0 if location == "start" else len(good) - size
    found = {}
    for name, entry, value in (
        ("beyond", (0, 0), len(good)),
        ("far", (1, 0), 2**63),
        ("long", (2, 1), 2**64 - 2),
        ("shared", (1, 0), size if location == "start" else 0),
        ("in the index", (3, 0), 5 if location == "start" else len(good) - size - 1),
    ):
        bad = bytearray(good)
        place = at + 16 * entry[0] + 8 * entry[1]
        bad[place : place + 8] = value.to_bytes(8, "little")
        found[name] = bytes(bad)
    return found | {"short": good[: size - 1], "nothing": b""}


@pytest.mark.parametrize("location", ["start", "end"])
def test_an_index_that_lies(location: str) -> None:
    arrays = [
        create(field(i), index_codecs=[BytesCodec()], index_location=location) for i in range(2)
    ]
    good = chunk(arrays[1], 0, 0, 0)
    for name, bad in lying(good, location).items():
        arrays[1].store_path.store._store_dict["c/0/0/0"] = cpu.Buffer.from_bytes(bad)
        out = MemoryStore()
        with pytest.raises(ghz.CorruptError, match="c/0/0/0: .*(index|shard)"):
            ghz.zarr.mean(arrays, out)
        assert not out._store_dict, name


@pytest.mark.parametrize("location", ["start", "end"])
def test_a_checksum_that_is_wrong(location: str) -> None:
    arrays = [create(field(i), index_location=location) for i in range(2)]
    bad = bytearray(chunk(arrays[0], 0, 1, 0))
    bad[3 if location == "start" else -9] ^= 1
    arrays[0].store_path.store._store_dict["c/0/1/0"] = cpu.Buffer.from_bytes(bytes(bad))
    with pytest.raises(ghz.CorruptError, match="c/0/1/0: the index .* checksum"):
        ghz.zarr.sum(arrays, MemoryStore())


def test_a_chunk_in_a_shard_that_is_damaged() -> None:
    arrays = [create(field(i)) for i in range(2)]
    bad = bytearray(chunk(arrays[1], 0, 0, 0))
    bad[2] ^= 255  # the magic of the first chunk
    arrays[1].store_path.store._store_dict["c/0/0/0"] = cpu.Buffer.from_bytes(bytes(bad))
    with pytest.raises(ghz.CorruptError, match="c/0/0/0: "):
        ghz.zarr.sum(arrays, MemoryStore())


def test_what_is_around_the_shards_is_refused() -> None:
    data = field(0)
    cases = {
        "the codecs are ghz and gzip": create(data, [GhzCodec(abs=EB), zarr.codecs.GzipCodec()]),
        "index: bytes, gzip": create(data, index_codecs=[BytesCodec(), zarr.codecs.GzipCodec()]),
    }
    cases["ghz and transpose"] = zarr.create_array(
        MemoryStore(), data=data, chunks=SHARD, compressors=None,
        filters=[TransposeCodec(order=(0, 1, 2))],
        serializer=ShardingCodec(chunk_shape=CHUNK, codecs=[GhzCodec(abs=EB)]),
    )  # fmt: skip
    for name, array in cases.items():
        with pytest.raises(ghz.ArgumentError, match=name):
            ghz.zarr.sum([array, array], MemoryStore())
    plain = zarr.create_array(
        MemoryStore(), data=data, chunks=CHUNK, serializer=GhzCodec(abs=EB), compressors=None
    )
    with pytest.raises(ghz.MismatchError, match="chunk_grid"):
        ghz.zarr.sum([create(data), plain], MemoryStore())


# ---- Format 2 ----


def two(data: Any, **more: Any) -> Any:
    compressor = pytest.importorskip("numcodecs") and __import__("ghz.numcodecs").numcodecs.Ghz
    settings = {"chunks": (16, 24, 60), "compressors": compressor(abs=EB), **more}
    return zarr.create_array(MemoryStore(), data=data, zarr_format=2, **settings)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("order", "CF")
def test_arrays_of_format_2_are_added(dtype: str, order: Any) -> None:
    data = [field(i).astype(dtype) for i in range(3)]
    data[1][:16] = 0
    arrays = [two(values, order=order, attributes={"units": "K"}) for values in data]
    for function, k in ((ghz.zarr.sum, 1), (ghz.zarr.mean, 3)):
        result = function(arrays, MemoryStore())
        assert result.metadata.zarr_format == 2 and result.attrs["units"] == "K"
        assert abs(result[...] - np.sum(data, 0, dtype="f8") / k).max() <= 3 * EB / k * 1.001


def test_fill_values_of_format_2() -> None:
    for fill, want in ((None, 0), (2.0, 4)):
        data = [field(i) for i in range(2)]
        for values in data:
            values[:16, :24] = fill or 0
        result = ghz.zarr.sum([two(values, fill_value=fill) for values in data], MemoryStore())
        assert "0.0.0" not in result.store_path.store._store_dict
        assert result.fill_value == (None if fill is None else want)
        assert (result[:16, :24] == want).all()


def test_format_2_with_filters_or_beside_3_is_refused() -> None:
    numcodecs = pytest.importorskip("numcodecs")
    delta = two(field(0), filters=[numcodecs.Delta("f4")])
    with pytest.raises(ghz.ArgumentError, match="the codecs are ghz and delta"):
        ghz.zarr.sum([delta, delta], MemoryStore())
    three = zarr.create_array(
        MemoryStore(), data=field(1), chunks=(16, 24, 60), serializer=GhzCodec(abs=EB),
        compressors=None,
    )  # fmt: skip
    with pytest.raises(ghz.MismatchError, match="Zarr format 3, but 2"):
        ghz.zarr.sum([two(field(0)), three], MemoryStore())
