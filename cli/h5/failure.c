/* failure.c: owns the turning of HDF5's stack of errors into one line. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "failure.h"

#include <stdarg.h>
#include <stdio.h>

#include "loaded.h"
#include "report/report.h"

/* Takes the first entry that it is called with: the innermost one. */
static herr_t take(unsigned n, const H5E_error2_t *error, void *to) {
  if (n == 0 && error->desc)
    snprintf(to, 200, "%s", error->desc);
  return 0;
}

bool h5_fail(const char *name, const char *format, ...) {
  char what[400], why[200] = "";
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(what, sizeof what, format, arguments);
  va_end(arguments);
  H5(H5Ewalk2)(H5E_DEFAULT, H5E_WALK_UPWARD, take, why);
  return fail(name, "%s%s%s", what, why[0] ? ": HDF5 says: " : "", why);
}
