/* mean.c: owns `ghz mean`: the mean of any number of compressed files. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "h5/combine.h"
#include "verbs.h"
#include "work/combine.h"

static int run(const options *o) {
  if (o->var || h5_named(o->files[0]))
    return h5_combine(o, ghz_mean);
  const ghz_file_operation mean = {.factor = 1.0 / o->file_count};
  return combine(o, &mean);
}

const verb verb_mean = {
    .name = "mean",
    .operands = "FILE.ghz...",
    .summary = "average compressed files",
    .details = "Writes the mean of any number of compressed files: their sum, as of ghz add, times\n"
               "1/k. The bound of the mean is the bound of one file. Without -o, writes to standard\n"
               "output; to a name that ends in .npy, .f32 or .f64, the values themselves.\n"
               "With --var, the mean of a data set of HDF5 or netCDF files, which went through the filter\n"
               "of HDF5: writes the first file, with the mean in its place.",
    .examples = "  ghz mean run-*.f32.ghz -o mean.f32.ghz\n",
    .options = OPTION_OUTPUT | OPTION_FORCE | OPTION_PACK | OPTION_THREADS | OPTION_VAR,
    .least = 1,
    .most = 1 << 30,
    .run = run,
};
