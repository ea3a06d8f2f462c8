/* sub.c: owns `ghz sub`: the difference of two compressed files. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "h5/combine.h"
#include "verbs.h"
#include "work/combine.h"

static int run(const options *o) {
  if (o->var || h5_named(o->files[0]))
    return h5_combine(o, H5_DIFFERENCE);
  return combine(o, &(ghz_file_operation){.coefficients = (int64_t[]){1, -1}, .factor = 1});
}

const verb verb_sub = {
    .name = "sub",
    .operands = "A.ghz B.ghz",
    .summary = "subtract one compressed file from another",
    .details = "Writes A - B. Both files must have the same type, shape and bound: compress them with\n"
               "--together, with the same --abs, or one --like the other. Or one is a mean of which the\n"
               "other is a part: the difference is then an anomaly. The bound of the difference is the\n"
               "sum of the bounds. Without -o, writes to standard output. If the name of the output\n"
               "ends in .npy, .f32 or .f64, writes decompressed values.\n"
               "Of HDF5 and netCDF files, subtracts the data set --var, or all that the HDF5 filter\n"
               "compressed; all else is that of A.",
    .examples = "  ghz sub after.ghz before.ghz -o change.ghz\n",
    .options = OPTION_OUTPUT | OPTION_FORCE | OPTION_PACK | OPTION_THREADS | OPTION_VAR | OPTION_PLACES,
    .least = 2,
    .most = 2,
    .run = run,
};
