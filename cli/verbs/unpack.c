/* unpack.c: owns `ghz unpack`: packed files to files of plain streams. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "verbs.h"
#include "work/repack.h"

const verb verb_unpack = {
    .name = "unpack",
    .operands = "[FILE.ghz...]",
    .summary = "undo pack: larger files that read faster",
    .details = "Rewrites each file with no frame packed. The old file is replaced only when the new one\n"
               "is complete; with -o it is kept. Without FILE, or for -, reads standard input and writes\n"
               "standard output.",
    .examples = "  ghz unpack run-*.ghz\n"
                "  ghz unpack < small.ghz > a.ghz\n",
    .options = OPTION_OUTPUT | OPTION_FORCE | OPTION_THREADS,
    .least = 1,
    .most = 1 << 30,
    .run = repack,
};
