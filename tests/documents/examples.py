#!/usr/bin/env python3
"""examples.py: the C that documents and headers show compiles as it stands there, without a warning.

usage: examples.py PROJECT CC    CC: mpicc where there is MPI; else what calls it is left out
"""
# SPDX-License-Identifier: BSD-3-Clause
import pathlib
import re
import subprocess
import sys
import tempfile

# What an example leaves to the reader, at file scope: its own declarations come before these.
GIVEN = """#include <ghz/cuda.h>
#include <ghz/file.h>
#include <ghz/numbers.h>
#include <ghz/quality.h>
#include <ghz/slice.h>
#include <stdio.h>
#include <stdlib.h>
extern float *x, *y, *z;
extern void *a, *b, *c, *s, *sum, *stream;
extern double *original, *result;
extern size_t n, nx, ny, nz, room, room2, size, received;
extern uint64_t first, tiles;
extern ghz_context *ctx;
extern ghz_lattice lattice;
extern ghz_status status;
extern ghz_cuda *gpu;
extern ghz_cuda_outcome *outcome;
"""


def of_document(text):
    return re.findall(r"^```c\n(.*?)^```$", text, re.M | re.S)


def of_header(text):
    """Blocks of the first comment that end as a statement does."""
    lines = text[: text.index("*/")].splitlines()
    blocks = "\n".join(line[5:] if line.startswith(" *   ") else "" for line in lines).split("\n\n")
    return [b for b in blocks if re.search(r"[;}]\s*$", b)]


def main(root, cc):
    root = pathlib.Path(root)
    has_mpi = "mpi" in pathlib.Path(cc).name
    flags = ["-std=c17", "-Wall", "-Wextra", "-Werror", "-O1", "-c", "-o", "/dev/null", f"-I{root}/ghz/include", f"-I{root}/collectives/include"]
    documents = [p for p in [root / "README.md", *sorted((root / "docs").glob("*.md"))] for _ in of_document(p.read_text())]
    headers = [*sorted((root / "ghz/include/ghz").glob("*.h")), root / "collectives/include/ghz/mpi.h"]
    found = [(p, b) for p in dict.fromkeys(documents) for b in of_document(p.read_text())]
    found += [(p, b) for p in headers for b in of_header(p.read_text())]
    bad = tried = 0
    for path, block in found:
        calls_mpi = "ghz_mpi" in block
        if calls_mpi and not has_mpi:
            continue
        tried += 1
        program = ("#include <ghz/mpi.h>\n" if calls_mpi else "") + GIVEN + "int example(void);\nint example(void) {\n" + block + "\nreturn 0;\n}\n"
        with tempfile.NamedTemporaryFile("w", suffix=".c") as source:
            source.write(program)
            source.flush()
            done = subprocess.run([cc, *flags, source.name], text=True, capture_output=True)
        if done.returncode:
            bad += 1
            print(f"{path}: an example does not compile cleanly:\n{block}\n{done.stderr}")
    kinds = {p.suffix for p, _ in found}
    print(f"examples.py: {tried} examples, {bad} with warnings or errors")
    return 1 if bad or tried < 8 or kinds != {".md", ".h"} else 0


sys.exit(main(*sys.argv[1:]) if len(sys.argv) == 3 else __doc__)
