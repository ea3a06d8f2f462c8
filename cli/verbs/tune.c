/* tune.c: owns `ghz tune`: ratio, PSNR and speed over bounds, and the bound that a PSNR or a
 * ratio needs. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "io/tiles.h"
#include "report/report.h"
#include "report/text.h"
#include "verbs.h"
#include "work/each_file.h"
#include "work/tuning.h"

enum { TRIALS_MAX = 16 };

/* All that is printed of a file. */
typedef struct findings {
  trial trials[TRIALS_MAX];
  int count;
  bool sought; /* --psnr or --ratio was given */
  trial found;
} findings;

/* Powers of ten, as far as the type goes. */
static bool try_bounds(tuning *t, findings *f) {
  const int last = t->in.type == GHZ_F32 ? 7 : 12;
  for (int e = 1; e <= last; e++)
    if (!tuning_try(t, strtod((char[]){'1', 'e', '-', (char)('0' + e / 10), (char)('0' + e % 10), 0}, NULL),
                    true, &f->trials[f->count++]))
      return false;
  return true;
}

static bool find(tuning *t, findings *f) {
  const options *o = t->o;
  if (!try_bounds(t, f))
    return false;
  f->sought = o->bound_given || o->ratio > 0;
  if (!f->sought)
    return true;
  return o->ratio > 0 ? tuning_search_ratio(t, o->ratio, &f->found)
                      : tuning_search_psnr(t, o->bound.value, &f->found);
}

/* ---- Printing -------------------------------------------------------------------------------- */

static number_text text_decibels(double psnr) {
  number_text t = {"-"};
  if (!isnan(psnr))
    snprintf(t.text, sizeof t.text, "%.1f", psnr);
  return t;
}

static void print_trial(const trial *r) {
  printf("  %9.3g %12.6g %10.4g %10.4g %9s %10.2f %10.2f\n", r->rel, r->eb, r->ratio, r->bits,
         text_decibels(r->psnr).text, r->compress, r->decompress);
}

static void print_found(const options *o, const trial *r) {
  if (o->ratio > 0)
    printf("ratio %g needs ", o->ratio);
  else
    printf("PSNR %g dB needs ", o->bound.value);
  printf("--rel %s (--abs %s): ratio %.4g, PSNR %s dB, %.4g bits per value\n", text_double(r->rel).text,
         text_double(r->eb).text, r->ratio, text_decibels(r->psnr).text, r->bits);
}

static void print_table(const tuning *t, const findings *f) {
  printf("%s: %llu values of %s", t->in.file.name, (unsigned long long)t->in.count, type_name(t->in.type));
  if (t->count < t->in.count)
    printf(", measured on %llu in the middle", (unsigned long long)t->count);
  if (t->range.min <= t->range.max)
    printf(", %s to %s", text_double(t->range.min).text, text_double(t->range.max).text);
  printf(", %s\n", tiles_text(&t->header.shape));
  printf("  %9s %12s %10s %10s %9s %10s %10s\n", "--rel", "--abs", "ratio", "bits/value", "PSNR dB", "compress",
         "decompress");
  for (int i = 0; i < f->count; i++)
    print_trial(&f->trials[i]);
  if (f->sought)
    print_found(t->o, &f->found);
}

static void json_trial(const trial *r) {
  printf("{\"rel\": %s, \"bound\": %s, \"ratio\": %s, \"bits_per_value\": %s, \"psnr\": %s",
         text_json(r->rel).text, text_json(r->eb).text, text_json(r->ratio).text, text_json(r->bits).text,
         text_json(r->psnr).text);
  printf(", \"compress_gb_per_s\": %s, \"decompress_gb_per_s\": %s}", text_json(r->compress).text,
         text_json(r->decompress).text);
}

static void print_json(const tuning *t, const findings *f) {
  json_file(t->in.file.name);
  printf(", \"type\": \"%s\", \"values\": %llu, \"measured\": %llu", type_name(t->in.type),
         (unsigned long long)t->in.count, (unsigned long long)t->count);
  printf(", \"min\": %s, \"max\": %s, \"bounds\": [", text_json(t->range.min).text,
         text_json(t->range.max).text);
  for (int i = 0; i < f->count; i++) {
    printf("%s\n    ", i ? "," : "");
    json_trial(&f->trials[i]);
  }
  printf("], \"found\": ");
  if (f->sought)
    json_trial(&f->found);
  else
    printf("null");
  printf("}");
}

/* ---- The verb -------------------------------------------------------------------------------- */

static bool tune_file(const options *o, ghz_context *ctx, const char *path) {
  tuning t;
  findings f = {.count = 0};
  if (!tuning_open(&t, o, ctx, path))
    return false;
  const bool ok = find(&t, &f);
  if (ok)
    (o->json ? print_json : print_table)(&t, &f);
  tuning_close(&t);
  return ok;
}

static int run(const options *o) {
  if (o->bound_given && o->ratio > 0)
    return fail_usage(o->verb, "give --psnr or --ratio, not both");
  return each_file(o, tune_file);
}

const verb verb_tune = {
    .name = "tune",
    .operands = "[FILE...]",
    .summary = "show what each bound costs: ratio, PSNR, speed",
    .details = "Compresses the values of each file with bounds from a tenth of the range downwards, in\n"
               "memory, and prints a table: the bound as --rel and --abs, ratio, bits per value, PSNR,\n"
               "and the speeds of compression and decompression in GB/s. Of a file of several frames it\n"
               "measures the one in the middle, 64 MiB. The ratio is that of the file that compress\n"
               "writes; with --pack, of a packed one (the speeds leave packing out). --psnr searches\n"
               "the largest bound that gives a PSNR, --ratio the smallest that gives a ratio, to three\n"
               "digits. compress --psnr does not measure: its bound gives that PSNR even if every error\n"
               "is as large as the bound. Most errors are smaller, so the PSNR is mostly 4 dB higher or\n"
               "more.",
    .examples = "  ghz tune wave.f32\n"
                "  ghz tune --psnr 80 --dims 64x64x64 wave.f32\n"
                "  ghz tune --ratio 10 --json wave.f32\n",
    .options = OPTION_TARGET | OPTION_FILL | OPTION_ORDER | OPTION_TYPE | OPTION_DIMS | OPTION_FLAT |
               OPTION_FRAME | OPTION_PACK | OPTION_JSON | OPTION_THREADS,
    .least = 1,
    .most = 1 << 30,
    .run = run,
};
