/* failure.h: HDF5's errors as messages. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CLI_H5_FAILURE_H
#define GHZ_CLI_H5_FAILURE_H

#include <stdbool.h>

/* As fail(), with what HDF5 says was the first thing that went wrong. Returns false. */
bool h5_fail(const char *name, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* What to do with data that cannot be added as they are. */
#define H5_RECOMPRESS                                                                                          \
  "compress it with the h5repack line that `ghz h5args --abs NAME=E FILE` prints (nccopy leaves out the "      \
  "filter where a file is compressed already)"

#endif
