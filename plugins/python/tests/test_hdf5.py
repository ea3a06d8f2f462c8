# test_hdf5.py: owns tests of the HDF5 filter through h5py, netCDF4 and xarray, each with its own HDF5:
# values, metadata, who finds it. (Chunks and numbers that lie, padding, forks: tests/hdf5/filter.c;
# integers, what does not compress, filters before it: tests/hdf5/cases.)
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import pathlib
import subprocess
import sys
import threading
from typing import Any

import numpy as np
import pytest

import ghz
from conftest import error, field
from ghz import _hdf5

h5py = pytest.importorskip("h5py")


@pytest.fixture
def file(tmp_path: pathlib.Path) -> Any:
    with h5py.File(tmp_path / "test.h5", "w") as f:
        yield f


def stored(dataset: Any) -> Any:
    """The dataset as the file has it, not HDF5's cache."""
    file, name = dataset.file, dataset.name
    dataset.id.close()
    return file[name]


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize(
    ("shape", "chunks"),
    [
        ((9000,), (4000,)),
        ((90, 100), (64, 64)),
        ((20, 30, 40), (16, 16, 16)),
        ((3, 5, 30, 40), (2, 3, 30, 40)),
        ((30, 40), (30, 40)),
        ((5, 6), (1, 1)),
    ],
)
def test_round_trip(file: Any, dtype: str, shape: Any, chunks: Any) -> None:
    x = field(shape, dtype)
    d = file.create_dataset("x", data=x, chunks=chunks, **ghz.hdf5(abs=1e-3))
    d = stored(d)
    assert 0 < error(d[:], x) <= 1e-3 or x.size < 100
    assert error(d[1:3], x[1:3]) <= 1e-3


def test_a_chunk_is_a_stream_of_its_shape(file: Any) -> None:
    x = field((64, 96), "f4")
    d = file.create_dataset("x", data=x, chunks=(32, 96), **ghz.hdf5(abs=1e-3))
    d = stored(d)
    for row in (0, 32):
        mask, data = d.id.read_direct_chunk((row, 0))
        assert mask == 0
        assert data == bytes(ghz.compress(x[row : row + 32], abs=1e-3))
        np.testing.assert_array_equal(
            ghz.Stream.from_bytes(data, shape=(32, 96)).decompress(), d[row : row + 32]
        )


def test_numbers() -> None:
    # As `ghz h5args --abs 1e-3 --fill -999` prints, which tests/hdf5 holds.
    words = (1, 0, 3539053052, 1062232653)
    assert ghz.hdf5(abs=1e-3) == {"compression": 479, "compression_opts": words}
    assert ghz.hdf5(abs=1e-3, fill_value=float("nan"))["compression_opts"] == words
    filled = (1, 256, *words[2:], 0, 3230611456)
    assert ghz.hdf5(abs=1e-3, fill_value=-999)["compression_opts"] == filled
    assert ghz.hdf5(rel=1e-3)["compression_opts"] == (1, 1, *words[2:])
    assert ghz.Hdf5(step=1e-3)["compression_opts"] == (1, 3, *words[2:])
    assert ghz.Hdf5(lossless=True) == ghz.Hdf5(step=1) == ghz.Hdf5(step=1, lossless=False)


def test_as_the_filters_of_hdf5plugin(file: Any) -> None:
    x = field((64, 96), "f4")
    tool = ghz.Hdf5(abs=1e-3)
    one = file.create_dataset("one", data=x, chunks=(32, 96), compression=tool)
    two = file.create_dataset("two", data=x, chunks=(32, 96), **tool)
    numbers = [d.id.get_create_plist().get_filter(0)[2] for d in (one, two)]
    assert numbers[0] == numbers[1]
    assert error(stored(one)[:], x) <= 1e-3
    assert isinstance(tool, h5py.filters.FilterRefBase)
    assert (tool.filter_id, tool.filter_options) == (479, tool["compression_opts"])
    assert dict(tool) == {"compression": 479, "compression_opts": tool.filter_options}
    assert len({tool, ghz.Hdf5(abs=1e-3), ghz.hdf5(abs=1e-3)}) == 1 != len({tool, ghz.Hdf5(abs=1)})
    assert tool != ghz.Hdf5(rel=1e-3) and tool == dict(tool) and "479" in repr(tool)


