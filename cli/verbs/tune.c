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
#include "work/orders.h"
#include "work/tuning.h"
#include "work/tuning_print.h"

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

static bool search_ratio(tuning *t, findings *f) {
  trial tried[TRIALS_MAX];
  for (int i = 0; i < f->count; i++)
    tried[i] = f->bounds[i].shaped;
  return tuning_search_ratio(t, t->o->ratio, tried, f->count, &f->found.shaped);
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
  return (o->ratio > 0 ? search_ratio(t, f) : tuning_search_psnr(t, o->bound.value, &f->found.shaped)) &&
         add_flat(t, &f->found);
}

/* ---- Printing -------------------------------------------------------------------------------- */

static void print_finding(const tuning *t, const finding *f) {
  printf("  %9.3g %12.6g", f->shaped.rel, f->shaped.eb);
  trial_print(&f->shaped);
  if (!tuning_has_flat(t))
    return;
  printf("  %9s %12s", "", "--flat");
  trial_print(&f->flat);
}

static void print_found(const tuning *t, const finding *f) {
  const trial *r = &f->shaped;
  if (t->o->ratio > 0)
    printf("ratio %g needs ", t->o->ratio);
  else
    printf("PSNR %g dB needs ", t->o->bound.value);
  printf("--rel %s (--abs %s): ratio %.4g, PSNR %s dB, %.4g bits per value", text_double(r->rel).text,
         text_double(r->eb).text, r->ratio, trial_decibels(r->psnr).text, r->bits);
  if (tuning_has_flat(t))
    printf("; --flat: %.4g, %s dB, %.4g", f->flat.ratio, trial_decibels(f->flat.psnr).text, f->flat.bits);
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
  tuning_print(t);
  printf(", %s\n", tiles_text(&t->header.shape));
  if (f->count)
    printf("  %9s %12s %s\n", "--rel", "--abs", trial_heading);
  for (int i = 0; i < f->count; i++)
    print_finding(t, &f->bounds[i]);
  if (f->sought)
    print_found(t, &f->found);
  print_quantum(&f->quantum);
}

static void json_finding(const tuning *t, const finding *f) {
  printf("{\"rel\": %s, \"bound\": %s, ", text_json(f->shaped.rel).text, text_json(f->shaped.eb).text);
  trial_print_json(&f->shaped);
  printf(", \"flat\": ");
  if (tuning_has_flat(t)) {
    printf("{");
    trial_print_json(&f->flat);
    printf("}}");
  } else {
    printf("null}");
  }
}

static void print_json(const tuning *t, const findings *f) {
  tuning_print_json(t);
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
  if (!o->dims_unordered)
    return each_file(o, tune_file);
  if (o->flat || o->bound_given || o->ratio > 0)
    return fail_usage(o->verb, "--dims ? tries orders of dimensions: leave %s out",
                      o->flat        ? "--flat"
                      : o->ratio > 0 ? "--ratio"
                                     : "--psnr");
  if (o->dims.ndim < 2 || o->dims.ndim > ORDERED_MOST)
    return fail_usage(o->verb, "--dims ? tries the orders of 2 to %d dimensions", ORDERED_MOST);
  return each_file(o, orders_of_file);
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
               "out). --psnr searches the largest bound that gives a PSNR, --ratio the smallest that\n"
               "gives a ratio, to three digits; a larger one if it came across one that gives the ratio\n"
               "and half a decibel more. compress --psnr does not measure: its bound gives that PSNR\n"
               "even if every error is as large as the bound. Most errors are smaller, so the PSNR is\n"
               "mostly 4 dB higher or more. Where all values of the sample are multiples of one number,\n"
               "a last line says what compress --step gives with it.\n\n"
               "--dims ?NX,NY,NZ, for raw values whose dimensions are known but not their order, tries\n"
               "each order with --rel 1e-4, and says which one gives the largest ratio.",
    .examples = "  ghz tune wave.f32\n"
                "  ghz tune --psnr 80 --dims 64x64x64 wave.f32\n"
                "  ghz tune --ratio 10 --json wave.f32\n"
                "  ghz tune --dims ?256,64,16 wave.f32\n",
    .options = OPTION_TARGET | OPTION_FILL | OPTION_ORDER | OPTION_TYPE | OPTION_DIMS | OPTION_FLAT |
               OPTION_FRAME | OPTION_PACK | OPTION_JSON | OPTION_THREADS,
    .least = 1,
    .most = 1 << 30,
    .run = run,
};
