# declarations.py: owns the step from libghz's headers to the C source of ghz._ghz: cffi's API mode.
# SPDX-License-Identifier: BSD-3-Clause
"""usage: declarations.py COMPILER OUT.c HEADER..."""

from __future__ import annotations

import pathlib
import re
import subprocess
import sys
import tempfile

import cffi

# The Python package has no use for these, and each would cost a wrapper.
LEFT_OUT = re.compile(
    r"\bghz_cuda|\bghz_slice_(reserve|pack|parse|compress|sum|extremum|decompress)"
)
MORE = """
#define GHZ_ORDER_BEST ...
#define GHZ_ORDER_LORENZO ...
void *malloc(size_t size);
void *realloc(void *memory, size_t size);
void free(void *memory);
"""


def preprocess(compiler: str, header: str) -> str:
    """Returns a header without comments, directives, attributes and what it includes."""
    with tempfile.TemporaryDirectory() as empty:
        for name in ("stddef.h", "stdint.h", "ghz.h"):
            (pathlib.Path(empty) / name).touch()
        # -undef: no __GNUC__, so no attributes; the header itself is not searched for.
        command = [compiler, "-E", "-P", "-undef", "-nostdinc", "-I", empty, header]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def statements(text: str) -> list[str]:
    """Cuts C declarations at the semicolons that no braces enclose."""
    return re.findall(r"(?:[^;{]|\{[^}]*\})+;", text)


def main(compiler: str, out: str, *headers: str) -> None:
    text = "".join(preprocess(compiler, header) for header in headers)
    ffi = cffi.FFI()
    ffi.cdef("\n".join(s for s in statements(text) if not LEFT_OUT.search(s)) + MORE)
    includes = "".join(f'#include "{pathlib.Path(header).resolve()}"\n' for header in headers)
    ffi.set_source("ghz._ghz", "#include <stdlib.h>\n" + includes, py_limited_api=True)
    ffi.emit_c_code(out)


if __name__ == "__main__":
    main(*sys.argv[1:])
