# test_zarr_packed.py: owns the tests of chunks that are packed, and are added nevertheless.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

zarr = pytest.importorskip("zarr", minversion="3.1")

import ghz
import ghz.zarr
from ghz.zarr import GhzCodec
from zarr.core.buffer import cpu
from zarr.storage import MemoryStore

from conftest import LEVELS

EB = 1e-3
SHAPE, CHUNKS = (8, 200, 300), (4, 200, 300)


def field(seed: int) -> Any:
    """A field with a mask, the same in all, of 1e20."""
    values = np.random.default_rng(seed).normal(size=SHAPE).cumsum(1).cumsum(2) / 100
    y, x = np.ogrid[:200, :300]
    values[:, np.sin(y / 9) + np.cos(x / 13) > 0.7] = 1e20
    return values.astype("f4")


def create(data: Any, pack: int | None = 2, **more: Any) -> Any:
    codec = GhzCodec(abs=EB, fill=1e20, pack=pack)
    settings = {"chunks": CHUNKS, "serializer": codec, "compressors": None, **more}
    return zarr.create_array(MemoryStore(), data=data, **settings)


def chunk(array: Any, key: str = "c/0/0/0") -> bytes:
    found: bytes = array.store_path.store._store_dict[key].to_bytes()
    return found


@pytest.mark.parametrize("level", LEVELS)
def test_packed_chunks_are_smaller_and_hold_the_same_stream(level: int) -> None:
    data = field(0)
    plain, packed = create(data, None), create(data, level)
    assert chunk(packed)[:4] == b"GHZP" and len(chunk(packed)) < 0.9 * len(chunk(plain))
    assert bytes(ghz.Stream.from_bytes(chunk(packed))) == chunk(plain)
    np.testing.assert_array_equal(packed[...], plain[...])
    np.testing.assert_array_equal(packed[2, 100:140, ::7], plain[2, 100:140, ::7])
    assert zarr.open_array(packed.store_path.store).serializer == packed.serializer
    assert packed.metadata.to_dict()["codecs"][0]["configuration"]["pack"] == level


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("more", [{}, {"chunks": (4, 100, 300), "shards": (4, 200, 300)}])
def test_packed_chunks_add_to_packed_chunks(more: dict[str, Any], level: int) -> None:
    data = [field(seed) for seed in range(3)]
    packed, plain = ([create(one, pack, **more) for one in data] for pack in (level, None))
    for function in (ghz.zarr.sum, ghz.zarr.mean):
        one, two = function(packed, MemoryStore()), function(plain, MemoryStore())
        np.testing.assert_array_equal(one[...], two[...])
        if not more:
            assert bytes(ghz.Stream.from_bytes(chunk(one))) == chunk(two)
            assert chunk(one)[:4] == b"GHZP"
    anomalies = [ghz.zarr.anomalies(a, [MemoryStore() for _ in a]) for a in (packed, plain)]
    for one, two in zip(*anomalies):
        np.testing.assert_array_equal(one[...], two[...])


def test_zarr_2_and_numcodecs_pack() -> None:
    numcodecs = pytest.importorskip("ghz.numcodecs")
    data = [field(seed) for seed in range(2)]
    codec = numcodecs.Ghz(abs=EB, fill=1e20, pack=2)
    settings = {"chunks": CHUNKS, "compressors": codec, "zarr_format": 2}
    arrays = [zarr.create_array(MemoryStore(), data=one, **settings) for one in data]
    result = ghz.zarr.mean(arrays, MemoryStore())
    assert chunk(result, "0.0.0")[:4] == b"GHZP"
    there = data[0] < 1e19
    assert abs(result[...] - np.mean(data, 0, dtype="f8"))[there].max() <= EB
    assert (result[...][~there] == np.float32(1e20)).all()


def test_packed_chunks_that_lie() -> None:
    arrays = [create(field(seed)) for seed in range(2)]
    good = chunk(arrays[1])
    larger = ghz.compress(np.random.default_rng(0).normal(size=(40, 500, 500)), abs=1e-12)
    cases = {
        "of a frame": good[:-3],
        "version 9": good[:4] + b"\x09" + good[5:],
        "page 0": good[:120] + bytes(30) + good[150:],  # states that none can be
        "it may have": larger.packed(2),
    }
    for words, bad in cases.items():
        arrays[1].store_path.store._store_dict["c/0/0/0"] = cpu.Buffer.from_bytes(bad)
        with pytest.raises(ghz.CorruptError, match=f"c/0/0/0: .*{words}"):
            ghz.zarr.sum(arrays, MemoryStore())
        with pytest.raises(ghz.CorruptError, match=words):
            arrays[1][...]


@pytest.mark.parametrize("pack", [0, 3, 19, -1, True, 1.0, "1"])
def test_levels_that_are_none(pack: Any) -> None:
    with pytest.raises((ValueError, TypeError), match="codec ghz: pack is"):
        GhzCodec(abs=1, pack=pack)
