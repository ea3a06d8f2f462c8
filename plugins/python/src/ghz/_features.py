# _features.py: owns what this build of the library is and has.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

from ._errors import text
from ._ghz import ffi, lib

__version__: str = text(lib.ghz_version())

# What the build has: files (with xxHash), packing at level 1 (with zstd); and the instruction set
# in use.
features: dict[str, str | bool] = {
    "files": bool(lib.GHZ_HAS_FILES),
    "zstd": bool(lib.GHZ_HAS_ZSTD),
    "isa": text(lib.ghz_context_isa(ffi.NULL)),
}
