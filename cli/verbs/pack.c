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
    .summary = "make compressed files smaller, without loss",
    .details = "Rewrites each file with its frames packed, that is, compressed once more: at level 1 by\n"
               "zstd, at level 2 by a coder that knows what streams hold. What was packed before is\n"
               "packed again at the level. Values and bounds stay the same. Every verb reads packed\n"
               "files, more slowly, and parts of them as well.\n"
               "The old file is replaced only when the new one is complete; with -o it is kept.\n"
               "Without FILE, or for -, reads standard input and writes standard output.",
    .examples = "  ghz pack run-*.ghz\n"
                "  ghz pack -2 a.ghz -o small.ghz\n"
                "  ghz pack --level 1 a.ghz -o quick.ghz\n",
    .options = OPTION_OUTPUT | OPTION_FORCE | OPTION_LEVEL | OPTION_THREADS,
    .least = 1,
    .most = 1 << 30,
    .run = run,
};
