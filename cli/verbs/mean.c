/* mean.c: owns `ghz mean`: the mean of any number of compressed files. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "h5/combine.h"
#include "verbs.h"
#include "work/combine.h"

static int run(const options *o) {
  if (o->var || h5_named(o->files[0]))
    return h5_combine(o, H5_MEAN);
  const ghz_file_operation mean = {.factor = 1, .divisor = (uint64_t)o->file_count};
  return combine(o, &mean);
}

const verb verb_mean = {
    .name = "mean",
    .operands = "FILE.ghz...",
    .summary = "average compressed files",
    .details = "Writes the mean of k compressed files: the sum that ghz add computes, divided by k. The\n"
               "bound of the mean is the bound of one file. Without -o, writes to standard output. If\n"
               "the name of the output ends in .npy, .f32 or .f64, writes decompressed values.\n"
               "Of HDF5 and netCDF files, averages the data set --var, or all that the HDF5 filter\n"
               "compressed. The output is a copy of the first file, with means in place of these.\n"
               "Coordinates must be the same, but for times.",
    .examples = "  ghz mean run-*.f32.ghz -o mean.f32.ghz\n",
    .options = OPTION_OUTPUT | OPTION_FORCE | OPTION_PACK | OPTION_THREADS | OPTION_VAR | OPTION_PLACES,
    .least = 1,
    .most = 1 << 30,
    .run = run,
};
