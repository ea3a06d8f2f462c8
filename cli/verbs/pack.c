/* pack.c: owns `ghz pack`: compressed files made smaller once more, without loss. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "verbs.h"
#include "work/repack.h"

static int run(const options *o) {
  options packed = *o;
  if (!packed.pack)
    packed.pack = GHZ_FILE_PACK;
  return repack(&packed);
}

const verb verb_pack = {
    .name = "pack",
    .operands = "[FILE.ghz...]",
    .summary = "make compressed files smaller by zstd, without loss",
    .details = "Writes each file again, in its own place, with its frames packed: compressed once more by\n"
               "zstd. Bounds and values stay, and every verb reads packed files as it reads others, a\n"
               "little slower. A file is replaced when the new one is complete. With -o, FILE stays as it\n"
               "is. Without FILE, or for -, reads standard input and writes standard output.",
    .examples = "  ghz pack run-*.ghz\n"
                "  ghz pack --level 19 a.ghz -o small.ghz\n",
    .options = OPTION_OUTPUT | OPTION_FORCE | OPTION_LEVEL | OPTION_THREADS,
    .least = 1,
    .most = 1 << 30,
    .run = run,
};
