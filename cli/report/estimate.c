/* estimate.c: owns how numbers with intervals are written. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "estimate.h"

#include <math.h>
#include <stdio.h>

#include "text.h"

void estimate_print(const char *name, const ghz_estimate *v) {
  if (isnan(v->value))
    printf("  %-18s-\n", name);
  else
    printf("  %-18s%-24s in [%s, %s]\n", name, text_double(v->value).text, text_double(v->low).text,
           text_double(v->high).text);
}

void estimate_json(const char *name, const ghz_estimate *v) {
  printf(", \"%s\": {\"value\": %s, \"low\": %s, \"high\": %s}", name, text_json(v->value).text,
         text_json(v->low).text, text_json(v->high).text);
}
