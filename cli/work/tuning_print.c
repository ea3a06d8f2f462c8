/* tuning_print.c: owns what is printed of a file whose bounds are tried, and of a trial. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tuning_print.h"

#include <math.h>
#include <stdio.h>

#include "each_file.h"

void tuning_print(const tuning *t) {
  printf("%s: %llu values of %s", t->in.file.name, (unsigned long long)t->in.count, type_name(t->in.type));
  if (t->count < t->in.count)
    printf(", measured on %llu in the middle", (unsigned long long)t->count);
  if (t->range.min <= t->range.max)
    printf(", %s to %s", text_double(t->range.min).text, text_double(t->range.max).text);
}

void tuning_print_json(const tuning *t) {
  json_file(t->in.file.name);
  printf(", \"type\": \"%s\", \"values\": %llu, \"measured\": %llu", type_name(t->in.type),
         (unsigned long long)t->in.count, (unsigned long long)t->count);
  printf(", \"min\": %s, \"max\": %s", text_json(t->range.min).text, text_json(t->range.max).text);
}

number_text trial_decibels(double psnr) {
  number_text t = {"-"};
  if (!isnan(psnr))
    snprintf(t.text, sizeof t.text, "%.1f", psnr);
  return t;
}

const char trial_heading[] = "    ratio bits/value  PSNR dB GB/s: compress decompress";

void trial_print(const trial *r) {
  printf(" %9.4g %10.4g %8s %14.2f %10.2f\n", r->ratio, r->bits, trial_decibels(r->psnr).text, r->compress,
         r->decompress);
}

void trial_print_json(const trial *r) {
  printf("\"ratio\": %s, \"bits_per_value\": %s, \"psnr\": %s", text_json(r->ratio).text,
         text_json(r->bits).text, text_json(r->psnr).text);
  printf(", \"compress_gb_per_s\": %s, \"decompress_gb_per_s\": %s", text_json(r->compress).text,
         text_json(r->decompress).text);
}
