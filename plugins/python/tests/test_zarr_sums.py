# test_zarr_sums.py: owns the tests of sums and means of Zarr stores, taken on compressed chunks.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import itertools
import pathlib
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import numpy as np
import pytest

zarr = pytest.importorskip("zarr", minversion="3.1")

import ghz
import ghz.zarr
from ghz.zarr import GhzCodec
from zarr.storage import LocalStore, MemoryStore, StorePath, ZipStore

FILTER = [zarr.codecs.numcodecs.FixedScaleOffset(offset=0, scale=10, dtype="f4")]
SHAPE, CHUNKS = (40, 50, 60), (16, 24, 60)
EB = 1e-3


def field(seed: int) -> np.ndarray:
    values = np.random.default_rng(seed).normal(size=SHAPE)
    return values.cumsum(0).cumsum(1).cumsum(2).astype("f4") / 100


def create(store: Any, data: Any, **more: Any) -> Any:
    settings = {"serializer": GhzCodec(abs=EB), "compressors": None, "chunks": CHUNKS, **more}
    return zarr.create_array(store, data=data, **settings)


def chunk(array: Any, place: tuple[int, ...]) -> bytes | None:
    path = (array.store_path / array.metadata.encode_chunk_key(place)).path
    found = zarr.core.sync.sync(
        array.store_path.store.get(path, zarr.core.buffer.default_buffer_prototype())
    )
    return None if found is None else found.to_bytes()


def places() -> list[tuple[int, ...]]:
    return list(itertools.product(range(3), range(3), range(1)))


def stream(array: Any, place: tuple[int, ...]) -> ghz.Stream:
    data = chunk(array, place)
    assert data is not None
    return ghz.Stream.from_bytes(data, CHUNKS)


def zip_of(path: pathlib.Path, number: int) -> ZipStore:
    return ZipStore(path / f"{number}.zip", mode="w")


STORES = {
    "path": lambda path, number: path / f"{number}.zarr",
    "text": lambda path, number: str(path / f"{number}.zarr"),
    "local": lambda path, number: LocalStore(path / f"{number}.zarr"),
    "memory": lambda path, number: MemoryStore(),
    "zip": zip_of,
    "url": lambda path, number: f"memory://{path.name}/{number}.zarr",
    "inside": lambda path, number: StorePath(MemoryStore(), f"a/{number}"),
}


@pytest.mark.parametrize("kind", STORES)
def test_chunks_are_the_sums_and_means_of_chunks(kind: str, tmp_path: pathlib.Path) -> None:
    if kind == "url":
        pytest.importorskip("fsspec")
    stores = [STORES[kind](tmp_path, number) for number in range(5)]
    data = [field(number) for number in range(3)]
    arrays = [create(store, values, attributes={"units": "K"}, dimension_names=["t", "y", "x"])
              for store, values in zip(stores, data)]  # fmt: skip
    for function, of_chunks, out in ((ghz.zarr.sum, ghz.sum, 3), (ghz.zarr.mean, ghz.mean, 4)):
        result = function(stores[:3], stores[out])
        for place in places():
            assert chunk(result, place) == bytes(of_chunks(stream(a, place) for a in arrays))
        method = f"realization: {function.__name__}"
        assert dict(result.attrs) == {"units": "K", "cell_methods": method}
        assert result.metadata.dimension_names == ("t", "y", "x")
        exact = np.sum(data, 0, dtype="f8") / (3 if function is ghz.zarr.mean else 1)
        limit = EB if function is ghz.zarr.mean else 3 * EB
        assert abs(result[...] - exact).max() <= limit


def test_arrays_and_parts_of_groups_are_sources(tmp_path: pathlib.Path) -> None:
    group = zarr.create_group(tmp_path / "g.zarr")
    arrays = [create(group.store_path / name, field(i)) for i, name in enumerate("ab")]
    result = ghz.zarr.sum(arrays, MemoryStore())
    assert chunk(result, (0, 0, 0)) == bytes(
        stream(arrays[0], (0, 0, 0)) + stream(arrays[1], (0, 0, 0))
    )


def test_a_sum_of_sums_has_the_same_bytes() -> None:
    a, b, c = (create(MemoryStore(), field(i)) for i in range(3))
    one = ghz.zarr.sum([a, b, c], MemoryStore())
    two = ghz.zarr.sum([c, ghz.zarr.sum([b, a], MemoryStore())], MemoryStore())
    assert [chunk(one, p) for p in places()] == [chunk(two, p) for p in places()]


