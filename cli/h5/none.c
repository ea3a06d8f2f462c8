/* none.c: owns the error of a build without HDF5 that is given HDF5 files. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "combine.h"
#include "report/report.h"

int h5_combine(const options *o, h5_operation operation) {
  (void)operation;
  return fail(o->files[0], "this ghz was built without HDF5") ? EXIT_OK : EXIT_DATA;
}
