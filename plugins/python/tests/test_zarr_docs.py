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
    assert names["mean"].attrs == {"units": "K"} and names["corner"].shape == (8, 8, 8)


def test_the_readme_runs(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    fields = np.random.default_rng(0).normal(280, 10, (10, 8, 40, 60)).astype("f4")
    members = [xarray.Dataset({"tas": (("t", "y", "x"), field)}) for field in fields]
    given = {"members": members, "xarray": xarray, "x": fields[0], "y": fields[1]}
    run(PROJECT / "README.md", given)
    mean = xarray.open_zarr("mean.zarr").tas
    assert abs(mean - fields.mean(0, dtype="f8")).max() <= 0.01


def test_the_bench_runs(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = PROJECT / "bench" / "zarr_mean.py"
    spec = importlib.util.spec_from_file_location("zarr_mean", path)
    assert spec and spec.loader
    bench = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(bench)
    small = {"ROUNDS": 1, "SHAPE": (2, 64, 96), "CHUNKS": (1, 32, 96)}
    small["PLACES"] = list(itertools.product(range(2), range(2), range(1)))
    for name, value in small.items():
        monkeypatch.setattr(bench, name, value)
    np.random.default_rng(0).normal(280, 10, 64 * 96).astype("<f4").tofile(tmp_path / "field.f32")
    bench.main(str(tmp_path / "field.f32"), str(tmp_path))
    assert capsys.readouterr().out.count("processor") == 4
