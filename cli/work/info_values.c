/* info_values.c: owns what ghz info says of raw and .npy files. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "info_values.h"

#include <math.h>
#include <stdio.h>

#include "each_file.h"
#include "io/buffer.h"
#include "io/values.h"
#include "range.h"
#include "report/library.h"
#include "report/progress.h"
#include "report/text.h"

enum { BATCH = 1 << 20 }; /* values */

static void count_specials(ghz_type type, const void *batch, size_t n, values_summary *s) {
  for (size_t i = 0; i < n; i++) {
    const double x = value_at(type, batch, i);
    s->nans += isnan(x) != 0;
    s->infinities += isinf(x) != 0;
  }
}

static bool read_batches(ghz_context *ctx, input *in, void *batch, values_summary *s) {
  value_range all = range_nothing();
  for (size_t got = 1; got && in->taken < in->count;) {
    double min, max;
    if (!input_read(in, batch, BATCH, &got) ||
        !library_ok(in->file.name, ctx, ghz_range(ctx, in->type, batch, got, &min, &max)))
      return false;
    range_widen(&all, min, max);
    count_specials(in->type, batch, got, s);
    progress_set(in->taken);
  }
  *s = (values_summary){in->taken, s->nans, s->infinities, all.min, all.max};
  return true;
}

bool info_of_values(ghz_context *ctx, input *in, values_summary *s) {
  const size_t size = ghz_type_size(in->type);
  buffer batch = {0};
  *s = (values_summary){0};
  progress_begin(in->file.name, in->count, size);
  const bool ok = buffer_reserve(&batch, BATCH * size, in->file.name) && read_batches(ctx, in, batch.data, s);
  progress_end();
  buffer_free(&batch);
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
  if (s->min > s->max)
    printf("  range             no finite value\n");
  else
    printf("  range             %s to %s\n", text_double(s->min).text, text_double(s->max).text);
  if (s->nans + s->infinities)
    printf("  not finite        %llu NaN, %llu infinities\n", (n)s->nans, (n)s->infinities);
  printf("  size              %s\n", text_bytes(in->file.position - in->file.origin).text);
}

void info_json_shape(const shape *s) {
  printf(", \"shape\": ");
  if (s->ndim == 0 && !s->npy)
    printf("null");
  else
    printf("[");
  for (unsigned i = 0; i < s->ndim; i++)
    printf("%s%llu", i ? ", " : "", (unsigned long long)s->dims[i]);
  printf("%s, \"fortran_order\": %s, \"npy\": %s", s->ndim || s->npy ? "]" : "", s->fortran ? "true" : "false",
         s->npy ? "true" : "false");
}

void info_print_values_json(const input *in, const values_summary *s) {
  typedef unsigned long long n;
  json_file(in->file.name);
  printf(", \"compressed\": false, \"type\": \"%s\", \"values\": %llu", type_name(in->type), (n)s->values);
  info_json_shape(&in->shape);
  printf(", \"min\": %s, \"max\": %s", text_json(s->min).text, text_json(s->max).text);
  printf(", \"nan\": %llu, \"infinite\": %llu, \"bytes\": %llu}", (n)s->nans, (n)s->infinities,
         (n)(in->file.position - in->file.origin));
}
