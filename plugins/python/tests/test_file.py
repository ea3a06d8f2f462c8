# test_file.py: owns tests of .ghz files: written, read in parts, appended to, added, damaged.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import pickle
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ghz
from conftest import LEVELS, error, field
from test_index import random_index

SHAPES = [(), (0, 3), (5,), (70000,), (70, 90), (20, 40, 50), (3, 5, 2, 700)]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("pack", [None, *LEVELS])
def test_arrays_and_streams(shape: tuple[int, ...], order: str, pack: int | None) -> None:
    x = field(shape, "f8", order=order)
    s = ghz.compress(x, rel=1e-4)
    ghz.save("array.ghz", x, rel=1e-4, pack=pack)
    ghz.save("stream.ghz", s, pack=pack)
    random = np.random.default_rng(3)
    for name in ("array.ghz", "stream.ghz"):
        with ghz.open(name) as f:
            y = f.decompress()
            assert (f.shape, f.dtype, f.ndim, f.size) == (x.shape, x.dtype, x.ndim, x.size)
            assert y.flags.f_contiguous == x.flags.f_contiguous and error(y, x) <= f.bound
            assert (f.bound, f.lattice) == (s.bound, s.lattice)
            assert f.packed in ((0, f.frames) if pack else (0,))  # where packing saves a 128th
            assert f.nbytes == os.path.getsize(name)
            np.testing.assert_array_equal(f, s)
            assert [bytes(part) for part in f.streams()] == [bytes(s)]
            assert next(f.streams()) == s
            for _ in range(20):
                index = random_index(random, shape)
                np.testing.assert_array_equal(f[index], y[index], err_msg=str(index))
            if x.size:
                assert f.summary() == s.summary() and f.max() == s.max() and f.min() == s.min()
            out = np.empty_like(y)
            assert f.decompress(out) is out and f.decompress(dtype="f8").dtype == "f8"
            np.testing.assert_array_equal(out, y)


def test_several_frames() -> None:
    x = field((20, 1100, 1100))
    ghz.save("x.ghz", x, rel=1e-3)
    f = ghz.open("x.ghz")
    parts = list(f.streams())
    assert f.frames == len(parts) == 3 and [len(p) for p in parts] == [8, 8, 4]
    np.testing.assert_array_equal(np.concatenate(parts), f.decompress())
    assert f.mean().low <= x.mean(dtype="f8") <= f.mean().high
    assert error(f[12:18, 500, ::7], x[12:18, 500, ::7]) <= f.bound
    with pytest.raises(ghz.ArgumentError, match="2\\^26"):
        ghz.save("large.ghz", ghz.compress(np.broadcast_to(np.float32(1), (2**26 + 1,)), abs=1))


@pytest.mark.parametrize("order", ["C", "F"])
def test_append(order: str) -> None:
    x = field((40, 30, 50), order=order)
    slow = 0 if order == "C" else 2
    first, second, third = np.split(x, [16, 20] if order == "C" else [16, 24], axis=slow)
    ghz.save("x.ghz", first, abs=1e-3)
    ghz.append("x.ghz", np.ascontiguousarray(second), pack=2)
    ghz.append("x.ghz", np.asfortranarray(third))
    f = ghz.open("x.ghz")
    assert f.shape == x.shape and error(f.decompress(), x) <= f.bound == 1e-3
    assert (f.frames, f.packed) == (3, 1)
    for bad in (x[:, :, :7] if order == "C" else x[:7], x[0], np.float32(1)):
        with pytest.raises(ghz.MismatchError, match="shape"):
            ghz.append("x.ghz", bad)
    with pytest.raises(ghz.MismatchError, match="float64"):
        ghz.append("x.ghz", x.astype("f8"))
    assert ghz.open("x.ghz").shape == x.shape


def test_append_is_seen_by_who_opens_later() -> None:
    x = field((12, 30, 50))
    ghz.save("x.ghz", x[:4], abs=1e-3)
    before = ghz.open("x.ghz")
    written = Path("x.ghz").read_bytes()
    ghz.append("x.ghz", x[4:])
    assert before.shape == (4, 30, 50) and error(before.decompress(), x[:4]) <= 1e-3
    assert ghz.open("x.ghz").shape == x.shape
    assert Path("x.ghz").read_bytes().startswith(written)
    Path("x.ghz").write_bytes(Path("x.ghz").read_bytes()[:-1])  # as if the program had died
    assert ghz.open("x.ghz").shape == (4, 30, 50)