def test_a_filter_made_before_h5py_is_there(tmp_path: pathlib.Path) -> None:
    lines = """import ghz
    tool = ghz.Hdf5(abs=0.5)
    import h5py
    with h5py.File("x.h5", "w") as f:
        d = f.create_dataset("x", (100,), "f4", chunks=(10,), compression=tool)
        assert d.id.get_create_plist().get_filter(0)[0] == 479"""
    program = lines.replace("\n    ", "\n")
    subprocess.run([sys.executable, "-c", program], cwd=tmp_path, check=True)


@pytest.mark.parametrize(
    "bounds",
    [
        {},
        {"abs": 1, "rel": 1},
        {"abs": 0},
        {"rel": float("nan")},
        {"step": 1, "lossless": True},
        {"step": -1},
        {"abs": 1, "lossless": True},
    ],
)
def test_bounds_that_are_none(bounds: Any) -> None:
    with pytest.raises(ghz.ArgumentError):
        ghz.hdf5(**bounds)
    with pytest.raises(ghz.ArgumentError):
        ghz.hdf5(abs=1, fill_value=float("inf"))


@pytest.mark.parametrize("given", [False, True])
def test_fill_values_are_kept(file: Any, given: bool) -> None:
    x = field((60, 70), "f4") + 270
    x[10:30, 5:40] = 1e20
    x[3, 4] = np.nan
    own = {} if given else {"fillvalue": 1e20}
    bound = ghz.hdf5(abs=1e-3, fill_value=1e20 if given else None)
    d = file.create_dataset("x", data=x, chunks=(32, 32), **own, **bound)
    d = stored(d)
    holes = (x == np.float32(1e20)) | np.isnan(x)
    assert (d[:][holes] == np.float32(1e20)).all()
    assert error(d[:][~holes], x[~holes]) <= 1e-3
    assert d.id.get_storage_size() < x.nbytes * 0.7


def test_a_packed_variable_of_netcdf4(tmp_path: pathlib.Path) -> None:
    """What netCDF4 unpacks is what it is without the filter."""
    netcdf4 = pytest.importorskip("netCDF4")
    packed = np.round(1000 * field((60, 80), "f8")).astype("i2")
    packed[5, 6] = -32768
    with h5py.File(tmp_path / "x.nc", "w") as f:
        for name, more in (("plain", {}), ("ghz", ghz.Hdf5(lossless=True))):
            d = f.create_dataset(
                name, data=packed, chunks=(32, 64), fillvalue=np.int16(-32768), **more
            )
            d.attrs["scale_factor"], d.attrs["add_offset"] = 0.001, 273.15
            d.attrs["_FillValue"] = np.array([-32768], "i2")
    with netcdf4.Dataset(tmp_path / "x.nc") as n:
        one, two = n["plain"][:], n["ghz"][:]
        assert np.ma.is_masked(two[5, 6]) and (one.mask == two.mask).all()
        assert (one.filled(0) == two.filled(0)).all()


# ---- Refusals ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "dtype",
    ["i8", ">i4", "f2", ">f4", ">f8", "c8", "S5", [("a", "f4")]],
)
def test_other_types(file: Any, dtype: Any) -> None:
    with pytest.raises((ValueError, OSError), match="H5T_IEEE_F32LE"):
        file.create_dataset("x", (100,), dtype, chunks=(10,), **ghz.hdf5(abs=1e-3))
    assert "x" not in file


def test_types_of_any_length(file: Any) -> None:
    """HDF5 itself leaves filters away that are optional, as those of h5py are."""
    lists = file.create_dataset("x", (9,), h5py.vlen_dtype("f4"), chunks=(3,), **ghz.hdf5(abs=1))
    lists[5] = np.arange(3)
    assert list(lists[5]) == [0, 1, 2]
    texts = file.create_dataset("y", (9,), h5py.string_dtype(), chunks=(3,), **ghz.hdf5(abs=1))
    texts[5] = "text"
    assert texts[5] == b"text"


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ((), "no bound is given: give the numbers that `ghz h5args"),
        ((1, 0), "four or six numbers"),
        ((2, 0, 0, 1072693248), "the first number is not 1"),
        ((1, 2, 0, 1072693248), "neither 0"),
        ((1, 0, 0, 0), "not a positive, finite number"),
        ((1, 0, 0, 2146959360), "not a positive, finite number"),
        ((1, 256, 0, 1072693248), "announces a fill value"),
        ((1, 256, 0, 1072693248, 0, 2146959360), "fill value is not finite"),
        ((1, 0, 0, 1072693248, 0, 0, 0, 9), "disagree"),
        ((1,) * 200, "too many numbers"),
    ],
)
def test_numbers_that_are_wrong(file: Any, words: Any, text: str) -> None:
    with pytest.raises((ValueError, OSError), match=text):
        file.create_dataset("x", (100,), "f4", compression=479, compression_opts=words)


