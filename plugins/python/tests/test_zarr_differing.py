# test_zarr_differing.py: owns the tests of stores that differ in coordinates and attributes, as
# xarray writes members of an ensemble.
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

EB = 1e-3
DAYS = np.arange(6)


def member(path: pathlib.Path, number: int, format: Any = 3, **changes: Any) -> pathlib.Path:
    """Writes a member with scalar coordinates of its own, a history, and what changes say."""
    noise = np.random.default_rng(number).normal(size=(6, 32, 48)).cumsum(1).cumsum(2)
    tas = xarray.DataArray(
        (280 + noise / 50).astype("f4"),
        dims=("time", "lat", "lon"),
        coords={"lat": np.linspace(-60, 60, 32), "realization": number, "height": 2.0},
        attrs={"units": "K", "cell_methods": "time: mean", **changes.pop("tas", {})},
    )
    data = xarray.Dataset({"tas": tas}, attrs={"model": "A", "history": f"run {number}"})
    data = data.assign_coords(time=("time", DAYS, {"units": "days since 2001-01-01"}))
    data = data.assign(**changes)
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


def test_what_differs_is_left_out_and_named(
    members: list[pathlib.Path], tmp_path: pathlib.Path
) -> None:
    with pytest.warns(UserWarning, match="lacks: .*") as caught:
        ghz.zarr.mean(members, tmp_path / "mean.zarr")
    (said,) = [w for w in caught if "differ" in str(w.message)]
    names = str(said.message).partition("lacks: ")[2].split(", ")
    assert sorted(names) == ["history", "realization"]
    assert said.filename == __file__
    mean = xarray.open_zarr(tmp_path / "mean.zarr")
    assert mean.attrs == {"model": "A"} and mean.tas.attrs["units"] == "K"
    assert set(mean.coords) == {"lat", "time", "height"} and set(mean.data_vars) == {"tas"}
    assert abs(mean.tas - exact(members)).max() <= EB


def test_the_first_is_taken(members: list[pathlib.Path], tmp_path: pathlib.Path) -> None:
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message=".*differ")
        ghz.zarr.mean(members[::-1], tmp_path / "mean.zarr", differing="first")
    mean = xarray.open_zarr(tmp_path / "mean.zarr")
    assert mean.attrs["history"] == "run 2" and mean.realization == 2
    assert abs(mean.tas - exact(members)).max() <= EB


def test_what_differs_is_refused(members: list[pathlib.Path], tmp_path: pathlib.Path) -> None:
    with pytest.raises(ghz.MismatchError, match="attributes .*: history"):
        ghz.zarr.mean(members, tmp_path / "mean.zarr", differing="error")
    for path in members:
        group = zarr.open_group(path, mode="r+")
        group.attrs.update({"history": "one"})
        zarr.consolidate_metadata(path)
    with pytest.raises(ghz.MismatchError, match="1.zarr/realization: values differ .*0.zarr"):
        ghz.zarr.mean(members, tmp_path / "mean.zarr", differing="error")
    with pytest.raises(ghz.ArgumentError, match="differing='all': must be 'drop', 'first' or"):
        ghz.zarr.mean(members, tmp_path / "mean.zarr", differing="all")  # type: ignore[arg-type]
    assert not (tmp_path / "mean.zarr").exists()


def test_members_of_other_years_and_with_more_arrays(tmp_path: pathlib.Path) -> None:
    later = ("time", DAYS, {"units": "days since 2002-01-01"})
    more = xarray.DataArray(np.arange(3.0), dims="station")
    paths = [member(tmp_path / "0.zarr", 0), member(tmp_path / "1.zarr", 0, time=later, more=more)]
    with pytest.warns(UserWarning, match="lacks: more, time$|lacks: time, more$"):
        ghz.zarr.sum(paths, tmp_path / "sum.zarr")
    assert set(xarray.open_zarr(tmp_path / "sum.zarr").coords) == {"lat", "realization", "height"}
    with pytest.warns(UserWarning, match="lacks: more$"):
        pass_over = ghz.zarr.sum(paths, tmp_path / "first.zarr", differing="first")
    assert "time" in pass_over


@pytest.mark.parametrize(
    "attributes",
    [{"scale_factor": 0.5}, {"add_offset": 273.15}, {"units": "degC"}, {"missing_value": -999.0}],
    ids=lambda changed: next(iter(changed)),
)
@pytest.mark.parametrize("differing", ["drop", "first"])
def test_numbers_that_mean_something_else_are_refused(
    attributes: dict[str, Any], differing: Any, tmp_path: pathlib.Path
) -> None:
    paths = [member(tmp_path / "0.zarr", 0), member(tmp_path / "1.zarr", 1, tas=attributes)]
    (name,) = attributes
    for function in (ghz.zarr.sum, ghz.zarr.mean):
        with pytest.raises(ghz.MismatchError, match=f"1.zarr/tas: {name} "):
            function(paths, tmp_path / "out.zarr", differing=differing)
    assert not (tmp_path / "out.zarr").exists()


def test_an_offset_is_no_part_of_a_sum(tmp_path: pathlib.Path) -> None:
    shifted = {"add_offset": 273.15, "scale_factor": 2.0}
    paths = [member(tmp_path / f"{i}.zarr", i, tas=shifted) for i in range(2)]
    with pytest.raises(ghz.ArgumentError, match="add_offset 273.15, which a sum would have only"):
        ghz.zarr.sum(paths, tmp_path / "sum.zarr", differing="first")
    ghz.zarr.mean(paths, tmp_path / "mean.zarr", differing="first")
    mean = xarray.open_zarr(tmp_path / "mean.zarr").tas
    assert abs(mean - exact(paths)).max() <= 2 * EB * 1.01
