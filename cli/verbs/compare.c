/* compare.c: owns `ghz compare`: how far a result is from its original. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/library.h"
#include "report/progress.h"
#include "report/report.h"
#include "report/text.h"
#include "verbs.h"
#include "work/comparison.h"
#include "work/fills.h"
#include "work/range.h"

enum { BATCH = 1 << 14 }; /* values compared at a time */

/* Reads `count` values, fewer only at the end. */
static bool read_batch(values *v, double *to, size_t count, size_t *got) {
  size_t part = 1;
  for (*got = 0; *got < count && part > 0; *got += part)
    if (!values_read(v, to + *got, count - *got, &part))
      return false;
  return true;
}

/* The fill value is that of --fill, or of a compressed file, once its first frame was read. */
static bool find_fill(comparison *c) {
  const values *files[] = {&c->original, &c->result};
  c->has_fill = c->o->has_fill;
  if (c->has_fill && !fill_choose(c->original.name, c->original.type, c->o->fill, &c->fill))
    return false;
  for (int i = 0; i < 2; i++) {
    const ghz_lattice *l = &files[i]->reader.header.lattice;
    if (!files[i]->compressed || !l->has_fill)
      continue;
    if (c->o->has_fill && l->fill != (l->type == GHZ_F32 ? (double)(float)c->fill : c->fill))
      return fail(files[i]->name, "has the fill value %s: leave out --fill", fill_text(l->type, l->fill).text);
    c->has_fill = true;
    c->fill = c->o->has_fill ? c->fill : l->fill;
  }
  return true;
}

/* Missing values are all alike: NaN. A double may be named in a file of floats. */
static void hide_fill(const comparison *c, double *x, size_t n) {
  for (size_t i = 0; i < n && c->has_fill; i++)
    x[i] = x[i] == c->fill || x[i] == (double)(float)c->fill ? NAN : x[i];
}

static bool compare_values(comparison *c) {
  double x[BATCH], y[BATCH];
  size_t nx = 1, ny;
  uint64_t total = c->original.compressed ? c->original.reader.header.count : c->original.in.count;
  difference_begin(&c->difference);
  progress_begin("compare", total, ghz_type_size(c->original.type));
  while (nx > 0) {
    uint64_t at = c->difference.count;
    if (!read_batch(&c->original, x, BATCH, &nx) || !read_batch(&c->result, y, BATCH, &ny))
      return false;
    if (nx != ny)
      return fail(nx < ny ? c->original.name : c->result.name, "has only %llu values, fewer than %s",
                  (unsigned long long)(at + (nx < ny ? nx : ny)), nx < ny ? c->result.name : c->original.name);
    if (at == 0 && !find_fill(c))
      return false;
    hide_fill(c, x, nx);
    hide_fill(c, y, ny);
    difference_add(&c->difference, x, y, nx);
    if (c->o->png)
      picture_add(&c->picture, at, x, y, nx);
    progress_set(c->difference.count);
  }
  progress_end();
  return true;
}

/* The bound that the command line gives, else that of the compressed file. */
static bool find_bound(comparison *c) {
  const difference *d = &c->difference;
  ghz_lattice lattice;
  c->bound = c->result.bound > c->original.bound ? c->result.bound : c->original.bound;
  if (!c->o->bound_given)
    return true;
  c->bound = c->o->bound.value;
  if (c->o->bound.kind == GHZ_ABS)
    return true;
  if (!range_lattice(c->original.name, c->original.type, c->o->bound, (value_range){d->min, d->max}, NULL,
                     &lattice))
    return false;
  c->bound = lattice.eb;
  return true;
}

/* ---- Shapes ---- */

/* Whether --dims agrees with the shape that a file has. */
static bool check_dims(const values *v, const shape *dims) {
  uint64_t folded[3];
  return v->shape.ndim < 2 || !shape_fold(dims, folded) || shape_folds_to(&v->shape, folded) ||
         fail_contradicts(v->name, &v->shape, dims);
}

