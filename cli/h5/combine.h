/* combine.h: sums and means of HDF5 files, chunk by chunk. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CLI_H5_COMBINE_H
#define GHZ_CLI_H5_COMBINE_H

#include "options/options.h"

/* Whether a name ends as HDF5 and netCDF files do. */
bool h5_named(const char *name);

/* ghz_sum or ghz_mean. */
typedef ghz_status (*h5_fold)(ghz_context *ctx, size_t k, const ghz_bytes *streams, void *dst, size_t capacity,
                              size_t *size);

/* Writes the first file, with the data set --var of all files combined. Returns the exit code. */
int h5_combine(const options *o, h5_fold fold);

#endif
