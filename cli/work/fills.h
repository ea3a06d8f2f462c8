/* fills.h: values that stand for "missing" in data that has no fill value yet, and bounds that are
 * too large for the data. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CLI_FILLS_H
#define GHZ_CLI_FILLS_H

#include <ghz/ghz.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "range.h"
#include "report/text.h"

enum { SAMPLE_PER_BATCH = 4096, SAMPLE_MAX = 1 << 16 };

/* What is noticed about the values of a file, batch by batch, while it is compressed. */
typedef struct fill_watch {
  ghz_type type;
  bool given; /* the user says which value is the fill */
  double fill;
  value_range range; /* of the other values, unless the fill was given */
  bool suspected;    /* `fill` is a usual one: an extreme of its batch, and far from the rest */
  uint64_t count, total;
  double *sample; /* magnitudes other than 0 and missing ones */
  size_t samples;
} fill_watch;

/* fill: that of the user, or NULL. */
fill_watch fill_watch_begin(ghz_type type, const double *fill);
void fill_watch_end(fill_watch *w);

/* Looks at all values of a batch: quick while they are in the cache. Calls that return false have
 * printed a message about `name`. */
bool fill_watch_add(fill_watch *w, ghz_context *ctx, const char *name, const void *x, size_t n);

/* Takes a sample of a batch. */
bool fill_watch_sample(fill_watch *w, const char *name, const void *x, size_t n);

/* Whether a usual fill value was found: an extreme of all values, there more than once, and far
 * from the rest. */
bool fill_watch_found(const fill_watch *w);

/* The median of the magnitudes of the sample, 0 without any. */
double fill_watch_median(fill_watch *w);

/* A fill value in as few digits as read back as the same value of the type. */
number_text fill_text(ghz_type type, double fill);

/* The value of the type that the user means by --fill. Prints a message about `name` if there is
 * none. */
bool fill_choose(const char *name, ghz_type type, double given, double *fill);

#endif
