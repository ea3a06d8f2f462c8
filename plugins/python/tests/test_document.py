# test_document.py: owns the test of docs/PYTHON.md: its blocks run, one after the other.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest

CLONE = Path(os.environ.get("GHZ_SOURCE") or Path(__file__).parents[3])


@pytest.mark.parametrize("document", ["docs/PYTHON.md", "plugins/python/README.md"])
def test_blocks(document: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (CLONE / document).read_text()
    monkeypatch.chdir(tmp_path)
    blocks = list(re.finditer(r"^```python\n(.*?)^```$", text, re.M | re.S))
    names: dict[str, Any] = {}
    for block in blocks:
        line = text.count("\n", 0, block.start(1))
        code = compile("\n" * line + block.group(1), document, "exec")
        exec(code, names)
    assert blocks
