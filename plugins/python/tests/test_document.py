# test_document.py: owns the test of docs/PYTHON.md: its blocks run, one after the other.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest

from conftest import field

CLONE = Path(os.environ.get("GHZ_SOURCE") or Path(__file__).parents[3])


DOCUMENTS = ["docs/PYTHON.md", "plugins/python/README.md", "README.md"]


@pytest.mark.parametrize("document", DOCUMENTS)
def test_blocks(document: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (CLONE / document).read_text()
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
