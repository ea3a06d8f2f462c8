# _notices.py: owns what is said once: of data that a bound takes, and of settings that cost more
# than they need.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import math
import warnings
from typing import Any

from ._ghz import ffi, lib

OPTION = b"fill_value= or, of a codec, fill="

_told: set[Any] = set()


def once(text: str, key: Any = None, stacklevel: int = 3) -> None:
    """Warns, unless this process has said so, or what has the same key, before."""
    if (key or text) not in _told:
        _told.add(key or text)
        warnings.warn(text, stacklevel=stacklevel)


def look_at_loss(lattice: Any, values: Any) -> None:
    """Warns the caller's caller if a ghz_lattice * takes what the values say, or if they have a usual
    fill value that nobody named; not of integers, which are exact."""
    if lattice.type not in (lib.GHZ_F32, lib.GHZ_F64):
        return
    loss = ffi.new("ghz_loss *")
    arguments = (lattice, values.pointer, values.memory.size, 0, loss)
    if not lib.ghz_lattice_loss(ffi.NULL, *arguments) and (loss.wipes or loss.has_fill):
        text = ffi.new("char[400]")
        lib.ghz_loss_text(loss, OPTION, text, 400)
        size = loss.wipes and math.floor(math.log10(loss.bound))  # the same of similar arrays
        key = (loss.wipes, size, loss.has_fill and loss.fill)
        once(f"ghz: {ffi.string(text).decode()}", key, 4)