def test_a_fill_value_beyond_the_type(file: Any) -> None:
    with pytest.raises((ValueError, OSError), match="no float of 32 bits"):
        file.create_dataset("x", (100,), "f4", **ghz.hdf5(abs=1, fill_value=1e300))


# ---- Shapes --------------------------------------------------------------------------------------


def test_scalar_and_compact(file: Any) -> None:
    with pytest.raises(TypeError):  # h5py's own
        file.create_dataset("x", data=1.0, **ghz.hdf5(abs=1e-3))
    plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    plist.set_filter(479, h5py.h5z.FLAG_OPTIONAL, ghz.hdf5(abs=1e-3)["compression_opts"])
    plist.set_layout(h5py.h5d.COMPACT)
    space = h5py.h5s.create_simple((10,))
    try:  # HDF5 refuses that, or takes it and uses no filter
        d = h5py.h5d.create(file.id, b"y", h5py.h5t.IEEE_F32LE, space, plist)
    except (ValueError, OSError):
        return
    d.write(h5py.h5s.ALL, h5py.h5s.ALL, np.arange(10, dtype="f4"))
    assert (file["y"][:] == np.arange(10)).all()


def test_unlimited(file: Any) -> None:
    x = field((50, 30), "f4")
    d = file.create_dataset(
        "x", (0, 30), "f4", maxshape=(None, 30), chunks=(16, 30), **ghz.hdf5(abs=1e-3)
    )
    assert d[:].size == 0
    for rows in (10, 50, 20):
        before = d.shape[0]
        d.resize(rows, axis=0)
        d[before:] = x[before:rows]
        d = stored(d)
        assert error(d[:], x[:rows]) <= 2e-3  # what is rewritten is compressed again
    d.resize(40, axis=0)
    assert (d[20:] == 0).all()


# ---- Threads -------------------------------------------------------------------------------------


def test_threads_that_end(file: Any) -> None:
    x = field((100, 100), "f4")

    def work(number: int) -> None:
        file.create_dataset(f"{number}", data=x, chunks=(50, 50), **ghz.hdf5(abs=1e-3))

    for number in range(8):
        thread = threading.Thread(target=work, args=(number,))
        thread.start()
        thread.join()
    assert all(error(file[f"{number}"][:], x) <= 1e-3 for number in range(8))


# ---- Who finds the filter ------------------------------------------------------------------------

USE = {
    "h5py": "assert abs(h5py.File('x.h5')['x'][5, 5] - 5) <= 1e-3",
    "netCDF4": "assert abs(netCDF4.Dataset('x.h5')['x'][5, 5] - 5) <= 1e-3",
}


@pytest.mark.parametrize(
    "words",
    [
        "ghz h5py",
        "h5py ghz",
        "ghz netCDF4",
        "netCDF4 ghz",
        "h5py netCDF4 ghz",
        "ghz netCDF4 h5py",
        "h5py ghz netCDF4",
    ],
)
@pytest.mark.parametrize("path", [None, "/somewhere"])
def test_who_finds_the_filter(
    tmp_path: pathlib.Path, words: str, path: str | None, monkeypatch: Any
) -> None:
    names = words.split()
    if "netCDF4" in names:
        pytest.importorskip("netCDF4")
    with h5py.File(tmp_path / "x.h5", "w") as f:
        x = np.add.outer(np.arange(40), np.zeros(40))
        f.create_dataset("x", data=x, chunks=(32, 32), **ghz.hdf5(abs=1e-3))
    monkeypatch.delenv("HDF5_PLUGIN_PATH", raising=False)
    if path:
        monkeypatch.setenv("HDF5_PLUGIN_PATH", path)
    lines = [f"import {name}" for name in names]
    lines += [USE[name] for name in names if name in USE]
    if "netCDF4" not in names and "h5py" in names:  # those of others come from nowhere
        lines.append("assert path or not h5py.h5z.filter_avail(32001)")
        lines.insert(0, f"path = {path!r}")
    if "netCDF4" in names and not path:  # its own filters are still found
        lines += [
            "d = netCDF4.Dataset('z.nc', 'w')",
            "d.createDimension('n', 99)",
            "d.createVariable('v', 'f4', ('n',), compression='zstd')[:] = 1",
            "d.close()",
        ]
    subprocess.run([sys.executable, "-c", "\n".join(lines)], cwd=tmp_path, check=True)