static bool check_shapes(const comparison *c) {
  char a[512], b[512];
  if (shape_agrees(&c->original.shape, &c->result.shape))
    return true;
  shape_text(&c->original.shape, a, sizeof a);
  shape_text(&c->result.shape, b, sizeof b);
  return fail(c->result.name, "shape %s differs from %s in %s", b, a, c->original.name);
}

/* The shape is that of --dims, or of a file that knows one. */
static bool choose_shape(comparison *c) {
  const shape *given = &c->o->dims, *own = &c->original.shape;
  if (!check_shapes(c) || !check_dims(&c->original, given) || !check_dims(&c->result, given))
    return false;
  c->shape = given->ndim ? *given : own->ndim ? *own : c->result.shape;
  return true;
}

/* Whether there are as many values as --dims says. */
static bool check_count(const comparison *c) {
  uint64_t count;
  char dims[512];
  shape_count(&c->shape, &count);
  shape_text(&c->shape, dims, sizeof dims);
  return c->shape.ndim == 0 || c->difference.count == count ||
         fail(c->original.name, "--dims %s needs %llu values, the file has %llu", dims,
              (unsigned long long)count, (unsigned long long)c->difference.count);
}

static bool fail_violated(const comparison *c) {
  const difference *d = &c->difference;
  if (d->mismatches)
    return fail(c->result.name, "NaN or infinities differ from %s at %llu positions, first at %s",
                c->original.name, (unsigned long long)d->mismatches,
                shape_place(&c->shape, d->first_mismatch).text);
  return fail(c->result.name, "the bound %s is violated: error %.9g at %s", text_double(c->bound).text,
              d->error, shape_place(&c->shape, d->error_at).text);
}

static bool compare_files(comparison *c) {
  if (!choose_shape(c) || !comparison_begin_picture(c))
    return false;
  bool ok = compare_values(c) && find_bound(c) && check_count(c) && comparison_write_picture(c);
  progress_end();
  if (c->o->png)
    picture_free(&c->picture);
  if (!ok)
    return false;
  (c->o->json ? comparison_print_json : comparison_print_table)(c);
  return !comparison_violated(c) || fail_violated(c);
}

static int run(const options *o) {
  comparison c = {.o = o};
  if (o->dims.ndim == 1 && o->png)
    return fail_usage(o->verb, "--dims: --png needs two dimensions or more");
  bool ok = library_open(&c.ctx, o->threads);
  if (ok && (ok = values_open(&c.original, c.ctx, o->files[0], o->type))) {
    if ((ok = values_open(&c.result, c.ctx, o->files[1], o->type))) {
      ok = compare_files(&c);
      values_close(&c.result);
    }
    values_close(&c.original);
  }
  ghz_context_free(c.ctx);
  return ok ? EXIT_OK : EXIT_DATA;
}

const verb verb_compare = {
    .name = "compare",
    .operands = "ORIGINAL RESULT",
    .summary = "measure the error of a result, and draw it",
    .details = "Compares two files, each raw, .npy or .ghz. Prints the largest error and where it is,\n"
               "the error divided by the bound, its root mean square, the bias (the mean of\n"
               "RESULT - ORIGINAL), NRMSE and PSNR; the last two refer to the range of ORIGINAL. The\n"
               "bound is that of --abs, --rel or --psnr, or else the one that a .ghz file guarantees.\n"
               "Fill values, from --fill or a .ghz file, count as missing, like NaN. The exit code is 1\n"
               "if an error exceeds the bound, or if NaN or infinities differ. --png draws original,\n"
               "result and error side by side; of three dimensions, the middle slice. --dims gives the\n"
               "shape if neither file has one.",
    .examples = "  ghz compare wave.f32 wave.f32.ghz\n"
                "  ghz compare --abs 1e-3 wave.f32 other.f32\n"
                "  ghz compare wave.f32 wave.f32.ghz --png wave.png --dims 512x512\n",
    .options = OPTION_BOUND | OPTION_TYPE | OPTION_FILL | OPTION_JSON | OPTION_PNG | OPTION_DIMS |
               OPTION_FORCE | OPTION_THREADS,
    .least = 2,
    .most = 2,
    .run = run,
};
