/* unpack.c: owns `ghz unpack`: packed files to files of plain streams. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "verbs.h"
#include "work/repack.h"

const verb verb_unpack = {
    .name = "unpack",
    .operands = "[FILE.ghz...]",
    .summary = "undo pack: larger files, which are read faster",
    .details = "Writes each file again, in its own place, with no frame packed; a file without an index,\n"
               "of ghz 0.2, gets one. A file is replaced when the new one is complete. With -o, FILE\n"
               "stays as it is. Without FILE, or for -, reads standard input and writes standard output.",
    .examples = "  ghz unpack run-*.ghz\n"
                "  ghz unpack < small.ghz > a.ghz\n",
    .options = OPTION_OUTPUT | OPTION_FORCE | OPTION_THREADS,
    .least = 1,
    .most = 1 << 30,
    .run = repack,
};
