/* diff.c: owns `ghz diff`: how far two compressed files are apart. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>

#include "report/report.h"
#include "report/text.h"
#include "verbs.h"
#include "work/combine.h"

typedef unsigned long long n;

static bool add_pair(const char *name, ghz_context *ctx, const ghz_frame *f, void *tally) {
  return library_ok(name, ctx, ghz_tally_add_pair(ctx, tally, f[0].stream, f[1].stream));
}

/* Where the largest difference is. */
static void print_place(const shape *s, const ghz_comparison *c, bool json) {
  uint64_t index[GHZ_FILE_NDIM];
  if (!json && c->count)
    printf("  largest at        %s\n", shape_place(s, c->index).text);
  if (json && c->count == 0)
    printf(", \"max_difference_at\": null");
  else if (json)
    printf(", \"max_difference_at\": %llu", (n)c->index);
  if (json && c->count && s->ndim) {
    shape_index(s, c->index, index);
    printf(", \"max_difference_index\": ");
    json_numbers(index, s->ndim);
  }
}

static void print(bool json, const char *a, const char *b, const shape *s, const ghz_comparison *c) {
  if (json) {
    printf("{\"files\": [");
    json_string(stdout, a);
    printf(", ");
    json_string(stdout, b);
    printf("], \"count\": %llu, \"specials\": %llu, \"mismatches\": %llu", (n)c->count, (n)c->specials,
           (n)c->mismatches);
  } else {
    printf("%s, %s\n  pairs             %llu\n", a, b, (n)c->count);
    if (c->specials)
      printf("  left out          %llu (fill values, NaN, infinities), %llu of them in one file alone\n",
             (n)c->specials, (n)c->mismatches);
  }
  estimate_show(json, "dot product", "dot", &c->product);
  estimate_show(json, "mean difference", "mean_difference", &c->mean);
  estimate_show(json, "rms difference", "rms_difference", &c->rms);
  estimate_show(json, "largest", "max_difference", &c->largest);
  print_place(s, c, json);
  if (json)
    puts("}");
}

static bool compare_files(const options *o, ghz_context *ctx, frame_reader *r) {
  ghz_tally tally = {0};
  ghz_comparison c;
  if (!readers_agree(&r[1], r, r) || !lattices_agree(&r[1], r) || !reader_each(r, 2, ctx, add_pair, &tally) ||
      !library_ok(r[1].file.name, NULL, ghz_tally_comparison(&tally, NULL, &c)))
    return false;
  print(o->json, r[0].file.name, r[1].file.name, &r[r->header.array.ndim == 0].header.array, &c);
  return true;
}

static bool compare_variables(const options *o, ghz_context *ctx, const h5_variable *v) {
  ghz_tally tally = {0};
  ghz_comparison c;
  if (!h5_each_chunk(v, 2, ctx, NULL, add_pair, &tally) ||
      !library_ok(v[1].label, NULL, ghz_tally_comparison(&tally, NULL, &c)))
    return false;
  c.specials -= v[0].padding;
  c.index = c.count ? h5_index(v, c.index) : c.index;
  print(o->json, v[0].label, v[1].label, &v[0].array, &c);
  return true;
}

static bool run(const options *o, ghz_context *ctx) {
  frame_reader r[2] = {{.own = NULL}, {.own = NULL}};
  if (h5_operand(o, o->files[0]))
    return h5_each_variable(o, ctx, o->files, 2, compare_variables);
  const bool ok =
      reader_open(&r[0], o->files[0]) && reader_open(&r[1], o->files[1]) && compare_files(o, ctx, r);
  reader_close(&r[1]);
  reader_close(&r[0]);
  return ok;
}

const verb verb_diff = {
    .name = "diff",
    .operands = "A.ghz B.ghz",
    .summary = "print how far apart two compressed files are, and their dot product",
    .details =
        "Prints the dot product of two files, the mean and the root mean square of A - B, the largest\n"
        "difference and where it is, computed and with intervals as in ghz stats. Both files must have the\n"
        "same type, shape and bound, as for ghz sub. ghz compare decompresses instead: it takes files of any\n"
        "kind and bound, and says whether a result keeps its bound. Of HDF5 and netCDF files, compares the\n"
        "variable --var, or all of A that the HDF5 filter compressed; --json prints an object for each.",
    .examples = "  ghz diff after.ghz before.ghz\n",
    .least = 2,
    .most = 2,
    .run = run,
};
