/* fills.c: owns the value that a user means by --fill, and how it is printed. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "fills.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "report/report.h"

number_text fill_text(ghz_type type, double fill) {
  number_text t;
  for (int digits = 1; digits <= 17; digits++) {
    snprintf(t.text, sizeof t.text, "%.*g", digits, fill);
    const double back = strtod(t.text, NULL);
    if (type == GHZ_F32 ? (double)(float)back == fill : back == fill)
      break;
  }
  return t;
}

bool fill_choose(const char *name, ghz_type type, double given, double *fill) {
  *fill = given;
  if (type != GHZ_F32)
    return true;
  if (fabs(given) > (double)FLT_MAX)
    return fail(name, "--fill %g is too large for f32", given);
  *fill = (double)(float)given;
  return true;
}
