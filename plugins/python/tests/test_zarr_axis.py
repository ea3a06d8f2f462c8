# test_zarr_axis.py: owns the tests of sums and means along the axes of a Zarr store.
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
import ghz.numcodecs
import ghz.zarr
from ghz.zarr import GhzCodec
from zarr.storage import MemoryStore

EB = 1e-3
TIMES, LATS, LONS = 24, 20, 40
STEPWISE, INSIDE = (1, 20, 40), (10, 16, 40)


def series(path: Any, chunks: tuple[int, ...], format: Any = 3, **more: Any) -> Any:
    """Writes two years of months, as xarray does; returns the dataset that was written."""
    noise = np.random.default_rng(0).normal(size=(TIMES, LATS, LONS)).cumsum(1).cumsum(2)
    tas = (280 + noise / 50).astype("f4")
    months = np.arange("2001-01", "2003-01", dtype="M8[M]").astype("M8[ns]")
    dims = ("time", "lat", "lon")
    data = xarray.Dataset(
        {"tas": (dims, tas, {"units": "K"}), "orography": (dims[1:], tas[0])},
        {"time": months, "lat": np.linspace(-60, 60, LATS), "realization": 3},
        {"model": "A"},
    )
    data = data.assign(time_bnds=(("time", "bnds"), np.zeros((TIMES, 2)))).set_coords("time_bnds")
    codec: dict[str, Any] = {"serializer": GhzCodec(abs=EB), "compressors": None}
    if format == 2:
        codec = {"compressors": pytest.importorskip("ghz.numcodecs").Ghz(abs=EB)}
    encoding = {"tas": {"chunks": chunks, **codec, **more}, "orography": codec}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        data.to_zarr(path, encoding=encoding, zarr_format=format)
    return data


