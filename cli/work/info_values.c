/* info_values.c: owns what ghz info says of raw and .npy files. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "info_values.h"

#include <stdio.h>

#include "each_file.h"
#include "report/text.h"

bool info_of_values(ghz_context *ctx, input *in, values_summary *s) {
  *s = (values_summary){.values = 0};
  const bool ok = range_of_input(ctx, in, NULL, &s->specials, &s->range);
  s->values = in->taken;
  return ok;
}

void info_print_values(const input *in, const values_summary *s) {
  char dims[512];
  typedef unsigned long long n;
  shape_text(&in->shape, dims, sizeof dims);
  printf("%s\n", in->file.name);
  printf("  type              %s, not compressed\n", type_name(in->type));
  printf("  values            %llu\n", (n)s->values);
  printf("  shape             %s%s\n", dims, in->shape.npy ? ", from .npy" : "");
  if (s->range.min > s->range.max)
    printf("  range             no finite value\n");
  else
    printf("  range             %s to %s\n", text_double(s->range.min).text, text_double(s->range.max).text);
  if (s->specials.nans + s->specials.infinities)
    printf("  not finite        %llu NaN, %llu infinities\n", (n)s->specials.nans, (n)s->specials.infinities);
  printf("  size              %s\n", text_bytes(in->file.position - in->file.origin).text);
}

void info_json_shape(const shape *s) {
  printf(", \"shape\": ");
  if (s->ndim || s->npy)
    json_numbers(s->dims, s->ndim);
  else
    printf("null");
  printf(", \"fortran_order\": %s, \"npy\": %s", s->fortran ? "true" : "false", s->npy ? "true" : "false");
}

void info_print_values_json(const input *in, const values_summary *s) {
  typedef unsigned long long n;
  json_file(in->file.name);
  printf(", \"compressed\": false, \"type\": \"%s\", \"values\": %llu", type_name(in->type), (n)s->values);
  info_json_shape(&in->shape);
  printf(", \"min\": %s, \"max\": %s", text_json(s->range.min).text, text_json(s->range.max).text);
  printf(", \"nan\": %llu, \"infinite\": %llu, \"bytes\": %llu}", (n)s->specials.nans,
         (n)s->specials.infinities, (n)(in->file.position - in->file.origin));
}