@pytest.mark.parametrize("path", [None, "::", "/a:/b", "OURS"])
def test_the_search_path(path: str | None, monkeypatch: Any) -> None:
    """Only the folder of this filter is added, behind; that of netCDF4 when that is loaded."""
    folder = _hdf5._FOLDER
    if path is None:
        monkeypatch.delenv("HDF5_PLUGIN_PATH", raising=False)
    else:
        monkeypatch.setenv("HDF5_PLUGIN_PATH", path.replace("OURS", folder))
    program = """import importlib.util, os, ghz
    one = os.environ["HDF5_PLUGIN_PATH"]
    if importlib.util.find_spec("netCDF4"):
        assert os.environ["HDF5_PLUGIN_PATH"] == one
        import netCDF4
    print(one, os.environ["HDF5_PLUGIN_PATH"])"""
    lines = program.replace("\n    ", "\n")
    run = subprocess.run([sys.executable, "-c", lines], capture_output=True, text=True, check=True)
    one, two = run.stdout.split()
    default = _hdf5._DEFAULT
    wanted = {None: f"{default}:{folder}", "::": "::", "/a:/b": f"/a:/b:{folder}"}
    assert one == wanted.get(path, f"{folder}:{default}")
    behind = two.removeprefix(one)
    assert not behind if path in ("::", "/a:/b") else behind in ("", behind.rstrip("/"))
    assert not behind or behind.endswith("netCDF4/plugins")


def test_two_libraries_at_once(tmp_path: pathlib.Path) -> None:
    """What is refused goes to the HDF5 that asked."""
    netcdf4 = pytest.importorskip("netCDF4")
    with h5py.File(tmp_path / "x.h5", "w") as f:
        d = f.create_dataset("x", (64,), "f4", chunks=(32,), **ghz.hdf5(abs=1e-3))
        d.id.write_direct_chunk((0,), b"bad")
    with netcdf4.Dataset(tmp_path / "x.h5") as n, pytest.raises(RuntimeError):
        n["x"][:]
    with (
        h5py.File(tmp_path / "x.h5") as f,
        pytest.raises(OSError, match="filter returned failure|ghz: "),
    ):
        f["x"][:]


# ---- xarray --------------------------------------------------------------------------------------


@pytest.mark.parametrize("engine", ["h5netcdf", "netcdf4"])
def test_xarray(tmp_path: pathlib.Path, engine: str) -> None:
    xarray = pytest.importorskip("xarray")
    pytest.importorskip("h5netcdf")
    pytest.importorskip("netCDF4")
    tas = field((3, 40, 50), "f4") + 270
    tas[:, 3, 4] = np.nan
    ds = xarray.Dataset({"tas": (("time", "lat", "lon"), tas)}, {"lat": np.arange(40.0)})
    encoding = {"tas": {**ghz.hdf5(abs=1e-3), "chunksizes": (1, 40, 50), "_FillValue": 1e20}}
    ds.to_netcdf(tmp_path / "x.nc", engine="h5netcdf", encoding=encoding)
    with h5py.File(tmp_path / "x.nc") as f:
        assert f["tas"].id.get_storage_size() < tas.nbytes / 2
        assert f["tas"].id.get_create_plist().get_filter(0)[2][1] == 512  # the fill value was found
    with xarray.open_dataset(tmp_path / "x.nc", engine=engine) as back:
        assert np.isnan(back.tas[:, 3, 4]).all()
        good = ~np.isnan(tas)
        assert error(back.tas.values[good], tas[good]) <= 1e-3
        assert (back.lat == ds.lat).all()
