# test_xarray.py: owns the tests of xarray's engine for .ghz files, and of its accessor.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

xarray = pytest.importorskip("xarray")
dask = pytest.importorskip("dask")

import ghz
import ghz.xarray
from conftest import error, field
from test_dask import decompressed  # noqa: F401


def count_reads(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Counts the values of the boxes that are read of files."""
    seen: list[int] = []

    def read(self: Any, origin: Any, out: Any, real: Any = ghz.File._read_box) -> None:
        seen.append(out.size)
        real(self, origin, out)

    monkeypatch.setattr(ghz.File, "_read_box", read)
    monkeypatch.setattr(ghz.File, "_read_all", None)
    return seen


@pytest.mark.parametrize("order", "CF")
def test_a_file_is_read_lazily(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, order: Any) -> None:
    values = np.asarray(field((20, 40, 50), "f8"), order=order)
    ghz.save(tmp_path / "tas.f64.ghz", values, abs=1e-3)
    reads = count_reads(monkeypatch)
    ds = xarray.open_dataset(tmp_path / "tas.f64.ghz", engine="ghz")
    assert list(ds) == ["tas"] and ds.tas.dims == ("dim_0", "dim_1", "dim_2")
    assert ds.tas.dtype == np.float64 and ds.tas.encoding["bound"] == 1e-3
    part = ds.tas[3:5, :, 10]
    again = pickle.loads(pickle.dumps(ds))
    assert "..." in repr(ds) and not reads
    assert error(part.values, values[3:5, :, 10]) <= 1e-3
    assert sum(reads) <= 2 * 40 * 50
    monkeypatch.undo()
    for index in (
        {"dim_0": 4, "dim_2": slice(None, None, -3)},
        {"dim_0": [5, 2, 2], "dim_1": slice(3, 30, 4)},
        {"dim_0": slice(0, 0)},
        {"dim_0": -1, "dim_1": 7, "dim_2": 0},
        {"dim_1": xarray.DataArray([1, 5], dims="p"), "dim_2": xarray.DataArray([9, 3], dims="p")},
        {},
    ):
        want = xarray.DataArray(values).isel(index)
        got = again.tas.isel(index)
        assert got.shape == want.shape and error(got.values, want.values) <= 1e-3
    ds.close()  # xarray opens again what it closed
    assert error(ds.tas.values, values) <= 1e-3


def test_names_fills_and_chunks(tmp_path: Path) -> None:
    values = field((2100, 300, 40))
    values[5, 6] = -999
    path = tmp_path / "sea.ghz"
    ghz.save(path, values, abs=1e-3, fill_value=-999)
    ds = xarray.open_dataset(path, dims=("time", "lat", "lon"), name="sst", chunks={})
    rows = ds.sst.chunks[0]
    assert len(rows) == ghz.open(path).frames > 1 and {*ds.sst.chunks[1:]} == {(300,), (40,)}
    assert np.isnan(ds.sst[5, 6].values).all() and int(ds.sst[5].isnull().sum()) == 40
    assert error(ds.sst[1500].values, values[1500]) <= 1e-3
    raw = xarray.open_dataset(path, mask_and_scale=False)
    assert (raw.sea[5, 6].values == -999).all() and raw.sea.attrs["_FillValue"] == -999
    assert list(xarray.open_dataset(path, drop_variables="sea")) == []
    many = xarray.open_mfdataset([path, path], combine="nested", concat_dim="member", engine="ghz")
    assert many.sea.shape == (2, 2100, 300, 40)
    with pytest.raises(ValueError, match="dims="):
        xarray.open_dataset(path, dims=("time", "lat"))


def test_files_that_are_none(tmp_path: Path) -> None:
    (tmp_path / "bad.ghz").write_bytes(b"no file of ghz")
    with pytest.raises(ghz.CorruptError):
        xarray.open_dataset(tmp_path / "bad.ghz")
    with pytest.raises(FileNotFoundError):
        xarray.open_dataset(tmp_path / "none.ghz", engine="ghz")
    guess = ghz.xarray.GhzBackendEntrypoint().guess_can_open
    assert guess("a.ghz") and guess(tmp_path / "a.ghz")
    assert not guess("a.nc") and not guess(b"a.ghz") and not guess(None)


def test_chunks_stay_compressed(decompressed: list[Any]) -> None:  # noqa: F811
    values = np.stack([field((30, 40), seed=seed) for seed in range(5)])
    where = {"member": range(5), "lat": np.linspace(-80, 80, 30)}
    data = xarray.DataArray(values, where, ("member", "lat", "lon"), "tas", {"units": "K"})
    members = data.chunk(member=1, lon=25).ghz.compress(abs=1e-3)
    mean = members.ghz.mean("member")
    anomalies, total = members.ghz.subtract(mean), members.ghz.sum("member")
    mean, anomalies, total = dask.persist(mean, anomalies, total)
    assert not decompressed
    assert mean.dims == ("lat", "lon") and "member" not in mean.coords and mean.attrs == data.attrs
    xarray.testing.assert_equal(anomalies.coords.to_dataset(), data.coords.to_dataset())
    wide = data.astype("f8")
    assert error(mean.ghz.decompress(), wide.mean("member")) <= 1.01e-3
    assert error(total.ghz.decompress(), wide.sum("member")) <= 5.01e-3
    assert error(anomalies.ghz.decompress(), wide - wide.mean("member")) <= 2.01e-3
    assert type(anomalies.ghz.decompress().compute().data) is np.ndarray
    # along another axis than the first
    turned = data.transpose("lat", "member", "lon").chunk(member=1).ghz.compress(abs=1e-3)
    other = turned.ghz.subtract(turned.ghz.mean("member"))
    want = (wide - wide.mean("member")).transpose(*other.dims)
    assert error(other.ghz.decompress(), want) <= 2.01e-3


def test_what_does_not_go_together() -> None:
    data = xarray.DataArray(field((4, 30, 40)), {"x": range(30)}, ("t", "x", "y"))
    with pytest.raises(ghz.ArgumentError, match="no chunks"):
        data.ghz.compress(abs=1)
    members = data.chunk(t=1).ghz.compress(abs=1e-3)
    mean = members.ghz.mean("t")
    with pytest.raises(ValueError, match="x"):
        members.ghz.subtract(mean.assign_coords(x=range(1, 31)))
    with pytest.raises(ghz.ArgumentError, match="dimensions"):
        members.ghz.subtract(mean.transpose("y", "x"))
    with pytest.raises(ValueError):
        members.ghz.mean("nothing")
