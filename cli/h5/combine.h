/* combine.h: sums and means of HDF5 files, chunk by chunk. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CLI_H5_COMBINE_H
#define GHZ_CLI_H5_COMBINE_H

#include "options/options.h"

/* Whether a name ends as HDF5 and netCDF files do, or the file begins as HDF5 does. */
bool h5_named(const char *name);

typedef enum h5_operation { H5_SUM, H5_MEAN, H5_DIFFERENCE } h5_operation;

/* Writes the first file, in which the data set --var, or all that ghz compressed, is that of all
 * files combined. Returns the exit code. */
int h5_combine(const options *o, h5_operation operation);

#endif
