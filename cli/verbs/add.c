/* add.c: owns `ghz add`: the sum of any number of compressed files. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "h5/combine.h"
#include "verbs.h"
#include "work/combine.h"

static int run(const options *o) {
  if (o->var || h5_named(o->files[0]))
    return h5_combine(o, H5_SUM);
  return combine(o, &(ghz_file_operation){.factor = 1});
}

const verb verb_add = {
    .name = "add",
    .alias = "sum",
    .operands = "FILE.ghz...",
    .summary = "add compressed files, without decompressing them",
    .details = "Adds any number of compressed files in one pass. They must have the same type,\n"
               "shape and bound: compress them with --together, with the same --abs, or --like one of\n"
               "them. The bound of the sum is the sum of the bounds. The bytes of the sum do not\n"
               "depend on the order of the files. Without -o, writes to standard output. If the name\n"
               "of the output ends in .npy, .f32 or .f64, writes decompressed values.\n"
               "Adds data sets of HDF5 and netCDF files as ghz mean averages them.",
    .examples = "  ghz add a.ghz b.ghz c.ghz -o sum.ghz\n"
                "  ghz sum run-*.f32.ghz | ghz decompress -o sum.f32\n"
                "  ghz add a.ghz b.ghz -o sum.npy\n",
    .options = OPTION_OUTPUT | OPTION_FORCE | OPTION_PACK | OPTION_THREADS | OPTION_VAR | OPTION_PLACES,
    .least = 1,
    .most = 1 << 30,
    .run = run,
};
