# test_zarr_differing.py: owns the tests of stores that differ in coordinates and attributes, as
# xarray writes members of an ensemble.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import pathlib
import time
import warnings
from functools import partial
from typing import Any

import numpy as np
import pytest

zarr = pytest.importorskip("zarr", minversion="3.1")
xarray = pytest.importorskip("xarray")

import ghz
import ghz.zarr

EB = 1e-3
DAYS = np.arange(6)
LAT, LON = np.linspace(-60, 60, 32), np.arange(48) * 7.5


def member(path: pathlib.Path, number: int, format: Any = 3, **changes: Any) -> pathlib.Path:
    """Writes a member with scalar coordinates of its own, a history, and what changes say."""
    noise = np.random.default_rng(number).normal(size=(6, 32, 48)).cumsum(1).cumsum(2)
    tas = xarray.DataArray(
        (280 + noise / 50).astype("f4"),
        dims=("time", "lat", "lon"),
        coords={"lat": LAT, "lon": LON, "realization": number, "height": 2.0},
        attrs={"units": "K", "cell_methods": "time: mean", **changes.pop("tas", {})},
    )
    data = xarray.Dataset({"tas": tas}, attrs={"model": "A", "history": f"run {number}"})
    data = data.assign_coords(time=("time", DAYS, {"units": "days since 2001-01-01"}))
    data = data.assign(**changes).set_coords([*{"curved", "site", "day"} & {*changes}])
    codec: dict[str, Any] = {"serializer": ghz.zarr.GhzCodec(abs=EB), "compressors": None}
    if format == 2:
        codec = {"compressors": __import__("ghz.numcodecs").numcodecs.Ghz(abs=EB)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        encoding = {"tas": {"chunks": (1, 32, 48), **codec}}
        data.to_zarr(path, encoding=encoding, zarr_format=format)
    return path


@pytest.fixture(params=[3, 2])
def members(tmp_path: pathlib.Path, request: Any) -> list[pathlib.Path]:
    if request.param == 2:
        pytest.importorskip("numcodecs")
    return [member(tmp_path / f"{i}.zarr", i, request.param) for i in range(3)]


def exact(paths: list[pathlib.Path]) -> Any:
    return np.mean([xarray.open_zarr(path).tas.values for path in paths], 0, dtype="f8")


def test_the_first_is_taken_and_what_differs_is_named(
    members: list[pathlib.Path], tmp_path: pathlib.Path
) -> None:
    with pytest.warns(UserWarning, match="differ in .*; the result has") as caught:
        ghz.zarr.mean(members[::-1], tmp_path / "mean.zarr")
    (said,) = [w for w in caught if "differ" in str(w.message)]
    names = str(said.message).partition("differ in ")[2].partition(";")[0].split(", ")
    assert names == ["realization"]
    assert said.filename == __file__
    mean = xarray.open_zarr(tmp_path / "mean.zarr")
    assert mean.attrs["model"] == "A" and mean.tas.attrs["units"] == "K"
    newest, old = mean.attrs["history"].split(
        "\n"
    )  # as CDO and NCO write it: "date: what was done"
    assert newest.endswith(": ghz.zarr.mean of 3 stores") and old == "run 2"
    time.strptime(newest.partition(": ")[0], "%a %b %d %H:%M:%S %Y")
    assert mean.tas.attrs["cell_methods"] == "time: mean realization: mean"
    assert mean.realization == 2
    assert abs(mean.tas - exact(members)).max() <= EB


def test_members_of_other_years_and_with_more_arrays(tmp_path: pathlib.Path) -> None:
    later = ("time", DAYS, {"units": "days since 2002-01-01"})
    more = xarray.DataArray(np.arange(3.0), dims="station")
    paths = [member(tmp_path / "0.zarr", 0), member(tmp_path / "1.zarr", 1, time=later, more=more)]
    for turn, stores in enumerate((paths, paths[::-1])):
        with pytest.warns(UserWarning, match=r"differ in (?=.*\bmore\b)(?=.*\btime\b)"):
            ghz.zarr.sum(stores, tmp_path / f"{turn}.sum.zarr")
        made = xarray.open_zarr(tmp_path / f"{turn}.sum.zarr")
        assert ("more" in made) == bool(turn)
        assert (made.time.values == xarray.open_zarr(stores[0]).time.values).all()


@pytest.mark.parametrize(
    "attributes",
    [{"scale_factor": 0.5}, {"add_offset": 273.15}, {"units": "degC"}, {"missing_value": -999.0}],
    ids=lambda changed: next(iter(changed)),
)
def test_numbers_that_mean_something_else_are_refused(
    attributes: dict[str, Any], tmp_path: pathlib.Path
) -> None:
    paths = [member(tmp_path / "0.zarr", 0), member(tmp_path / "1.zarr", 1, tas=attributes)]
    (name,) = attributes
    for function in (ghz.zarr.sum, ghz.zarr.mean):
        with pytest.raises(ghz.MismatchError, match=f"1.zarr/tas: {name} "):
            function(paths, tmp_path / "out.zarr")
    assert not (tmp_path / "out.zarr").exists()


TWO = np.add.outer(np.arange(32.0), np.arange(48.0))
PLACES: list[Any] = [
    pytest.param({}, {"lat": LAT[::-1]}, "lat", id="turned"),
    pytest.param({}, {"lon": LON - 180}, "lon", id="from -180"),
    pytest.param({}, {"lat": LAT + 0.1}, "lat", id="shifted"),
    pytest.param({}, {"height": 10.0}, "height", id="height"),
    pytest.param({"plev": 85000.0}, {"plev": 50000.0}, "plev", id="level"),
    pytest.param({"sigma": ((), 1.0, {"positive": "down"})}, {"sigma": ((), 0.5, {"positive": "down"})}, "sigma", id="said"),
    pytest.param({"plev": ((), 850.0, {"units": "hPa"})}, {"plev": ((), 850.0, {"units": "Pa"})}, "plev", id="units"),
    pytest.param({"nav_lat": (("lat", "lon"), TWO, {"units": "degrees_north"})},
                 {"nav_lat": (("lat", "lon"), TWO.T.reshape(32, 48), {"units": "degrees_north"})}, "nav_lat", id="two dimensions"),
    pytest.param({"curved": (("lat", "lon"), TWO)}, {"curved": (("lat", "lon"), TWO + 1)}, "curved", id="named by coordinates"),
    pytest.param({"site": ("lat", [*"ab"] * 16)}, {"site": ("lat", [*"ba"] * 16)}, "site", id="names"),
    pytest.param({"lat": 5e6 + np.arange(32.0)}, {"lat": 5e6 + np.arange(32.0) + 1}, "lat", id="a metre beside"),
]  # fmt: skip


def results(paths: list[pathlib.Path], out: pathlib.Path, **how: Any) -> dict[str, Any]:
    """What makes one store of two, by name."""
    verbs = {"anomalies": lambda **more: ghz.zarr.anomalies(paths, out / "anomalies", **more)}
    for function in (ghz.zarr.sum, ghz.zarr.mean):
        verbs[function.__name__] = partial(function, paths, out / function.__name__, **how)
    verbs["subtract"] = partial(ghz.zarr.subtract, *paths, out / "subtract", **how)
    return verbs


@pytest.mark.parametrize(
    "one, two, name, format", [(*p.values, 3) for p in PLACES] + [(*PLACES[0].values, 2)]
)
def test_values_at_other_places_are_refused(
    one: Any, two: Any, name: str, format: Any, tmp_path: pathlib.Path
) -> None:
    if format == 2:
        pytest.importorskip("numcodecs")
    paths = [
        member(tmp_path / "0.zarr", 0, format, **one),
        member(tmp_path / "1.zarr", 1, format, **two),
    ]
    for verb, function in results(paths, tmp_path).items():
        words = f"1.zarr/{name}: other (places|units) than .*0.zarr/{name}; .*differing_places=True"
        with pytest.raises(ghz.MismatchError, match=words):
            function()
    with warnings.catch_warnings(record=True):
        assert function(differing_places=True), verb


def test_places_that_are_the_same(tmp_path: pathlib.Path) -> None:
    """But for rounding; and what is no place may differ."""
    one = {"lat": LAT, "day": ("time", DAYS), "ensemble": ((), 3, {"axis": "E"}), "lon": LON + 0.1}
    two = {"lat": LAT.astype("f4"), "day": ("time", DAYS + 6), "ensemble": ((), 4, {"axis": "E"})}
    two["lon"] = (LON + 0.1).astype("f4")
    for number, more in enumerate((one, two)):  # data, which are named like places
        more |= {"pressure": (("time", "lat", "lon"), np.full((6, 32, 48), number))}
        more |= {"depth": (("lat", "lon"), np.full((32, 48), number), {"positive": "down"})}
    paths = [member(tmp_path / "0.zarr", 0, **one), member(tmp_path / "1.zarr", 1, **two)]
    with warnings.catch_warnings(record=True):
        for function in results(paths, tmp_path).values():
            function()


def test_times_that_differ_are_named(tmp_path: pathlib.Path) -> None:
    since = "days since 2001-01-01"
    for name, later in (("time", ("time", DAYS + 365, {"units": since})), ("date", ((), 3))):
        paths = [
            member(tmp_path / f"{name}0.zarr", 0, date=1),
            member(tmp_path / f"{name}1.zarr", 0, **{"date": 1, name: later}),
        ]
        (tmp_path / name).mkdir()
        _named(paths, tmp_path / name, name)


def _named(paths: list[pathlib.Path], out: pathlib.Path, name: str) -> None:
    for verb, function in results(paths, out).items():
        with pytest.warns(UserWarning) as caught:
            function()
        texts = [str(w.message) for w in caught if "differ" in str(w.message)]
        assert len(texts) == 1 and name in texts[0], verb


def test_an_offset_is_no_part_of_a_sum(tmp_path: pathlib.Path) -> None:
    shifted = {"add_offset": 273.15, "scale_factor": 2.0}
    paths = [member(tmp_path / f"{i}.zarr", i, tas=shifted) for i in range(2)]
    with pytest.raises(ghz.ArgumentError, match="add_offset 273.15, which a sum would have only"):
        ghz.zarr.sum(paths, tmp_path / "sum.zarr")
    ghz.zarr.mean(paths, tmp_path / "mean.zarr")
    mean = xarray.open_zarr(tmp_path / "mean.zarr").tas
    assert abs(mean - exact(paths)).max() <= 2 * EB * 1.01