def test_one_writer_appends_at_a_time() -> None:
    x = field((12, 30, 50))
    ghz.save("x.ghz", x, abs=1e-3)
    with open("x.ghz", "rb") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        for write in (ghz.append, partial(ghz.save, abs=1e-3)):
            with pytest.raises(
                ghz.BusyError, match=r"x\.ghz: is being appended to by another writer"
            ):
                write("x.ghz", x)
    ghz.append("x.ghz", x)
    assert ghz.open("x.ghz").shape == (24, 30, 50)


def test_append_to_no_values_in_fortran_order() -> None:
    x = field((5, 4, 6), "f8", order="F")
    ghz.save("x.ghz", x[:, :, :0], abs=1e-3)
    for part in (x[:, :, :2], x[:, :, 2:]):
        ghz.append("x.ghz", part)
    f = ghz.open("x.ghz")
    assert f.order == "F" and f.shape == x.shape and error(f.decompress(), x) <= f.bound == 1e-3
    ghz.save("y.ghz", x[:, :, :0], abs=1e-3)
    with pytest.raises(ghz.MismatchError, match="shape"):
        ghz.append("y.ghz", x[:, :3])


@pytest.mark.parametrize("count", [1, 3, 20])
def test_sums(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ghz._save.FILES_AT_ONCE", 7)  # so that 20 take partial sums
    arrays = [field((20, 40, 50), "f8", seed) for seed in range(count)]
    lattice = ghz.lattice(*arrays, rel=1e-3)
    names = [f"{i}.ghz" for i in range(count)]
    for name, x in zip(names, arrays):
        ghz.save(name, x, like=lattice)
    wanted = np.sum(arrays, axis=0, dtype=np.longdouble)
    files: list[Any] = [Path(names[0]), *map(ghz.open, names[1:])]
    total = ghz.sum(files, out="sum.ghz")
    assert total.path == "sum.ghz" and error(total.decompress(), wanted) <= total.bound
    assert next(total.streams()) == ghz.sum(next(ghz.open(n).streams()) for n in names)
    mean = ghz.mean(names, out="mean.ghz", pack=2)
    assert mean.lattice == ghz.mean(next(ghz.open(n).streams()) for n in names).lattice
    assert error(mean.decompress(), wanted / count) <= mean.bound <= 1.01 * lattice.bound
    assert mean.packed == 1
    assert sorted(os.listdir()) == sorted([*names, "sum.ghz", "mean.ghz"])  # nothing else is left


def test_more_files_than_a_process_may_open(tmp_path: Path) -> None:
    """Sums, and what Dask and xarray open."""
    pytest.importorskip("xarray")
    program = """import ghz, glob, numpy as np, resource, sys
    import ghz.dask, xarray
    resource.setrlimit(resource.RLIMIT_NOFILE, (200, 200))
    for k in range(230):
        ghz.save(f"m{k}.ghz", np.full((30, 40), k, "f4"), abs=1e-2)
    names = sorted(glob.glob("m*.ghz"))
    mean = ghz.mean(names, out="mean.ghz").decompress()
    other = ghz.dask.mean(ghz.dask.open(names), axis=0).compute()
    how = {"engine": "ghz", "name": "p", "dims": ("y", "x"), "combine": "nested", "concat_dim": "t"}
    third = xarray.open_mfdataset(names, **how).p.mean("t")
    assert max(abs(one - 114.5).max() for one in (mean, np.asarray(other), third)) <= 0.011"""
    lines = program.replace("\n    ", "\n").replace("range(230):\n", "range(230):\n  ")
    subprocess.run([sys.executable, "-c", lines], cwd=tmp_path, check=True)


def test_like_a_file() -> None:
    x = field((40, 50))
    ghz.save("x.ghz", x, rel=1e-3, fill_value=-999)
    f = ghz.open("x.ghz")
    ghz.save("y.ghz", x + 1, like=f)
    assert (ghz.compress(x, like=f) + ghz.compress(x, like=ghz.open("y.ghz"))).info.terms == 2
    assert f.lattice.fill_value == -999


def test_threads_share_a_file() -> None:
    x = field((20, 40, 50))
    ghz.save("x.ghz", x, rel=1e-3)
    f = ghz.open("x.ghz")
    y = f.decompress()
    with ThreadPoolExecutor(8) as pool:
        for i, part in enumerate(pool.map(lambda i: f[i % 20, 3:9], range(200))):
            np.testing.assert_array_equal(part, y[i % 20, 3:9])


def test_closed() -> None:
    ghz.save("x.ghz", field((40, 50)), rel=1e-3)
    with ghz.open("x.ghz") as f:
        again = pickle.loads(pickle.dumps(f))
    np.testing.assert_array_equal(again, ghz.open("x.ghz"))
    assert "closed" in repr(f) and "shape (40, 50)" in repr(again)
    for use in (
        lambda: f[0],
        f.decompress,
        lambda: list(f.streams()),
        lambda: f.bound,
        f.__enter__,
    ):
        with pytest.raises(ghz.ArgumentError, match="is closed"):
            use()


def test_refused(tmp_path: Path) -> None:
    x = field((40, 50))
    ghz.save("x.ghz", x, rel=1e-3)
    for name in ("none.ghz", "none/x.ghz"):
        with pytest.raises(FileNotFoundError):
            ghz.open(name)
    with pytest.raises(ghz.FileError, match="No such file") as found:
        ghz.save("none/x.ghz", x, abs=1)
    assert isinstance(found.value, OSError)
    os.mkfifo("pipe")
    for other in (tmp_path, "pipe", "/dev/null"):
        with pytest.raises(ghz.ArgumentError, match="regular"):
            ghz.open(other)
    os.remove("pipe")
    Path("text").write_text("text" * 99)
    with pytest.raises(ghz.CorruptError, match="text"):
        ghz.open("text")
    with pytest.raises(TypeError):
        ghz.open(3.5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="astype"):
        ghz.save("y.ghz", np.zeros(3, "i4"), abs=1)
    with pytest.raises(ghz.ArgumentError, match="has its bound"):
        ghz.save("y.ghz", ghz.compress(x, abs=1), abs=1)
    for pack in (-1, 3, 19, 99):
        with pytest.raises(ghz.ArgumentError, match="levels of packing are 0, 1 and 2"):
            ghz.save("y.ghz", x, abs=1, pack=pack)
    if not ghz.features["zstd"]:
        with pytest.raises(ghz.UnsupportedError, match="without zstd"):
            ghz.save("y.ghz", x, abs=1, pack=1)
    with pytest.raises(ghz.ArgumentError):
        ghz.sum([], out="y.ghz")
    with pytest.raises(TypeError, match="out=path"):
        ghz.sum(["x.ghz"])  # type: ignore[call-overload]
    ghz.save("other.ghz", x, abs=0.5)
    with pytest.raises(ghz.MismatchError, match="step"):
        ghz.sum(["x.ghz", "other.ghz"], out="y.ghz")
    ghz.save("other.ghz", x[:20], like=ghz.open("x.ghz"))
    with pytest.raises(ghz.MismatchError, match="dimensions"):
        ghz.sum(["x.ghz", "other.ghz"], out="y.ghz")
    assert sorted(os.listdir()) == ["other.ghz", "text", "x.ghz"]  # nothing half-written


def test_damaged_files() -> None:
    x = field((12, 40, 50))
    for pack in (None, *LEVELS):
        ghz.save("x.ghz", x, abs=1e-3, pack=pack)
        good = Path("x.ghz").read_bytes()
        random = np.random.default_rng(1)
        for trial in range(90):
            data = bytearray(good)
            if trial % 3 == 0:
                del data[random.integers(0, len(data)) :]
            else:
                data[random.integers(0, len(data))] ^= 1 << random.integers(0, 8)
            Path("y.ghz").write_bytes(data)
            with pytest.raises(ghz.Error):  # checksums cover every byte, and all are read
                f = ghz.open("y.ghz")
                f[:, 3:5, 7]
                f.decompress()
                list(f.streams())