@pytest.mark.parametrize("fill", [0.0, 5.0, np.nan, np.inf])
def test_a_chunk_that_is_missing_counts_as_its_fill_value(fill: float) -> None:
    data = [field(i) for i in range(3)]
    data[0][:16] = data[1][:32] = data[2][:16, :24] = fill
    arrays = [create(MemoryStore(), values, fill_value=fill) for values in data]
    gone = [[chunk(a, p) is None for p in places()] for a in arrays]
    assert all(any(g) for g in gone) and gone[0][0] and gone[1][0] and gone[2][0]
    for function, k in ((ghz.zarr.sum, 1), (ghz.zarr.mean, 3)):
        result = function(arrays, MemoryStore())
        assert chunk(result, (0, 0, 0)) is None  # what all lack, the result lacks
        with np.errstate(invalid="ignore"):
            exact = np.sum(data, 0, dtype="f8") / k
        np.testing.assert_allclose(result[...], exact, rtol=0, atol=3.01 * EB / k)


def test_what_is_missing_makes_the_sum_missing() -> None:
    data = [field(i) for i in range(2)]
    data[0][:16] = -999
    data[1][3, 4, 5] = data[1][30, 4, 5] = -999
    codec = GhzCodec(abs=EB, fill=-999)
    for fill_value in (-999, 0):
        arrays = [create(MemoryStore(), v, serializer=codec, fill_value=fill_value) for v in data]
        assert (chunk(arrays[0], (0, 0, 0)) is None) == (fill_value == -999)
        result = ghz.zarr.sum(arrays, MemoryStore())
        assert result.fill_value == fill_value
        assert (result[:16] == -999).all() and result[30, 4, 5] == -999
        assert abs(result[17:30] - (data[0] + data[1])[17:30]).max() <= 2 * EB


def test_transposed_chunks() -> None:
    data = [field(i) for i in range(2)]
    turned = [zarr.codecs.TransposeCodec(order=(2, 0, 1))]
    data[0][:16] = 0
    result = ghz.zarr.mean([create(MemoryStore(), v, filters=turned) for v in data], MemoryStore())
    assert abs(result[...] - np.mean(data, 0)).max() <= EB


def test_no_dimensions_and_no_values() -> None:
    for data, chunks in ((np.float32(2), ()), (np.zeros((0, 3), "f4"), (1, 3))):
        arrays = [create(MemoryStore(), data, chunks=chunks) for _ in range(2)]
        np.testing.assert_allclose(ghz.zarr.sum(arrays, MemoryStore())[...], data * 2, atol=2 * EB)


def group_of(path: pathlib.Path, seed: int, time: int = 7) -> pathlib.Path:
    group = zarr.create_group(path, attributes={"title": "a model"})
    create(group.store_path / "tas", field(seed), attributes={"units": "K"})
    create(group.store_path / "ocean/sst", field(seed + 100))
    group.create_array("time", data=np.arange(40) + time)
    group.create_array("name", data=np.array(["a", "bc"]))
    zarr.consolidate_metadata(group.store)
    return path


def test_groups(tmp_path: pathlib.Path) -> None:
    paths = [group_of(tmp_path / f"{i}.zarr", i) for i in range(3)]
    result = ghz.zarr.mean(paths, tmp_path / "mean.zarr")
    assert set(result.attrs) == {"title", "history"} and result.attrs["title"] == "a model"
    assert result.metadata.consolidated_metadata is not None
    assert abs(result["tas"][...] - np.mean([field(i) for i in range(3)], 0)).max() <= EB
    assert (
        abs(result["ocean/sst"][...] - np.mean([field(i + 100) for i in range(3)], 0)).max() <= EB
    )
    np.testing.assert_array_equal(result["time"][...], np.arange(40) + 7)
    assert list(result["name"][...]) == ["a", "bc"] and result["tas"].attrs["units"] == "K"


def test_groups_that_differ_are_refused(tmp_path: pathlib.Path) -> None:
    paths = [group_of(tmp_path / "0.zarr", 0), group_of(tmp_path / "3.zarr", 1)]
    with pytest.raises(ghz.MismatchError, match="3.zarr/tas: an array, but .*0.zarr is a group"):
        ghz.zarr.mean([paths[0], paths[1] / "tas"], tmp_path / "mean.zarr")
    plain = zarr.create_group(tmp_path / "2.zarr")
    plain.create_array("x", data=np.arange(3))
    with pytest.raises(ghz.ArgumentError, match="2.zarr: no array has the codec ghz"):
        ghz.zarr.mean([plain], tmp_path / "mean.zarr")
    assert not (tmp_path / "mean.zarr").exists()


def test_metadata_that_disagree_name_the_store(tmp_path: pathlib.Path) -> None:
    data = field(0)
    good = create(tmp_path / "good.zarr", data)
    others = {
        "shape": create(tmp_path / "shape.zarr", data[:30]),
        "chunk_grid": create(tmp_path / "chunk_grid.zarr", data, chunks=(16, 16, 60)),
        "data_type": create(tmp_path / "data_type.zarr", data.astype("f8")),
        "codecs": create(tmp_path / "codecs.zarr", data, serializer=GhzCodec(abs=2 * EB)),
        "fill_value": create(tmp_path / "fill_value.zarr", data, fill_value=1),
    }
    for name in others:
        with pytest.raises(ghz.MismatchError, match=rf"{name}\.zarr: {name} .*good\.zarr"):
            ghz.zarr.sum([good, tmp_path / f"{name}.zarr"], tmp_path / "out.zarr")
    assert not (tmp_path / "out.zarr").exists()


