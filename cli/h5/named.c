/* named.c: owns how HDF5 files are recognised: by their names. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "combine.h"
#include "io/file.h"

bool h5_named(const char *name) {
  return name_ends(name, ".h5") || name_ends(name, ".hdf5") || name_ends(name, ".he5") ||
         name_ends(name, ".nc") || name_ends(name, ".nc4");
}
