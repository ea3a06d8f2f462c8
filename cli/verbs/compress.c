/* compress.c: owns `ghz compress`: its options, and the loop over its files. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compression/compression.h"
#include "report/report.h"
#include "verbs.h"

/* ---- The first pass of --together ------------------------------------------------------------ */

static bool check_type(const compression *c, const compression *first) {
  return c->in.type == first->in.type ||
         fail(c->in.file.name, "type %s differs from %s in %s: --together needs files of one type",
              type_name(c->in.type), type_name(first->in.type), first->in.file.name);
}

typedef struct command {
  const options *o;
  compression base; /* what all files have in common */
  model model;
  ghz_lattice first; /* of the first file that was written */
  int written;
  bool differ; /* whether some other file has another lattice */
} command;

/* ---- Bounds ---------------------------------------------------------------------------------- */

/* The bound of one of k terms whose sum has the bound `b`: k times it is not above. */
static ghz_bound bound_of_term(ghz_bound b, uint64_t k) {
  if (b.kind == GHZ_PSNR) {
    b.value += 20 * log10((double)k);
    return b;
  }
  const double whole = b.value;
  b.value /= (double)k;
  if (fma(b.value, (double)k, -whole) > 0)
    b.value = nextafter(b.value, 0);
  return b;
}

/* The range of a file decides what its bound is, so files have different ones. */
static void note_different(const command *c) {
  if (c->differ && c->o->bound.kind != GHZ_ABS)
    note(LEVEL_NORMAL,
         "the bound of each file comes from its own range, so they cannot be added: --together gives them one");
}

static void remember(command *c, const ghz_lattice *l) {
  if (c->written++ == 0)
    c->first = *l;
  c->differ |= l->type == c->first.type && (l->step != c->first.step || l->eb != c->first.eb);
}

/* ---- Files ----------------------------------------------------------------------------------- */

static bool compress_opened(command *c, compression *one) {
  if (!compression_run(one))
    return false;
  (c->o->json ? compression_print_json : compression_describe)(one);
  compression_warn(one);
  remember(c, &one->lattice);
  return true;
}

static bool compress_each(command *c) {
  bool ok = true;
  for (int i = 0; i < c->o->file_count; i++) {
    compression one = c->base;
    ok &= compression_open(&one, c->o->files[i]) && compress_opened(c, &one);
    compression_close(&one);
  }
  note_different(c);
  return ok;
}

/* Finds the range that all files have together, before any is compressed. */
static bool compress_together(command *c) {
  const int count = c->o->file_count;
  value_range r = range_nothing();
  compression *files = calloc((size_t)count, sizeof *files);
  bool ok = files || fail(c->o->verb, "out of memory"), all = true;
  int opened = 0;
  while (ok && opened < count) {
    compression *one = &files[opened];
    *one = c->base;
    one->range = &r;
    ok = compression_open(one, c->o->files[opened++]) && check_type(one, files) && compression_range(one, &r);
  }
  for (int i = 0; i < opened; i++) {
    all &= ok && compress_opened(c, &files[i]);
    compression_close(&files[i]);
  }
  free(files);
  return ok && all;
}

static bool compress(const options *o, ghz_context *ctx) {
  command c = {.o = o, .base = {.o = o, .ctx = ctx, .bound = o->bound}};
  c.base.model = &c.model;
  if (o->sum_of)
    c.base.bound = bound_of_term(o->bound, o->sum_of);
  return (!o->like || model_open(&c.model, o->like)) && (o->together ? compress_together : compress_each)(&c);
}

/* ---- The verb -------------------------------------------------------------------------------- */

static int check(const options *o) {
  const char *taken = o->bound_given    ? "--abs, --rel, --psnr and --step"
                      : o->together     ? "--together"
                      : o->sum_of       ? "--sum-of"
                      : o->has_fill     ? "--fill"
                      : o->flat         ? "--flat"
                      : o->frame_values ? "--frame-values"
                                        : NULL;
  if (o->like && taken)
    return fail_usage(o->verb, "--like takes bound, fill value, tiles and frames of %s: leave %s out", o->like,
                      taken);
  if (o->bound.kind == GHZ_STEP && o->sum_of)
    return fail_usage(o->verb, "--sum-of divides a bound; with a step sums are exact: leave it out");
  if (!o->bound_given && !o->like)
    return fail_usage(o->verb,
                      "%s: no bound given; use --abs E, --rel E, --psnr DB, --step Q or --like FILE.ghz; for "
                      "integers --step 1",
                      o->files[0]);
  for (int i = 0; i < o->file_count && o->json; i++)
    if (strcmp(o->output ? o->output : o->files[i], "-") == 0)
      return fail_usage(o->verb, "--json prints to standard output; name the output with -o FILE");
  return -1;
}

const verb verb_compress = {
    .name = "compress",
    .operands = "[FILE...]",
    .summary = "compress files of values within an error bound",
    .details =
        "Writes FILE.ghz for each FILE of values: raw little-endian ones (.f32, .f64), or a NumPy .npy file,\n"
        "whose shape is kept; --dims gives that of raw ones. No finite value changes by more than the bound,\n"
        "which one of --abs, --rel and --psnr gives; by --step multiples of a quantum come back exactly, and\n"
        "so do their sums (integers take --step 1). Without FILE, or for -, reads standard input and writes\n"
        "standard output; --rel and --psnr then need a temporary file (in TMPDIR). Files can be added if\n"
        "they have the same bound: give them the same --abs, or --together to files that exist now, --like\n"
        "to one that comes later. --fill names the value that marks missing data. -v prints how each file is\n"
        "coded, and why.",
    .examples = "  ghz compress --rel 1e-4 wave.f32\n"
                "  ghz compress --abs 1e-3 density.npy -o density.ghz\n"
                "  ghz compress --rel 1e-4 --dims 64x64x64 wave.f32 -o cube.ghz\n"
                "  ghz compress --rel 1e-4 --together --sum-of 3 a.f64 b.f64 c.f64\n"
                "  ghz compress --like a.f64.ghz d.f64\n"
                "  ghz compress --rel 1e-4 --fill 1e20 density.npy -o masked.ghz\n"
                "  zcat wave.f32.gz | ghz compress --abs 1e-3 --type f32 > wave.f32.ghz\n",
    .least = 1,
    .apart = true,
    .writes = {".ghz"},
    .check = check,
    .run = compress,
};