def test_what_is_not_streams_alone_is_refused() -> None:
    data = field(0)
    cases = {
        "zstd": create(MemoryStore(), data, compressors=zarr.codecs.ZstdCodec()),
        "no array": create(MemoryStore(), data, serializer=zarr.codecs.BytesCodec()),
        "fixed": create(MemoryStore(), data, filters=FILTER),
        "no array has": zarr.create_array(MemoryStore(), data=data, zarr_format=2),
    }
    for text, array in cases.items():
        with pytest.raises(ghz.ArgumentError, match=text):
            ghz.zarr.sum([array, array], MemoryStore())
    with pytest.raises(ghz.ArgumentError, match="no store"):
        ghz.zarr.sum([], MemoryStore())


def test_streams_that_do_not_add_name_the_chunk_and_leave_nothing(tmp_path: pathlib.Path) -> None:
    paths = [tmp_path / f"{i}.zarr" for i in range(4)]
    for number, path in enumerate(paths):
        create(path, field(number))
    bad = paths[2] / "c/1/2/0"
    good = bad.read_bytes()
    shape = CHUNKS[::-1]
    damages = {
        "step": bytes(ghz.compress(field(2)[:16, :24], abs=2 * EB)),
        "shape": bytes(ghz.compress(np.zeros(shape, "f4"), abs=EB)),
        "float64": bytes(ghz.compress(np.zeros(CHUNKS), abs=EB)),
        "": good[:-5],
    }
    tile = bytearray(good)
    tiles = 2 * 3 * 4
    tile[72 + 8 * 2 + 2 * tiles] = 0xFF  # the first byte of the first tile
    damages["tile"] = bytes(tile)
    for text, data in damages.items():
        bad.write_bytes(data)
        with pytest.raises(ghz.Error, match=rf"2\.zarr/c/1/2/0: .*{text}"):
            ghz.zarr.mean(paths, tmp_path / "out.zarr")
        assert not (tmp_path / "out.zarr").exists()


def test_one_store_is_no_list() -> None:
    for function in (ghz.zarr.sum, ghz.zarr.mean):
        with pytest.raises(TypeError, match="give a list of stores, not one str"):
            function("a.zarr", zarr.storage.MemoryStore())


def test_out_must_be_empty(tmp_path: pathlib.Path) -> None:
    array = create(MemoryStore(), field(0))
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine.txt").write_text("kept")
    with pytest.raises(FileExistsError, match="out is not empty"):
        ghz.zarr.sum([array, array], tmp_path / "out")
    assert (tmp_path / "out" / "mine.txt").read_text() == "kept"
    with pytest.raises(FileNotFoundError, match="none.zarr"):
        ghz.zarr.sum([tmp_path / "none.zarr"], tmp_path / "new")


def test_any_map_will_do(tmp_path: pathlib.Path) -> None:
    dask = pytest.importorskip("dask")
    paths = [tmp_path / f"{i}.zarr" for i in range(3)]
    for number, path in enumerate(paths):
        create(path, field(number))

    def dask_map(function: Any, chunks: Any) -> Any:
        return dask.compute(*(dask.delayed(function)(chunk) for chunk in chunks))

    results = [ghz.zarr.mean(paths, tmp_path / "one"), ghz.zarr.mean(paths, tmp_path / "two", map=map),
               ghz.zarr.mean(paths, tmp_path / "three", map=dask_map)]  # fmt: skip
    with ProcessPoolExecutor(
        2, mp_context=__import__("multiprocessing").get_context("spawn")
    ) as pool:
        results.append(ghz.zarr.mean(paths, tmp_path / "four", map=pool.map))
    for place in places():
        assert len({chunk(result, place) for result in results}) == 1


def scaled(number: int, **attributes: float) -> Any:
    return create(MemoryStore(), field(number), attributes=attributes)


def test_values_that_are_decoded_in_different_ways_are_refused() -> None:
    plain, tenfold, shifted = scaled(0), scaled(1, scale_factor=10), scaled(2, add_offset=5)
    for function in (ghz.zarr.sum, ghz.zarr.mean):
        for one, name in ((tenfold, "scale_factor 10, but 1"), (shifted, "add_offset 5, but 0")):
            with pytest.raises(ghz.MismatchError, match=name):
                function([plain, one], MemoryStore())
        function([plain, scaled(1, scale_factor=1, add_offset=0)], MemoryStore())
        result = function([tenfold, scaled(2, scale_factor=10.0)], MemoryStore())
        assert result.attrs["scale_factor"] == 10
    assert ghz.zarr.mean([shifted, scaled(0, add_offset=5)], MemoryStore()).attrs["add_offset"] == 5
    with pytest.raises(ghz.ArgumentError, match="add_offset 5, which a sum would have only once"):
        ghz.zarr.sum([shifted, scaled(0, add_offset=5)], MemoryStore())
