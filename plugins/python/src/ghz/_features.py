# _features.py: owns what this build of the library is and has.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

from ._errors import text
from ._ghz import ffi, lib

__version__: str = text(lib.ghz_version())

# The instruction set in use, and what the build has: files (with xxHash), packing (with zstd).
features: dict[str, str | bool] = {
    "isa": text(lib.ghz_context_isa(ffi.NULL)),
}
