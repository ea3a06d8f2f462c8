/* h5args.c: owns `ghz h5args`: the arguments with which h5repack and nccopy use the HDF5 filter. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <hdf5/parameters.h>
#include <stdio.h>

#include "report/report.h"
#include "verbs.h"

static int run(const options *o) {
  unsigned words[GHZ_H5_WORDS_USER];
  if (!o->bound_given)
    return fail_usage(o->verb, "no bound given: --abs E, --rel E, --step S or --lossless");
  const ghz_h5_parameters p = {
      .bound = o->bound, .fill = o->has_fill ? GHZ_H5_FILL_GIVEN : 0, .fill_value = o->fill};
  const size_t n = ghz_h5_write_user(&p, words);
  printf("h5repack --enable-error-stack -f %s%sUD=%d,0,%zu", o->var ? o->var : "", o->var ? ":" : "",
         GHZ_H5_FILTER, n);
  for (size_t i = 0; i < n; i++)
    printf(",%u", words[i]);
  printf("\nnccopy -F %s,%d", o->var ? o->var : "*", GHZ_H5_FILTER);
  for (size_t i = 0; i < n; i++)
    printf(",%u", words[i]);
  printf("\n");
  return EXIT_OK;
}

const verb verb_h5args = {
    .name = "h5args",
    .operands = "",
    .summary = "print how h5repack and nccopy compress HDF5 and netCDF files",
    .details = "Prints two commands, h5repack for HDF5 and nccopy for netCDF. Append the file to read and\n"
               "the file to write. Both commands need the filter: set HDF5_PLUGIN_PATH to its folder. --rel\n"
               "refers to the range of each chunk, so data sets compressed with it cannot be added.\n"
               "h5repack passes the fill value of a data set to the filter; nccopy does not, so give\n"
               "--fill. Data on a grid of their own, and integers, come back as they were with --step\n"
               "and --lossless: packed variables (scale_factor) among them.",
    .examples = "  ghz h5args --abs 1e-3 --var tas\n"
                "  ghz h5args --lossless --var packed\n"
                "  ghz h5args --rel 1e-4 --fill -999 --var ocean/temp\n",
    .options = OPTION_ABS_REL | OPTION_STEP | OPTION_FILL | OPTION_VAR,
    .least = 0,
    .most = 0,
    .run = run,
};
