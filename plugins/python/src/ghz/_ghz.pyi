# _ghz.pyi: owns the types of the extension that cffi writes: C's own, which Python does not check.
# SPDX-License-Identifier: BSD-3-Clause
from typing import Any

ffi: Any
lib: Any
