/* linear.c: owns `ghz add`, `ghz sub`, `ghz mean` and `ghz scale`: sums of compressed files, times
 * numbers. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "report/report.h"
#include "verbs.h"
#include "work/combine.h"

static int check(const options *o) {
  const bool h5 = h5_operand(o, o->files[0]);
  if (h5 && o->pack)
    return fail_usage(o->verb, "--pack applies to .ghz files, not to HDF5");
  if (h5 && (!o->output || strcmp(o->output, "-") == 0))
    return fail_usage(o->verb, "an HDF5 file is written: name it with -o FILE");
  return -1;
}

static bool combine_any(const options *o, ghz_context *ctx, const ghz_file_operation *op) {
  return h5_operand(o, o->files[0]) ? h5_combine(o, ctx, op) : combine(o, ctx, op);
}

static bool run_add(const options *o, ghz_context *ctx) {
  return combine_any(o, ctx, &(ghz_file_operation){.factor = 1});
}

const verb verb_add = {
    .name = "add",
    .alias = "sum",
    .operands = "FILE.ghz...",
    .summary = "add compressed files, without decompressing them",
    .details =
        "Adds any number of compressed files in one pass. They must have the same type, shape and bound:\n"
        "compress them with --together, with the same --abs, or --like one of them. The bound of the sum is\n"
        "the sum of the bounds. Without -o, writes to standard output; to a name that ends in .npy, .f32 or\n"
        ".f64 decompressed values. Adds data sets of HDF5 and netCDF files as ghz mean averages them.",
    .examples = "  ghz add a.ghz b.ghz c.ghz -o sum.ghz\n"
                "  ghz sum run-*.f32.ghz | ghz decompress -o sum.f32\n"
                "  ghz add a.ghz b.ghz -o sum.npy\n",
    .least = 1,
    .writes = {".ghz, .npy or .f32", ".nc or .h5"},
    .check = check,
    .run = run_add,
};

static bool run_sub(const options *o, ghz_context *ctx) {
  return combine_any(o, ctx, &(ghz_file_operation){.coefficients = (int64_t[]){1, -1}, .factor = 1});
}

const verb verb_sub = {
    .name = "sub",
    .operands = "A.ghz B.ghz",
    .summary = "subtract one compressed file from another",
    .details =
        "Writes A - B. Both files must have the same type, shape and bound; or one is a mean of which the\n"
        "other is a part: the difference is then an anomaly. The bound of the difference is the sum of the\n"
        "bounds. Without -o, writes to standard output; to a name that ends in .npy, .f32 or .f64\n"
        "decompressed values. Subtracts data sets of HDF5 and netCDF files; all else is that of A.",
    .examples = "  ghz sub after.ghz before.ghz -o change.ghz\n",
    .least = 2,
    .most = 2,
    .writes = {".ghz, .npy or .f32", ".nc or .h5"},
    .check = check,
    .run = run_sub,
};

static bool run_mean(const options *o, ghz_context *ctx) {
  return combine_any(o, ctx, &(ghz_file_operation){.factor = 1, .divisor = (uint64_t)o->file_count});
}

const verb verb_mean = {
    .name = "mean",
    .operands = "FILE.ghz...",
    .summary = "average compressed files",
    .details =
        "Writes the mean of k compressed files: the sum that ghz add computes, divided by k. Its bound is\n"
        "that of one file. Without -o, writes to standard output; to a name that ends in .npy, .f32 or .f64\n"
        "decompressed values. Of HDF5 and netCDF files, averages the data set --var, or all that the HDF5\n"
        "filter compressed; all else is that of the first file. Coordinates must be the same, but for times.",
    .examples = "  ghz mean run-*.f32.ghz -o mean.f32.ghz\n",
    .least = 1,
    .writes = {".ghz, .npy or .f32", ".nc or .h5"},
    .check = check,
    .run = run_mean,
};

static bool run_scale(const options *o, ghz_context *ctx) {
  return combine(o, ctx, &(ghz_file_operation){.factor = o->factor});
}

const verb verb_scale = {
    .name = "scale",
    .operands = "FACTOR [FILE.ghz]",
    .summary = "multiply a compressed file by a number",
    .details =
        "Multiplies every value, and the bound, by FACTOR, which may be negative but not 0. Files that were\n"
        "scaled by different factors have different steps and cannot be added. Without -o, writes to\n"
        "standard output; to a name that ends in .npy, .f32 or .f64 decompressed values.",
    .examples = "  ghz scale 0.5 a.ghz -o half.ghz\n"
                "  ghz scale -1 a.ghz -o negative.ghz\n",
    .least = 1,
    .most = 1,
    .writes = {".ghz, .npy or .f32"},
    .factor = true,
    .run = run_scale,
};