def opened(path: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return xarray.open_zarr(path)


SHARDED = {"shards": (4, 20, 40)}
KINDS: list[Any] = [
    pytest.param(STEPWISE, 3, {}, id="stepwise"),
    pytest.param(STEPWISE, 2, {}, id="stepwise, Zarr 2"),
    pytest.param((1, 10, 40), 3, SHARDED, id="stepwise, sharded"),
    pytest.param(INSIDE, 3, {}, id="inside"),
    pytest.param(INSIDE, 2, {}, id="inside, Zarr 2"),
    pytest.param((2, 10, 20), 3, SHARDED, id="inside, sharded"),
]
QUIET = pytest.mark.filterwarnings("ignore:.*time_bnds")


def limit(chunks: tuple[int, ...]) -> float:
    """The bound of a mean: of what is compressed again it is twice that of the array."""
    return EB if chunks[0] == 1 else 2 * EB


@QUIET
@pytest.mark.parametrize("chunks, format, more", KINDS)
def test_the_mean_of_time(
    chunks: Any, format: Any, more: dict[str, Any], tmp_path: pathlib.Path
) -> None:
    data = series(tmp_path / "s.zarr", chunks, format, **more)
    result = ghz.zarr.mean(tmp_path / "s.zarr", tmp_path / "m.zarr", axis="time")
    mean = opened(tmp_path / "m.zarr")
    assert mean.tas.dims == ("lat", "lon") and mean.attrs["model"] == "A"
    assert mean.attrs["history"].endswith(": ghz.zarr.mean along time")
    assert mean.tas.attrs["units"] == "K" and mean.tas.attrs["cell_methods"] == "time: mean"
    assert "cell_methods" not in mean.orography.attrs
    assert abs(mean.tas - data.tas.astype("f8").mean("time")).max() <= limit(chunks)
    assert set(mean.coords) == {"lat", "realization"} and set(mean) == {"tas", "orography"}
    assert abs(mean.orography - data.orography).max() <= EB
    assert result["tas"].chunks == chunks[1:]
    assert result["tas"].shards == (SHARDED["shards"][1:] if more else None)
    assert result.metadata.zarr_format == format


@QUIET
@pytest.mark.parametrize("chunks, format, more", KINDS)
def test_sums_by_year_and_means_by_season(
    chunks: Any, format: Any, more: dict[str, Any], tmp_path: pathlib.Path
) -> None:
    data = series(tmp_path / "s.zarr", chunks, format, **more)
    ghz.zarr.sum(tmp_path / "s.zarr", tmp_path / "y.zarr", axis="time", by="year")
    years = opened(tmp_path / "y.zarr")
    assert years.year.values.tolist() == [2001, 2002] and years.tas.dims == ("year", "lat", "lon")
    want = data.tas.astype("f8").groupby("time.year").sum()
    assert abs(years.tas - want).max() <= 13 * EB + 1e-3  # float32 at 3360
    days = data.time.dt.days_in_month
    ghz.zarr.mean(tmp_path / "s.zarr", tmp_path / "q.zarr", axis="time", by="season",
                  weights={"time": days})  # fmt: skip
    seasons = opened(tmp_path / "q.zarr")
    assert seasons.season.values.tolist() == ["DJF", "JJA", "MAM", "SON"]
    both = (data.tas.astype("f8") * days).groupby("time.season").sum()
    want = both / days.groupby("time.season").sum()
    assert abs(seasons.tas - want).max() <= limit(chunks)


@QUIET
def test_chunks_of_steps_are_added_as_they_are(tmp_path: pathlib.Path) -> None:
    series(tmp_path / "s.zarr", STEPWISE)
    ghz.zarr.mean(tmp_path / "s.zarr", tmp_path / "m.zarr", axis="time")
    steps = [
        ghz.Stream.from_bytes((tmp_path / f"s.zarr/tas/c/{i}/0/0").read_bytes(), (LATS, LONS))
        for i in range(TIMES)
    ]
    assert (tmp_path / "m.zarr/tas/c/0/0").read_bytes() == bytes(ghz.mean(steps))


@QUIET
def test_labels_of_ones_own(tmp_path: pathlib.Path) -> None:
    data = series(tmp_path / "s.zarr", INSIDE)
    labels = np.array([1.0, 2.0, np.nan, 7.5] * 6)
    warm = xarray.DataArray(labels, dims="time", name="phase")
    ghz.zarr.mean(tmp_path / "s.zarr", tmp_path / "m.zarr", axis="time", by=warm)
    mean = opened(tmp_path / "m.zarr")
    assert mean.phase.values.tolist() == [1.0, 2.0, 7.5]
    for number, label in enumerate(mean.phase.values):
        want = data.tas.values[labels == label].mean(0, dtype="f8")
        assert abs(mean.tas.values[number] - want).max() <= 2 * EB
    ghz.zarr.sum(tmp_path / "s.zarr", tmp_path / "g.zarr", axis="time", by=list("ab") * 12)
    assert opened(tmp_path / "g.zarr").group.values.tolist() == ["a", "b"]


@QUIET
def test_weights_of_latitudes(tmp_path: pathlib.Path) -> None:
    data = series(tmp_path / "s.zarr", INSIDE)
    weights = np.cos(np.radians(data.lat))
    ghz.zarr.mean(
        tmp_path / "s.zarr", tmp_path / "m.zarr", axis=("lat", "lon"), weights={"lat": weights}
    )
    mean = opened(tmp_path / "m.zarr")
    want = data.astype("f8").weighted(weights).mean(("lat", "lon"))
    assert mean.tas.dims == ("time",) and mean.orography.dims == ()
    assert abs(mean.tas - want.tas).max() <= 2 * EB
    assert abs(mean.orography - want.orography) <= 2 * EB
    np.testing.assert_array_equal(mean.time, data.time)


@pytest.mark.parametrize("chunks", [(1, 1, 20, 40), (1, 12, 20, 40), (3, 6, 20, 40)])
def test_members_in_one_store(chunks: tuple[int, ...]) -> None:
    values = np.random.default_rng(1).normal(size=(5, 12, 30, 60)).cumsum(2).cumsum(3)
    array = zarr.create_array(
        MemoryStore(), data=values, chunks=chunks, serializer=GhzCodec(abs=EB), compressors=None,
        dimension_names=["member", "time", "lat", "lon"],
    )  # fmt: skip
    result = ghz.zarr.mean(array, MemoryStore(), axis="member")
    assert abs(result[...] - values.mean(0)).max() <= limit(chunks)
    assert result.metadata.dimension_names == ("time", "lat", "lon")
    total = ghz.zarr.sum(array, MemoryStore(), axis=["member", "time"])
    assert abs(total[...] - values.sum((0, 1))).max() <= 61 * EB


SHAPES = [(1, 300), (1, 5, 200), (1, 3, 4), (1,), (1, 2, 3, 40, 40), (20, 1, 30), (20, 30, 1)]


@pytest.mark.parametrize("chunks", SHAPES, ids=str)
@pytest.mark.parametrize("turned", [False, True])
def test_an_axis_of_any_place(chunks: tuple[int, ...], turned: bool) -> None:
    axis = chunks.index(1)
    shape = tuple(7 if number == axis else n + 3 for number, n in enumerate(chunks))
    values = np.random.default_rng(2).normal(size=shape).cumsum(-1).astype("f4")
    order = tuple(int(axis) for axis in np.roll(range(len(shape)), 1))
    filters = [zarr.codecs.TransposeCodec(order=order)] if turned else None
    array = zarr.create_array(
        MemoryStore(), data=values, chunks=chunks, serializer=GhzCodec(abs=EB), compressors=None,
        filters=filters, dimension_names=[f"d{number}" for number in range(len(shape))],
    )  # fmt: skip
    for by, want in ((None, values.mean(axis, dtype="f8")), (list("aabbabb"), None)):
        result = ghz.zarr.mean(array, MemoryStore(), axis=f"d{axis}", by=by)
        if want is None:
            groups = [np.array(list("aabbabb")) == label for label in "ab"]
            each = [values.compress(group, axis).mean(axis, dtype="f8") for group in groups]
            want = np.stack(each, axis)
        assert result.shape == want.shape and abs(result[...] - want).max() <= EB * 1.001
    numbers = [f"d{number}" for number in range(len(shape))]
    whole = ghz.zarr.mean(array, MemoryStore(), axis=numbers)
    assert whole.shape == () and abs(whole[()] - values.mean(dtype="f8")) <= 2 * EB


def masked(chunks: tuple[int, ...], fill: float, codec: GhzCodec) -> tuple[Any, Any]:
    values = np.random.default_rng(3).normal(size=(8, 30, 40)).cumsum(1).astype("f4")
    values[:, 5:9, 7:20] = fill
    values[3, 20, 30] = fill
    values[2] = fill  # a step that is not stored
    array = zarr.create_array(
        MemoryStore(), data=values, chunks=chunks, serializer=codec, compressors=None,
        fill_value=fill, dimension_names=["t", "y", "x"],
    )  # fmt: skip
    return array, values


@pytest.mark.parametrize("chunks", [(1, 30, 40), (3, 30, 40), (8, 16, 40)])
@pytest.mark.parametrize("fill", [np.nan, np.float32(1e20)])
def test_what_is_missing(chunks: Any, fill: float) -> None:
    """In a chunk of one step it makes the sum missing; elsewhere it is left out."""
    marker = None if np.isnan(fill) else 1e20
    array, values = masked(chunks, fill, GhzCodec(abs=EB, fill=marker))
    values[values == fill] = np.nan
    groups = [0, 0, -5, 1, 1, 1, 0, 0]
    mean = np.nanmean if chunks[0] > 1 else np.mean
    for function in (ghz.zarr.mean, ghz.zarr.sum):
        result = function(array, MemoryStore(), axis="t", by=groups)[...]
        result[result == fill] = np.nan
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            each = [values[np.equal(groups, g)].astype("f8") for g in (-5, 0, 1)]
            want = np.stack([mean(one, 0) for one in each])
            if function is ghz.zarr.sum:
                want *= np.stack([(~np.isnan(one)).sum(0) for one in each])
        np.testing.assert_array_equal(np.isnan(result), np.isnan(want))
        assert np.nanmax(abs(result - want)) <= (5 if function is ghz.zarr.sum else 2) * EB
        assert np.isnan(want[0]).all() and not np.isnan(want[1]).all()
    assert chunks[0] == 1 or not np.isnan(want[2, 20, 30])


def test_a_mean_of_what_is_there_has_the_weights_of_that() -> None:
    array, values = masked((8, 30, 40), np.nan, GhzCodec(abs=EB))
    values[np.isnan(values)] = np.nan
    weights = np.cos(np.linspace(-1.5, 1.5, 30))
    result = ghz.zarr.mean(array, MemoryStore(), axis=("x", "y"), weights={"y": weights})
    data = xarray.DataArray(values.astype("f8"), dims=("t", "y", "x"))
    want = data.weighted(xarray.DataArray(weights, dims="y")).mean(("x", "y"))
    np.testing.assert_allclose(result[...], want, atol=2 * EB)
    assert np.isnan(result[2])
    zero = ghz.zarr.sum(array, MemoryStore(), axis=("y", "t"), weights={"y": [1.0, -1.0] * 15})
    data = data.isel(t=[0, 1, 3, 4, 5, 6, 7]) * xarray.DataArray([1.0, -1.0] * 15, dims="y")
    np.testing.assert_allclose(zero[...], data.sum(("y", "t")), atol=212 * EB)


@pytest.mark.parametrize("chunks", [(1, 30, 40), (3, 30, 40)])
def test_steps_that_are_not_stored_count_as_their_fill_value(chunks: Any) -> None:
    array, values = masked(chunks, 5.0, GhzCodec(abs=EB))
    groups = [0, 0, 7, 1, 1, 1, 0, 0]
    for function in (ghz.zarr.sum, ghz.zarr.mean):
        result = function(array, MemoryStore(), axis="t", by=groups, weights={"t": [2] * 8})
        numpys = [values[np.equal(groups, g)] for g in (0, 1, 7)]
        want = np.stack([2 * one.sum(0, dtype="f8") for one in numpys])
        scale = np.array([8.0, 6, 2])[:, None, None] if function is ghz.zarr.mean else 1
        assert (
            abs(result[...] - want / scale).max() <= (2 if function is ghz.zarr.mean else 10) * EB
        )


def test_steps_that_are_not_stored_have_their_weights() -> None:
    array, values = masked((1, 30, 40), 5.0, GhzCodec(abs=EB))
    for function, divisor in ((ghz.zarr.sum, 1), (ghz.zarr.mean, 36)):
        result = function(array, MemoryStore(), axis="t", weights={"t": range(1, 9)})
        want = np.tensordot(np.arange(1.0, 9), values.astype("f8"), (0, 0)) / divisor
        assert abs(result[...] - want).max() <= 36 * EB / divisor * 1.01


@pytest.mark.parametrize("fill", [np.nan, np.float32(1e20), np.float32(5)])
def test_a_chunk_that_is_not_stored_may_be_missing(fill: float) -> None:
    """It is, if Zarr's fill value is the codec's; and counts else."""
    values = np.random.default_rng(3).normal(size=(8, 30, 40)).astype("f4")
    values[2:4] = fill
    for marker in (None, fill):
        codec = GhzCodec(abs=EB, fill=None if marker is None or np.isnan(fill) else float(fill))
        array = zarr.create_array(
            MemoryStore(), data=values, chunks=(2, 30, 40), serializer=codec, compressors=None,
            fill_value=fill, dimension_names=["t", "y", "x"],
        )  # fmt: skip
        assert "c/1/0/0" not in array.store_path.store._store_dict
        there = np.delete(values, [2, 3], 0) if marker is not None or np.isnan(fill) else values
        result = ghz.zarr.mean(array, MemoryStore(), axis="t")[...]
        np.testing.assert_allclose(result, there.mean(0, dtype="f8"), rtol=1e-6, atol=2 * EB)


def packed(path: pathlib.Path, chunks: tuple[int, ...], format: Any = 3) -> Any:
    """A store with float variables, and one of integers."""
    data = series(path, chunks, format)
    sic = xarray.DataArray(np.arange(TIMES * 800, dtype="i2").reshape(TIMES, LATS, LONS) % 99,
                           dims=("time", "lat", "lon"), name="sic")  # fmt: skip
    codec: dict[str, Any] = {"serializer": GhzCodec(lossless=True), "compressors": None}
    if format == 2:
        codec = {"compressors": ghz.numcodecs.Ghz(lossless=True)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sic.to_dataset().to_zarr(path, mode="a", encoding={"sic": {"chunks": chunks, **codec}})
    return data


@QUIET
@pytest.mark.parametrize("format", [3, 2])
@pytest.mark.parametrize("axis, by", [("time", "season"), (("lat", "lon"), None)])
def test_packed_integers_do_not_stop_the_others(
    axis: Any, by: Any, format: Any, tmp_path: pathlib.Path
) -> None:
    data = packed(tmp_path / "s.zarr", INSIDE, format)
    with pytest.warns(UserWarning, match="lacks .*sic: .*integers") as caught:
        result = ghz.zarr.mean(tmp_path / "s.zarr", tmp_path / "m.zarr", axis=axis, by=by)
    assert "sic" not in result and caught[0].filename == __file__
    tas = data.tas.astype("f8")
    want = tas.groupby("time.season").mean() if by else tas.mean(axis)
    assert abs(opened(tmp_path / "m.zarr").tas - want).max() <= 2 * EB
    with pytest.raises(ghz.ArgumentError, match="sic: .*integers"):
        names = ["tas", "sic"]
        ghz.zarr.mean(tmp_path / "s.zarr", tmp_path / "n.zarr", axis=axis, by=by, variables=names)
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message=".*lacks.*sic")
        only = ghz.zarr.mean(tmp_path / "s.zarr", tmp_path / "o.zarr", axis=axis, variables="tas")
    assert "sic" not in only and "orography" not in only and "tas" in only


@QUIET
def test_an_offset_and_a_compressor_do_not_stop_the_others(tmp_path: pathlib.Path) -> None:
    series(tmp_path / "s.zarr", INSIDE)
    group = zarr.open_group(tmp_path / "s.zarr", mode="r+")
    for name, more in (
        ("offset", {"attributes": {"add_offset": 5.0}}),
        ("zstd", {"compressors": "auto"}),
    ):
        group.create_array(name, data=np.ones((TIMES, 3)), dimension_names=["time", "n"],
                           **{"serializer": GhzCodec(abs=EB), "compressors": None, **more})  # fmt: skip
    zarr.consolidate_metadata(tmp_path / "s.zarr")
    with pytest.warns(UserWarning, match="lacks .*offset: .*zstd: .*variables="):
        made = ghz.zarr.sum(tmp_path / "s.zarr", tmp_path / "m.zarr", axis="time")
    assert "tas" in made and "offset" not in made and "zstd" not in made


@pytest.mark.parametrize("verb", ["sum", "mean", "subtract", "anomalies"])
def test_variables_of_several_stores(verb: str, tmp_path: pathlib.Path) -> None:
    for name in "ab":
        packed(tmp_path / f"{name}.zarr", STEPWISE)
    stores = [tmp_path / "a.zarr", tmp_path / "b.zarr"]
    given = stores if verb == "subtract" else [stores]
    function = getattr(ghz.zarr, verb)
    with pytest.raises(ghz.ArgumentError, match="a.zarr: no 'pr' with the codec .*tas"):
        function(*given, tmp_path / "out", variables=["tas", "pr"])
    made = function(*given, tmp_path / "out", variables=["tas"])
    for group in made if verb == "anomalies" else [made]:
        assert {"tas", "lat", "time"} <= set(group) and not {"sic", "orography"} & set(group)


def test_what_cannot_be_had(tmp_path: pathlib.Path) -> None:
    series(tmp_path / "s.zarr", STEPWISE)
    store, out = tmp_path / "s.zarr", tmp_path / "out.zarr"
    cases: list[tuple[str, dict[str, Any]]] = [
        ("no array has an axis 'depth', but lat, lon, time", {"axis": "depth"}),
        ("no array has an axis 'bnds'", {"axis": "bnds"}),
        ("labels of shape \\(3,\\) for the 24 steps of 'time'", {"axis": "time", "by": [1, 2, 3]}),
        ("by: no step of 'time' has a label", {"axis": "time", "by": [np.nan] * 24}),
        ("'time' has no dates with a 'weather'", {"axis": "time", "by": "weather"}),
        ("'lat' has no dates with a 'month'", {"axis": "lat", "by": "month"}),
        ("by='month' needs the coordinate 'lon'", {"axis": "lon", "by": "month"}),
        ("by= groups the steps of one axis, not of 2", {"axis": ["lat", "lon"], "by": "month"}),
        ("names of dimensions are needed", {"axis": []}),
        ("names of dimensions are needed", {"axis": ["time", "time"]}),
        ("its weights must be whole numbers", {"axis": "time", "weights": {"time": [0.5] * 24}}),
        ("weights of 'time': shape \\(2,\\)", {"axis": "time", "weights": {"time": [1, 2]}}),
        ("weights of 'time': not all are finite", {"axis": "time", "weights": {"time": [np.inf] * 24}}),
        ("weights of 'lat', which is not in axis", {"axis": "time", "weights": {"lat": [1] * 20}}),
        ("the weights add up to 0", {"axis": "time", "weights": {"time": [1, -1] * 12}}),
        ("the weights of 2001 add up to 0", {"axis": "time", "by": "year", "weights": {"time": [0] * 12 + [1] * 12}}),
        ("by= and weights= go with axis=", {"by": "month"}),
    ]  # fmt: skip
    for words, what in cases:
        with pytest.raises(ghz.ArgumentError, match=words):
            ghz.zarr.mean(store, out, **what)
    with pytest.raises(TypeError, match="<U1 is no type of numbers"):
        ghz.zarr.mean(store, out, axis="time", weights={"time": ["a"] * 24})
    with pytest.raises(TypeError, match="weights: a mapping"):
        ghz.zarr.mean(store, out, axis="time", weights=[1] * 24)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="axis= is of one store"):
        ghz.zarr.mean([store, store], out, axis="time")
    assert not (out / "zarr.json").exists()
    plain = zarr.create_array(MemoryStore(), data=np.zeros((3, 4)), serializer=GhzCodec(abs=EB),
                              compressors=None)  # fmt: skip
    with pytest.raises(ghz.ArgumentError, match="no array has an axis 't', but dimensions without"):
        ghz.zarr.mean(plain, MemoryStore(), axis="t")
    empty = zarr.create_array(MemoryStore(), data=np.zeros((0, 4)), serializer=GhzCodec(abs=EB),
                              compressors=None, dimension_names=["t", "x"])  # fmt: skip
    with pytest.raises(ghz.ArgumentError, match="axis 't' has no steps"):
        ghz.zarr.mean(empty, MemoryStore(), axis="t")


