# test_document.py: owns the test of documents: their blocks run, one after the other.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import inspect
import os
import re
from pathlib import Path
from typing import Any

import pytest

import ghz
from conftest import field

CLONE = Path(os.environ.get("GHZ_SOURCE") or Path(__file__).parents[3])


DOCUMENTS = ["docs/PYTHON.md", "docs/HDF5.md", "plugins/python/README.md", "README.md"]


@pytest.mark.parametrize("document", DOCUMENTS)
def test_blocks(document: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (CLONE / document).read_text()
    for module in ("h5py", "h5netcdf", "netCDF4", "xarray") if "HDF5" in document else ():
        pytest.importorskip(module)
    monkeypatch.chdir(tmp_path)
    begin, end = 0, len(text)
    if document == "README.md":  # whose block of Zarr has a test of its own
        begin = text.index("## In Python\n")
        end = text.index("\nThe mean of ten Zarr stores", begin)
    names: dict[str, Any] = {"x": field((20, 40, 50)), "y": field((20, 40, 50), seed=1)}
    blocks = list(re.compile(r"^```python\n(.*?)^```$", re.M | re.S).finditer(text, begin, end))
    for block in blocks:
        line = text.count("\n", 0, block.start(1))
        exec(compile("\n" * line + block.group(1), document, "exec"), names)
    assert blocks


def test_docstrings() -> None:
    """Every function says what each argument, the result and the errors are."""
    functions = [getattr(ghz, name) for name in ghz.__all__]
    functions = [f for f in functions if inspect.isfunction(f) and "threads" not in f.__name__]
    assert len(functions) >= 10
    for function in functions:
        text = inspect.getdoc(function) or ""
        arguments, _, rest = text.partition("\nArgs:\n")[2].partition("\nRaises:\n")
        assert rest, f"{function.__name__} does not say what it raises"
        for name in inspect.signature(function).parameters:
            assert f"    {name}: " in arguments, f"{function.__name__}({name}=) is not explained"
        if inspect.signature(function).return_annotation not in ("None", None):
            assert "\nReturns:\n" in arguments, f"{function.__name__} does not say what it returns"


def test_every_name_has_a_docstring() -> None:
    for name in ghz.__all__:
        public = getattr(ghz, name)
        members = vars(public).items() if inspect.isclass(public) else ()
        for member, value in [(name, public), *members]:
            if inspect.isfunction(value) or inspect.isclass(value) or isinstance(value, property):
                assert member.startswith("_") or inspect.getdoc(value), f"{name}.{member}"
