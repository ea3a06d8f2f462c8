# declarations.py: owns the step from libghz's headers to the C source of ghz._ghz: cffi's API mode.
# SPDX-License-Identifier: BSD-3-Clause
"""usage: declarations.py COMPILER OUT.c HEADER..."""

from __future__ import annotations

import pathlib
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence

import cffi

# The Python package has no use for these, and each would cost a wrapper.
LEFT_OUT = re.compile(
    r"\bghz_(cuda|slice)|_(sink|source|seek)\b"
)
MORE = """
#define GHZ_HAS_FILES ...
#define GHZ_HAS_ZSTD ...
#define GHZ_FILE_PACK ...
#define GHZ_ORDER_BEST ...
#define GHZ_ORDER_LORENZO ...
void *malloc(size_t size);
void *realloc(void *memory, size_t size);
void free(void *memory);
"""


def preprocess(compiler: str, headers: Sequence[pathlib.Path]) -> str:
    """Returns headers without comments, directives, attributes, bodies and what is not libghz's."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("stddef.h", "stdint.h"):
            (pathlib.Path(folder) / name).touch()
        every = pathlib.Path(folder) / "every.h"
        every.write_text(includes(headers))
        # -undef: no __GNUC__, so no attributes
        public = str(headers[0].parent.parent)
        options = ["-E", "-P", "-undef", "-nostdinc", "-I", folder, "-I", public]
        command = [compiler, *options, str(every)]
        text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        return re.sub(r"static inline ([^;{]*\)) \{(?:[^{}]|\{[^}]*\})*\}", r"\1;", text)


def includes(headers: Sequence[pathlib.Path]) -> str:
    return "".join(f'#include "{header}"\n' for header in headers)


def statements(text: str) -> list[str]:
    """Cuts C declarations at the semicolons that no braces enclose."""
    return re.findall(r"(?:[^;{]|\{[^}]*\})+;", text)


def main(compiler: str, out: str, *names: str) -> None:
    headers = [pathlib.Path(name).resolve() for name in names]
    kept = [s for s in statements(preprocess(compiler, headers)) if not LEFT_OUT.search(s)]
    ffi = cffi.FFI()
    ffi.cdef("\n".join(kept) + MORE)
    ffi.set_source("ghz._ghz", "#include <stdlib.h>\n" + includes(headers), py_limited_api=True)
    ffi.emit_c_code(out)


if __name__ == "__main__":
    main(*sys.argv[1:])
