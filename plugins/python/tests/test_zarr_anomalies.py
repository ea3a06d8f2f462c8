# test_zarr_anomalies.py: owns the tests of differences of Zarr stores, and of members and their
# mean.
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
from zarr.storage import MemoryStore, StorePath

EB = 1e-3
SHAPE, CHUNKS = (6, 40, 60), (2, 32, 60)
MEMBERS = 5


def values(number: int) -> Any:
    noise = np.random.default_rng(number).normal(size=SHAPE)
    return (280 + noise.cumsum(1).cumsum(2) / 50).astype("f4")


@pytest.fixture
def members(tmp_path: pathlib.Path) -> list[pathlib.Path]:
    """Members as xarray writes them, with a scalar coordinate and a history of each."""
    paths = [tmp_path / f"member{number}.zarr" for number in range(MEMBERS)]
    for number, path in enumerate(paths):
        tas = xarray.DataArray(values(number), dims=("time", "lat", "lon"), attrs={"units": "K"})
        data = tas.assign_coords(realization=number).to_dataset(name="tas")
        data.attrs["history"] = f"run {number}"
        codec: dict[str, Any] = {"serializer": GhzCodec(abs=EB), "compressors": None}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            data.to_zarr(path, encoding={"tas": {"chunks": CHUNKS, **codec}}, zarr_format=3)
    return paths


def tas_of(path: Any) -> Any:
    return xarray.open_zarr(path).tas


def test_anomalies_are_exact_but_for_the_bound(
    members: list[pathlib.Path], tmp_path: pathlib.Path
) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # zarr's word on consolidated metadata, for each result
        results = ghz.zarr.anomalies(members, tmp_path / "anomalies")
    exact = np.stack([values(number) for number in range(MEMBERS)]).astype("f8")
    exact -= exact.mean(0)
    for number, (result, path) in enumerate(zip(results, members)):
        assert str(result.store_path).endswith(f"anomalies/{path.name}")
        data = xarray.open_zarr(tmp_path / "anomalies" / path.name)
        assert abs(data.tas - exact[number]).max() <= 2 * EB
        assert data.realization == number and data.attrs["history"].endswith(
            f": ghz.zarr.anomalies of {MEMBERS} stores\nrun {number}"
        )
        assert data.tas.attrs["units"] == "K" and "cell_methods" not in data.tas.attrs
        stream = ghz.Stream.from_bytes(
            (tmp_path / "anomalies" / path.name / "tas/c/0/0/0").read_bytes()
        )
        assert EB < stream.bound <= 2 * EB * (1 + 1e-12)
    # They lie on one lattice: their sum is zero, exactly.
    total = ghz.zarr.sum([r["tas"] for r in results], MemoryStore())
    assert (total[...] == 0).all()


def test_anomalies_are_members_without_the_mean(
    members: list[pathlib.Path], tmp_path: pathlib.Path
) -> None:
    ghz.zarr.mean(members, tmp_path / "mean.zarr")
    results = ghz.zarr.anomalies(members, [MemoryStore() for _ in members])
    for path, result in zip(members, results):
        alone = ghz.zarr.subtract(path, tmp_path / "mean.zarr", MemoryStore())
        np.testing.assert_array_equal(alone["tas"][...], result["tas"][...])
        assert alone["realization"][()] == result["realization"][()]
        # The mean comes back to what it was taken from.
        again = ghz.linear(
            [
                ghz.Stream.from_bytes(store.get_sync("tas/c/0/0/0").to_bytes())
                for store in (alone.store_path.store, _store(tmp_path / "mean.zarr"))
            ],
            [1, 1],
        )
        plain = ghz.Stream.from_bytes((path / "tas/c/0/0/0").read_bytes())
        np.testing.assert_array_equal(again.decompress(), plain.decompress())


def _store(path: pathlib.Path) -> Any:
    return zarr.storage.LocalStore(path)


def test_a_difference(members: list[pathlib.Path], tmp_path: pathlib.Path) -> None:
    ghz.zarr.subtract(members[0], members[1], tmp_path / "difference.zarr")
    data = xarray.open_zarr(tmp_path / "difference.zarr")
    assert abs(data.tas - (values(0).astype("f8") - values(1))).max() <= 2 * EB
    assert data.realization == 0 and data.attrs["history"].endswith(": ghz.zarr.subtract\nrun 0")


def create(data: Any, **more: Any) -> Any:
    settings = {"serializer": GhzCodec(abs=EB), "compressors": None, "chunks": CHUNKS, **more}
    return zarr.create_array(MemoryStore(), data=data, **settings)


def test_an_offset_has_no_part_in_a_difference() -> None:
    shifted = {"attributes": {"add_offset": 100.0, "scale_factor": 2.0, "units": "K"}}
    arrays = [create(values(number), **shifted) for number in range(3)]
    results = [ghz.zarr.subtract(arrays[0], arrays[1], MemoryStore())]
    results += ghz.zarr.anomalies(arrays, [MemoryStore() for _ in arrays])
    for result in results:
        assert dict(result.attrs) == {"scale_factor": 2.0, "units": "K"}


