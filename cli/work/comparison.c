/* comparison.c: owns what ghz compare says of two files, as a table and as JSON. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "comparison.h"

#include <math.h>
#include <stdio.h>

#include "report/text.h"

bool comparison_bound_known(const comparison *c) {
  return c->bound > 0 && isfinite(c->bound);
}

bool comparison_violated(const comparison *c) {
  return c->difference.mismatches > 0 ||
         (comparison_bound_known(c) && difference_exceeds(&c->difference, c->bound));
}

double comparison_ratio(const comparison *c) {
  if (!c->result.compressed)
    return NAN;
  const ghz_type type = c->result.reader.header.lattice.type;
  return (double)(c->difference.count * ghz_type_size(type)) / (double)values_bytes(&c->result);
}

/* ---- Table ---- */

static void print_bound(const comparison *c) {
  const difference *d = &c->difference;
  if (!comparison_bound_known(c))
    return;
  printf("bound             %s\n", text_double(c->bound).text);
  printf("error / bound     %.6f%s\n", d->error / c->bound,
         difference_exceeds(d, c->bound) ? " (violated)" : "");
}

static void print_means(const difference *d) {
  if (d->finite == 0)
    printf("rms error         -\nbias              -\n");
  else
    printf("rms error         %.6g\nbias              %.6g\n", difference_rms(d), difference_bias(d));
  if (isnan(difference_nrmse(d)))
    printf("NRMSE             -\nPSNR              -\n");
  else
    printf("NRMSE             %.6g\nPSNR              %.2f dB\n", difference_nrmse(d), difference_psnr(d));
}

void comparison_print_table(const comparison *c) {
  const difference *d = &c->difference;
  printf("values            %llu\n", (unsigned long long)d->count);
  printf("max error         %.6g at %s\n", d->error, shape_place(&c->shape, d->error_at).text);
  print_bound(c);
  print_means(d);
  if (c->result.compressed)
    printf("ratio             %.4g\n", comparison_ratio(c));
  if (d->mismatches)
    printf("NaN and Inf       differ at %llu positions, first at %s (violated)\n",
           (unsigned long long)d->mismatches, shape_place(&c->shape, d->first_mismatch).text);
}

/* ---- JSON ---- */

/* The coordinates of a value in the array's shape, or null. */
static void json_index(const comparison *c, uint64_t at) {
  uint64_t index[GHZ_FILE_NDIM];
  shape_index(&c->shape, at, index);
  if (c->shape.ndim)
    json_numbers(index, c->shape.ndim);
  else
    printf("null");
}

static void json_bound(const comparison *c) {
  const double bound = comparison_bound_known(c) ? c->bound : NAN;
  printf(", \"bound\": %s, \"error_over_bound\": %s, \"within_bound\": %s", text_json(bound).text,
         text_json(c->difference.error / bound).text,
         comparison_violated(c)      ? "false"
         : comparison_bound_known(c) ? "true"
                                     : "null");
}

void comparison_print_json(const comparison *c) {
  const difference *d = &c->difference;
  printf("{\"original\": ");
  json_string(stdout, c->original.name);
  printf(", \"result\": ");
  json_string(stdout, c->result.name);
  printf(", \"values\": %llu, \"max_error\": %s, \"max_error_at\": %llu, \"max_error_index\": ",
         (unsigned long long)d->count, text_json(d->error).text, (unsigned long long)d->error_at);
  json_index(c, d->error_at);
  printf(", \"special_mismatches\": %llu", (unsigned long long)d->mismatches);
  json_bound(c);
  printf(", \"fill\": %s", c->has_fill ? text_json(c->fill).text : "null");
  printf(", \"rms\": %s, \"bias\": %s", text_json(difference_rms(d)).text, text_json(difference_bias(d)).text);
  printf(", \"nrmse\": %s, \"psnr\": %s", text_json(difference_nrmse(d)).text,
         text_json(difference_psnr(d)).text);
  printf(", \"ratio\": %s}\n", text_json(comparison_ratio(c)).text);
}
