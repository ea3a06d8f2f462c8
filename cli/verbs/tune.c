/* tune.c: owns `ghz tune`: ratio, PSNR and speed over bounds, and the bound that a PSNR or a
 * ratio needs. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "report/report.h"
#include "report/text.h"
#include "verbs.h"
#include "work/each_file.h"
#include "work/tuning.h"

enum { TRIALS_MAX = 16 };
#define REL_USUAL 1e-4 /* of the table, the bound that is warned of */

/* What a bound gives, with the array's shape and without; the latter not always. */
typedef struct finding {
  trial shaped, flat;
} finding;

/* All that is printed of a file. */
typedef struct findings {
  finding bounds[TRIALS_MAX];
  int count;
  bool sought; /* --psnr or --ratio was given */
  finding found;
  quantum_trial quantum;
} findings;

static bool add_flat(tuning *t, finding *f) {
  return !tuning_has_flat(t) || tuning_try_flat(t, f->shaped.rel, &f->flat);
}

/* Powers of ten, as far as the type goes. */
static bool try_bounds(tuning *t, findings *f) {
  const int last = t->in.type == GHZ_F32 ? 7 : 12;
  for (int e = 1; e <= last; e++) {
    const char text[] = {'1', 'e', '-', (char)('0' + e / 10), (char)('0' + e % 10), 0};
    finding *here = &f->bounds[f->count++];
    if (!tuning_try(t, strtod(text, NULL), &here->shaped) || !add_flat(t, here))
      return false;
  }
  return true;
}

/* A bound that suits the values' own steps gives the ratio of smaller ones, and a higher PSNR. */
static void prefer_table(double ratio, findings *f) {
  for (int i = 0; i < f->count; i++)
    if (f->bounds[i].shaped.ratio >= ratio && f->bounds[i].shaped.psnr > f->found.shaped.psnr)
      f->found.shaped = f->bounds[i].shaped;
}

static bool find(tuning *t, findings *f) {
  const options *o = t->o;
  if (type_is_integer(t->in.type) && (o->bound_given || o->ratio > 0))
    return fail(t->in.file.name, "holds integers, which are compressed exactly: leave --psnr and --ratio out");
  if (!type_is_integer(t->in.type) && !try_bounds(t, f))
    return false;
  if (!tuning_try_quantum(t, &f->quantum))
    return false;
  f->sought = o->bound_given || o->ratio > 0;
  if (!f->sought)
    return true;
  if (!tuning_search(t, &f->found.shaped))
    return false;
  if (o->ratio > 0)
    prefer_table(o->ratio, f);
  return add_flat(t, &f->found);
}

/* ---- Printing -------------------------------------------------------------------------------- */

/* A PSNR, "-" where there is none. */
static number_text decibels(double psnr) {
  number_text t = {"-"};
  if (!isnan(psnr))
    snprintf(t.text, sizeof t.text, "%.1f", psnr);
  return t;
}

static void print_trial(const trial *r) {
  printf(" %9.4g %10.4g %8s %14.2f %10.2f\n", r->ratio, r->bits, decibels(r->psnr).text, r->compress,
         r->decompress);
}

static void print_finding(const tuning *t, const finding *f) {
  printf("  %9.3g %12.6g", f->shaped.rel, f->shaped.eb);
  print_trial(&f->shaped);
  if (!tuning_has_flat(t))
    return;
  printf("  %9s %12s", "", "--flat");
  print_trial(&f->flat);
}

static void print_found(const tuning *t, const finding *f) {
  const trial *r = &f->shaped;
  if (t->o->ratio > 0)
    printf("ratio %g needs ", t->o->ratio);
  else
    printf("PSNR %g dB needs ", t->o->bound.value);
  printf("--rel %s (--abs %s): ratio %.4g, PSNR %s dB, %.4g bits per value", text_double(r->rel).text,
         text_double(r->eb).text, r->ratio, decibels(r->psnr).text, r->bits);
  if (tuning_has_flat(t))
    printf("; --flat: %.4g, %s dB, %.4g", f->flat.ratio, decibels(f->flat.psnr).text, f->flat.bits);
  printf("\n");
}

/* Data that have a quantum take no bound. */
static void print_quantum(const quantum_trial *q) {
  if (q->step > 0)
    printf("  every value is a multiple of %s: --step %s (or --grid auto) is exact, ratio %.4g, %.4g bits per "
           "value\n",
           text_double(q->step).text, text_double(q->step).text, q->ratio, q->bits);
}

