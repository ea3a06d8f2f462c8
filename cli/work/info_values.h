/* info_values.h: ghz info of files that are not compressed. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CLI_INFO_VALUES_H
#define GHZ_CLI_INFO_VALUES_H

#include "range.h"

typedef struct values_summary {
  uint64_t values;
  value_range range;
  special_counts specials;
} values_summary;

/* Reads all values of a file. Prints why it fails. */
bool info_of_values(ghz_context *ctx, input *in, values_summary *s);

void info_print_values(const input *in, const values_summary *s);
void info_print_values_json(const input *in, const values_summary *s);

/* The members "shape", "fortran_order" and "npy" of an object. */
void info_json_shape(const shape *s);

#endif
