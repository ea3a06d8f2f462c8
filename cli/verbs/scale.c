/* scale.c: owns `ghz scale`: a compressed file times a number. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "verbs.h"
#include "work/combine.h"

static int run(const options *o) {
  const ghz_file_operation scaling = {.factor = o->factor};
  return combine(o, &scaling);
}

const verb verb_scale = {
    .name = "scale",
    .operands = "FACTOR [FILE.ghz]",
    .summary = "multiply a compressed file by a number",
    .details = "Multiplies every value by FACTOR, which may be negative but not 0. The bound is\n"
               "multiplied by |FACTOR|. Only the step in the file's header changes, so files that\n"
               "were scaled by different factors have different steps and cannot be added. Without\n"
               "-o, writes to standard output. If the name of the output ends in .npy, .f32 or .f64,\n"
               "writes decompressed values.",
    .examples = "  ghz scale 0.5 a.ghz -o half.ghz\n"
                "  ghz scale -1 a.ghz -o negative.ghz\n",
    .options = OPTION_OUTPUT | OPTION_FORCE | OPTION_PACK | OPTION_THREADS,
    .least = 1,
    .most = 1,
    .factor = true,
    .run = run,
};