static void print_table(const tuning *t, const findings *f) {
  printf("%s: %llu values of %s", t->in.file.name, (unsigned long long)t->in.count, type_name(t->in.type));
  if (t->count < t->in.count)
    printf(", measured on %llu in the middle", (unsigned long long)t->count);
  if (t->range.min <= t->range.max)
    printf(", %s to %s", text_double(t->range.min).text, text_double(t->range.max).text);
  printf(", %s\n", tiles_text(&t->header.shape));
  if (f->count)
    printf("  %9s %12s     ratio bits/value  PSNR dB GB/s: compress decompress\n", "--rel", "--abs");
  for (int i = 0; i < f->count; i++)
    print_finding(t, &f->bounds[i]);
  if (f->sought)
    print_found(t, &f->found);
  print_quantum(&f->quantum);
}

static void json_trial(const trial *r) {
  printf("\"ratio\": %s, \"bits_per_value\": %s, \"psnr\": %s", text_json(r->ratio).text,
         text_json(r->bits).text, text_json(r->psnr).text);
  printf(", \"compress_gb_per_s\": %s, \"decompress_gb_per_s\": %s", text_json(r->compress).text,
         text_json(r->decompress).text);
}

static void json_finding(const tuning *t, const finding *f) {
  printf("{\"rel\": %s, \"bound\": %s, ", text_json(f->shaped.rel).text, text_json(f->shaped.eb).text);
  json_trial(&f->shaped);
  printf(", \"flat\": ");
  if (tuning_has_flat(t)) {
    printf("{");
    json_trial(&f->flat);
    printf("}}");
  } else {
    printf("null}");
  }
}

static void print_json(const tuning *t, const findings *f) {
  json_file(t->in.file.name);
  printf(", \"type\": \"%s\", \"values\": %llu, \"measured\": %llu", type_name(t->in.type),
         (unsigned long long)t->in.count, (unsigned long long)t->count);
  printf(", \"min\": %s, \"max\": %s", text_json(t->range.min).text, text_json(t->range.max).text);
  printf(", \"bounds\": [");
  for (int i = 0; i < f->count; i++) {
    printf("%s\n    ", i ? "," : "");
    json_finding(t, &f->bounds[i]);
  }
  printf("], \"found\": ");
  if (f->sought)
    json_finding(t, &f->found);
  else
    printf("null");
  if (f->quantum.step > 0)
    printf(", \"quantum\": {\"step\": %s, \"ratio\": %s, \"bits_per_value\": %s}",
           text_json(f->quantum.step).text, text_json(f->quantum.ratio).text, text_json(f->quantum.bits).text);
  else
    printf(", \"quantum\": null");
  printf("}");
}

/* ---- The verb -------------------------------------------------------------------------------- */

static bool tune_file(const options *o, ghz_context *ctx, const char *path) {
  tuning t;
  findings f = {.count = 0};
  if (!tuning_open(&t, o, ctx, path))
    return false;
  const bool ok = find(&t, &f) && tuning_warn(&t, f.sought ? f.found.shaped.rel : REL_USUAL);
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
               "and the speeds of compression and decompression in GB/s. Of an array with a shape the\n"
               "next row has what --flat gives: where that is as small, it is the faster choice. Of a\n"
               "file of several frames it measures the one in the middle, 64 MiB. The ratio is that of\n"
               "the file that compress writes; with --pack, of a packed one (the speeds leave packing\n"
               "out). Of the orders that dimensions may have, the true one gives the largest ratio.\n"
               "--psnr searches the largest bound that gives a PSNR, --ratio the smallest that gives a\n"
               "ratio, to three digits, or one of the table that gives it at a higher PSNR.\n"
               "compress --psnr does not measure: its bound gives that PSNR even if every error is as\n"
               "large as the bound. Most errors are smaller, so the PSNR is mostly 4 dB higher or more.\n"
               "Where all values of the sample are multiples of one number, a last line says what\n"
               "compress --step gives with it.",
    .examples = "  ghz tune wave.f32\n"
                "  ghz tune --psnr 80 --dims 64x64x64 wave.f32\n"
                "  ghz tune --ratio 10 --json wave.f32\n",
    .options = OPTION_TARGET | OPTION_FILL | OPTION_ORDER | OPTION_TYPE | OPTION_DIMS | OPTION_FLAT |
               OPTION_FRAME | OPTION_PACK | OPTION_JSON | OPTION_THREADS,
    .least = 1,
    .most = 1 << 30,
    .run = run,
};
