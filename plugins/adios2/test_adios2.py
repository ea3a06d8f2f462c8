# test_adios2.py: owns the test of the ADIOS2 operator, with ADIOS2 as PyPI has it.
# SPDX-License-Identifier: BSD-3-Clause
"""usage: GHZ_ADIOS2=.../libghz_adios2.so pytest test_adios2.py"""

from __future__ import annotations

import os
import pathlib
import re
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

adios2 = pytest.importorskip("adios2")

PLUGIN = {"PluginName": "ghz", "PluginLibrary": os.environ["GHZ_ADIOS2"]}


def field(shape: tuple[int, ...], dtype: Any = "f4") -> np.ndarray:
    values = np.random.default_rng(0).normal(size=shape)
    for axis in range(len(shape)):
        values = values.cumsum(axis)
    return values.astype(dtype)


def write(path: pathlib.Path, blocks: list[np.ndarray], **parameters: str) -> int:
    """Writes blocks of a variable beside each other; returns the bytes of the file."""
    count = list(blocks[0].shape)
    whole = [count[0] * len(blocks), *count[1:]] if count else []
    with adios2.Stream(str(path), "w") as stream:
        variable = stream.io.define_variable("v", blocks[0], whole, [0] * len(count), count)
        variable.add_operation_string("plugin", PLUGIN | parameters)
        stream.begin_step()
        for number, block in enumerate(blocks):
            if count:
                variable.set_selection([[number * count[0], *[0] * (len(count) - 1)], count])
            stream.engine.put(variable, block, adios2.bindings.Mode.Sync)
        stream.end_step()
    return sum(file.stat().st_size for file in path.rglob("*") if file.is_file())


def read(path: pathlib.Path, **selection: Any) -> np.ndarray:
    with adios2.FileReader(str(path)) as stream:
        return np.asarray(stream.read("v", **selection))


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("shape", [(5000,), (60, 70), (20, 30, 40), (2, 3, 20, 30)])
def test_values_are_within_the_bound(
    tmp_path: pathlib.Path, shape: tuple[int, ...], dtype: str
) -> None:
    data = field(shape, dtype)
    size = write(tmp_path / "v.bp", [data], abs="1e-2")
    assert np.abs(read(tmp_path / "v.bp").astype("f8") - data).max() <= 1e-2
    plain = write_plain(tmp_path / "plain.bp", data)
    assert plain - size > data.nbytes / 4  # the operator was at work


def write_plain(path: pathlib.Path, data: np.ndarray) -> int:
    with adios2.Stream(str(path), "w") as stream:
        stream.write("v", data, data.shape, [0] * data.ndim, data.shape)
    return sum(file.stat().st_size for file in path.rglob("*") if file.is_file())


def test_blocks_and_selections(tmp_path: pathlib.Path) -> None:
    blocks = [field((20, 30, 40)), field((20, 30, 40)) * 2]
    write(tmp_path / "v.bp", blocks, rel="1e-4")
    bound = 1e-4 * np.ptp(blocks[1])
    both = np.concatenate(blocks)
    assert np.abs(read(tmp_path / "v.bp") - both).max() <= bound
    part = read(tmp_path / "v.bp", start=[15, 3, 5], count=[10, 7, 9])
    assert np.abs(part - both[15:25, 3:10, 5:14]).max() <= bound


def test_fill_and_specials(tmp_path: pathlib.Path) -> None:
    data = field((64, 64))
    data[3:20, 4:30] = 1e20
    data[40, 40] = np.inf
    write(tmp_path / "v.bp", [data], abs="1e-3", fill="1e20")
    back = read(tmp_path / "v.bp")
    special = ~np.isfinite(data) | (data == np.float32(1e20))
    np.testing.assert_array_equal(back[special], data[special])
    assert np.abs(back[~special] - data[~special]).max() <= 1e-3


@pytest.mark.parametrize(
    "parameters, message",
    [
        ({}, "give one of the parameters abs, rel, psnr"),
        ({"abs": "1", "rel": "1"}, "give one of"),
        ({"abs": "small"}, "abs is 'small', not a number"),
        ({"abs": "-1"}, "bound"),
        ({"abs": "1", "fill": "inf"}, "fill"),
        ({"abs": "1", "fill": "1e99"}, "fill"),
        ({"abs": "1", "fill": "none"}, "fill is 'none', not a number"),
    ],
)
def test_parameters_that_are_none(
    tmp_path: pathlib.Path, parameters: dict[str, str], message: str
) -> None:
    # In a process that ends without closing the file: with ADIOS2 2.12 that would crash.
    program = f"""
import adios2, numpy, os
stream = adios2.Stream("v.bp", "w")
values = numpy.ones((20, 20), "f4")
variable = stream.io.define_variable("v", values, [20, 20], [0, 0], [20, 20])
variable.add_operation_string("plugin", {PLUGIN | parameters})
stream.begin_step()
try:
    stream.engine.put(variable, values, adios2.bindings.Mode.Sync)
except Exception as error:
    print(error, flush=True)
os._exit(0)
"""
    child = [sys.executable, "-c", program]
    printed = subprocess.run(child, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert message in printed


def test_integers_stay_as_they_are(tmp_path: pathlib.Path) -> None:
    write(tmp_path / "v.bp", [np.arange(100)], abs="1")  # ADIOS2 warns
    np.testing.assert_array_equal(read(tmp_path / "v.bp"), np.arange(100))


def test_bytes_that_are_no_stream(tmp_path: pathlib.Path) -> None:
    write(tmp_path / "v.bp", [field((20, 30, 40))], abs="1e-3")
    data = tmp_path / "v.bp" / "data.0"
    content = bytearray(data.read_bytes())
    at = content.index(b"GHZ3")
    content[at + 6] = 99  # the cap
    data.write_bytes(content)
    with pytest.raises(Exception, match="ghz: "):
        read(tmp_path / "v.bp")


def test_what_the_documents_show(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = (pathlib.Path(__file__).parents[2] / "docs" / "INSTALL.md").read_text()
    block = next(b for b in re.findall(r"```python\n(.*?)```", page, re.S) if "adios2" in b)
    monkeypatch.chdir(tmp_path)
    exec(block.replace("build-adios2/libghz_adios2.so", PLUGIN["PluginLibrary"]), {})
    with adios2.FileReader(str(tmp_path / "values.bp")) as stream:
        np.testing.assert_array_equal(stream.read("values"), np.zeros((64, 64)))