def test_an_offset_is_refused_by_sums_and_kept_by_means(tmp_path: pathlib.Path) -> None:
    array = zarr.create_array(
        MemoryStore(), data=np.ones((3, 4)), serializer=GhzCodec(abs=EB), compressors=None,
        dimension_names=["t", "x"], attributes={"add_offset": 5.0},
    )  # fmt: skip
    assert ghz.zarr.mean(array, MemoryStore(), axis="t").attrs["add_offset"] == 5
    with pytest.raises(ghz.ArgumentError, match="add_offset 5.0, which a sum"):
        ghz.zarr.sum(array, MemoryStore(), axis="t")


def test_what_cannot_be_kept_is_named(tmp_path: pathlib.Path) -> None:
    series(tmp_path / "s.zarr", STEPWISE)
    with pytest.warns(UserWarning, match="lacks what has the axis .*: time_bnds$") as caught:
        ghz.zarr.mean(tmp_path / "s.zarr", tmp_path / "m.zarr", axis="time")
    assert any(warning.filename == __file__ for warning in caught)


@pytest.mark.parametrize("chunks", [STEPWISE, INSIDE])
def test_a_damaged_chunk_is_named_and_nothing_left(chunks: Any, tmp_path: pathlib.Path) -> None:
    series(tmp_path / "s.zarr", chunks)
    bad = tmp_path / "s.zarr/tas/c/1/0/0"
    bad.write_bytes(bad.read_bytes()[:-5])
    with pytest.raises(ghz.CorruptError, match="s.zarr/tas/c/1/0/0: "):
        ghz.zarr.mean(tmp_path / "s.zarr", tmp_path / "m.zarr", axis="time", by="month")
    assert not (tmp_path / "m.zarr").exists()
    if chunks == STEPWISE:
        other = ghz.compress(np.zeros((LATS, LONS), "f4"), abs=3 * EB)
        bad.write_bytes(bytes(other))
        with pytest.raises(ghz.MismatchError, match="s.zarr/tas/c/1/0/0: .*step"):
            ghz.zarr.mean(tmp_path / "s.zarr", tmp_path / "m.zarr", axis="time")
