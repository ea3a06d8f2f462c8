/* range.h: the range of the values of a file, and the value that a user means by --fill. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CLI_RANGE_H
#define GHZ_CLI_RANGE_H

#include <ghz/ghz.h>
#include <stdbool.h>

#include "io/input.h"
#include "io/reader.h"
#include "report/text.h"

/* Without a finite value min is +Inf and max -Inf. */
typedef struct value_range {
  double min, max;
} value_range;

value_range range_nothing(void);

typedef struct special_counts {
  uint64_t nans, infinities;
} special_counts;

/* Widens *r by the values from here to the end of the file, but for those that are equal to *fill
 * unless that is NULL, under a progress bar; counts special values unless `specials` is NULL. Calls
 * that return false have printed why. */
bool range_of_input(ghz_context *ctx, input *in, const double *fill, special_counts *specials, value_range *r);

/* The same of all values, in a pass of its own, behind which the first is next. */
bool range_in_advance(ghz_context *ctx, input *in, const double *fill, value_range *r);

/* The lattice for values of a range, with a fill value unless that is NULL. */
bool range_lattice(const char *name, ghz_type type, ghz_bound bound, value_range r, const double *fill,
                   ghz_lattice *l);

/* Widens a value_range by that of what a frame decompresses to. */
frame_visitor range_of_frame;

/* ---- --fill ---------------------------------------------------------------------------------- */

/* The value of the type that the user means by --fill. Prints a message about `name` if there is
 * none. */
bool fill_choose(const char *name, ghz_type type, double given, double *fill);

#endif
