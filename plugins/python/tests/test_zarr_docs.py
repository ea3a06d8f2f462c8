# test_zarr_docs.py: owns the run of what docs/ZARR.md and the README show of Zarr.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import importlib.util
import itertools
import pathlib
import re
from typing import Any

import numpy as np
import pytest

for module in ("zarr", "xarray", "dask", "numcodecs"):
    pytest.importorskip(module)

import xarray

PROJECT = pathlib.Path(__file__).parents[3]


def run(page: pathlib.Path, names: dict[str, Any]) -> dict[str, Any]:
    """Runs the blocks of Python of a page, one after the other."""
    blocks = re.findall(r"^```python\n(.*?)^```", page.read_text(), re.M | re.S)
    for number, block in enumerate(blocks):
        exec(compile(block, f"{page.name}, block {number}", "exec"), names)
    return names


def test_the_page_runs(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names = run(PROJECT / "docs" / "ZARR.md", {})
    assert names["mean"].attrs == {"units": "K", "cell_methods": "realization: mean"}
    assert names["corner"].shape == (8, 8, 8)


def test_the_readme_runs(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    fields = np.random.default_rng(0).normal(280, 10, (10, 8, 40, 60)).astype("f4")
    members = [xarray.Dataset({"tas": (("t", "y", "x"), field)}) for field in fields]
    given = {"members": members, "xarray": xarray, "x": fields[0], "y": fields[1]}
    run(PROJECT / "README.md", given)
    mean = xarray.open_zarr("mean.zarr").tas
    assert abs(mean - fields.mean(0, dtype="f8")).max() <= 0.01


def bench_of(name: str, small: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> Any:
    """Returns a program of bench/, with less to do."""
    spec = importlib.util.spec_from_file_location(name, PROJECT / "bench" / f"{name}.py")
    assert spec and spec.loader
    bench = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(bench)
    for constant, value in small.items():
        monkeypatch.setattr(bench, constant, value)
    return bench


def test_the_bench_runs(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    small = {"ROUNDS": 1, "SHAPE": (2, 64, 96), "CHUNKS": (1, 32, 96)}
    small["PLACES"] = list(itertools.product(range(2), range(2), range(1)))
    bench = bench_of("zarr_mean", small, monkeypatch)
    np.random.default_rng(0).normal(280, 10, 64 * 96).astype("<f4").tofile(tmp_path / "field.f32")
    bench.main(str(tmp_path / "field.f32"), str(tmp_path))
    assert capsys.readouterr().out.count("processor") == 4


def test_the_bench_of_ensembles_runs(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    small = {"ROUNDS": 1, "MEMBERS": 3, "STEPS": 24, "THREADS": (1,)}
    small |= {"SHAPE": (64, 96), "PART": (32, 48)}
    bench = bench_of("zarr_ensemble", small, monkeypatch)
    np.random.default_rng(0).normal(280, 10, 64 * 96).astype("<f4").tofile(tmp_path / "field.f32")
    bench.main(str(tmp_path / "field.f32"), str(tmp_path))
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[1:]] == ["mean", "anomalies", "time", "seasons"]