@pytest.mark.parametrize("k", [2, 3, 7])
@pytest.mark.parametrize("lacks", ["member", "mean"])
def test_a_mean_adds_to_chunks_that_are_not_stored(k: int, lacks: str) -> None:
    """Zarr stores no chunk of its fill value."""
    data = [values(number) for number in range(k)]
    data[0][:2, :32] = 5
    for one in data:
        one[4:] = 5
    arrays = [create(one, fill_value=5.0) for one in data]
    mean = ghz.zarr.mean(arrays, MemoryStore())
    if lacks == "mean":
        del mean.store_path.store._store_dict["c/1/0/0"]
    want = [arrays[0][...].astype("f8"), mean[...].astype("f8")]
    results = [
        ghz.zarr.subtract(arrays[0], mean, MemoryStore()),
        ghz.zarr.mean([mean] * 2, MemoryStore()),
    ]
    results.append(
        ghz.zarr.sum([mean, ghz.zarr.mean([arrays[0]] * k, MemoryStore())], MemoryStore())
    )
    means = ghz.zarr.mean([mean] * k, MemoryStore())  # a mean of means, of which one lacks a chunk
    del means.store_path.store._store_dict["c/0/0/0"]
    results.append(
        ghz.zarr.subtract(means, ghz.zarr.mean([mean] * k, MemoryStore()), MemoryStore())
    )
    exact = want[0] - want[1], want[1], want[0] + want[1], means[...] - want[1]
    for result, right in zip(results, exact):
        np.testing.assert_allclose(result[...], right, atol=2 * EB, rtol=1e-6)


def test_an_axis_of_a_mean_lacks_a_step() -> None:
    names = {"dimension_names": ["t", "y", "x"], "chunks": (1, 40, 60)}
    arrays = [create(values(number), **names) for number in range(7)]
    mean = ghz.zarr.mean(arrays, MemoryStore())
    del mean.store_path.store._store_dict["c/2/0/0"]
    np.testing.assert_allclose(
        ghz.zarr.sum(mean, MemoryStore(), axis="t")[...], mean[...].sum(0, dtype="f8"), atol=6 * EB
    )


def test_means_of_integers_lack_a_chunk() -> None:
    data = [np.arange(14400, dtype="i2").reshape(SHAPE) + k for k in range(3)]
    codec = {"serializer": GhzCodec(lossless=True), "fill_value": 7}
    arrays = [create(one, **codec) for one in data]
    means = [ghz.zarr.mean(arrays, MemoryStore()), ghz.zarr.mean(arrays[::-1], MemoryStore())]
    del means[0].store_path.store._store_dict["c/1/0/0"]
    result = ghz.zarr.subtract(*means, MemoryStore())
    np.testing.assert_allclose(result[...], means[0][...] - means[1][...], atol=1e-9)


@pytest.mark.parametrize("fill", [5.0, np.nan, np.inf])
def test_what_no_store_has(fill: float) -> None:
    data = [values(number) for number in range(3)]
    data[0][:4] = fill
    for one in data:
        one[:2, :32] = fill
    arrays = [create(one, fill_value=fill) for one in data]
    results = ghz.zarr.anomalies(arrays, [MemoryStore() for _ in arrays])
    with np.errstate(invalid="ignore"):
        mean = np.mean(data, 0, dtype="f8")
        for one, result in zip(data, results):
            assert "c/0/0/0" not in result.store_path.store._store_dict
            want = one - mean
            np.testing.assert_allclose(result[...], want, atol=2 * EB * 1.001, rtol=0)


def test_shards_and_zarr_2_have_anomalies() -> None:
    numcodecs = pytest.importorskip("ghz.numcodecs")
    kinds: list[dict[str, Any]] = [
        {"chunks": (2, 20, 60), "shards": (2, 40, 60)},
        {"serializer": "auto", "compressors": numcodecs.Ghz(abs=EB), "zarr_format": 2},
    ]
    exact = np.stack([values(number) for number in range(3)]).astype("f8")
    exact -= exact.mean(0)
    for kind in kinds:
        arrays = [create(values(number), **kind) for number in range(3)]
        for result, want in zip(ghz.zarr.anomalies(arrays, [MemoryStore() for _ in arrays]), exact):
            assert result.shards == kind.get("shards")
            assert abs(result[...] - want).max() <= 2 * EB


def test_places_of_results(members: list[pathlib.Path], tmp_path: pathlib.Path) -> None:
    store = MemoryStore()
    results = ghz.zarr.anomalies(members, StorePath(store, "all"))
    assert [result.store_path.path for result in results] == [f"all/{p.name}" for p in members]
    twice = [members[0], members[0]]
    with pytest.raises(ghz.ArgumentError, match="same name: give a list"):
        ghz.zarr.anomalies(twice, tmp_path / "out")
    with pytest.raises(ghz.ArgumentError, match="1 places for the results of 5 stores"):
        ghz.zarr.anomalies(members, [tmp_path / "out"])
    with pytest.raises(FileExistsError):
        ghz.zarr.anomalies(members, members)
    with pytest.raises(TypeError, match="not one PosixPath"):
        ghz.zarr.anomalies(members[0], tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_chunks_without_a_common_step_leave_nothing(
    members: list[pathlib.Path], tmp_path: pathlib.Path
) -> None:
    chunk = ghz.compress(values(1)[:2, :32], abs=EB * 0.7)
    (members[1] / "tas/c/1/0/0").write_bytes(bytes(chunk))
    for make in (
        lambda out: ghz.zarr.anomalies(members, out),
        lambda out: ghz.zarr.subtract(members[0], members[1], out),
    ):
        with pytest.raises(ghz.MismatchError, match="member1.zarr/tas/c/1/0/0: "):
            make(tmp_path / "out")
        assert not (tmp_path / "out" / "member0.zarr").exists()
        assert not (tmp_path / "out" / "zarr.json").exists()
