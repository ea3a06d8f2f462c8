/* verb_add.c: owns `ghz add`: the sum of any number of compressed files. */
#include "combine.h"
#include "verbs.h"

static int run(const options *o) {
  return combine(o, &(operation){.fold = ghz_sum, .group = 16, .adds = true, .factor = 1});
}

const verb verb_add = {
    .name = "add",
    .operands = "FILE.ghz...",
    .summary = "add compressed files, without decompressing them",
    .details =
        "Adds any number of compressed files in one pass. They must have the same type, number of values and\n"
        "step: compress them with the same --abs. The bound of a sum is the sum of the bounds, and its bytes\n"
        "do not depend on the order of the files. Without -o the sum goes to standard output.",
    .examples = "  ghz add a.ghz b.ghz c.ghz -o sum.ghz\n"
                "  ghz add run-*.f32.ghz | ghz decompress -o sum.f32\n",
    .options = OPTION_OUTPUT | OPTION_FORCE | OPTION_THREADS,
    .least = 1,
    .most = 1 << 30,
    .run = run,
};
