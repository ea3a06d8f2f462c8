/* compare.c: owns `ghz compare`: what two arrays differ in, as a table, JSON and a picture. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/reader.h"
#include "options/options.h"
#include "picture/picture.h"
#include "report/report.h"
#include "report/text.h"
#include "verbs.h"
#include "work/difference.h"
#include "work/range.h"

typedef struct comparison {
  const options *o;
  ghz_context *ctx;
  values original, result;
  shape shape; /* of both, where one of them knows it or --dims says it; else ndim 0 */
  difference difference;
  picture picture;
  bool has_fill;
  double fill;  /* missing values: of a compressed file, or of --fill */
  double bound; /* 0: not known */
} comparison;

static bool comparison_bound_known(const comparison *c) {
  return c->bound > 0 && isfinite(c->bound);
}

static bool comparison_violated(const comparison *c) {
  return c->difference.mismatches > 0 ||
         (comparison_bound_known(c) && difference_exceeds(&c->difference, c->bound));
}

static double comparison_ratio(const comparison *c) {
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

/* Prints the results. */
static void comparison_print_table(const comparison *c) {
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

static void comparison_print_json(const comparison *c) {
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

/* ---- The picture of --png -------------------------------------------------------------------- */

/* The picture of --png, where it is asked for: before the values are read, and after. */
static bool comparison_begin_picture(comparison *c) {
  if (!c->o->png)
    return true;
  if (!picture_available())
    return false;
  if (!values_differ(&c->original, c->o->png) || !values_differ(&c->result, c->o->png))
    return false;
  if (c->shape.ndim < 2)
    return fail(c->original.name, "has no shape of two or more dimensions; --png needs --dims NYxNX");
  return picture_begin(&c->picture, c->original.name, &c->shape);
}

/* How large the error is, and which slice of the array is shown. */
static void write_caption(const comparison *c, char *caption, size_t room) {
  const difference *d = &c->difference;
  const picture *p = &c->picture;
  char bound[64] = "", psnr[32] = "", slice[64] = "";
  if (comparison_bound_known(c))
    snprintf(bound, sizeof bound, " = %.3f of the bound %.3g", d->error / c->bound, c->bound);
  if (!isnan(difference_psnr(d)))
    snprintf(psnr, sizeof psnr, "; PSNR %.1f dB", difference_psnr(d));
  if (p->slices > 1)
    snprintf(slice, sizeof slice, "; slice %llu of %llu", (unsigned long long)p->slice,
             (unsigned long long)p->slices);
  snprintf(caption, room, "largest error %.3g%s%s%s%s", d->error, bound, psnr, slice,
           d->finite < d->count ? c->has_fill ? "; grey: missing" : "; grey: NaN, Inf" : "");
}

static bool comparison_write_picture(const comparison *c) {
  char result[64] = "result", caption[256];
  if (!c->o->png)
    return true;
  if (c->result.compressed)
    snprintf(result, sizeof result, "compressed %.3g : 1 and back", comparison_ratio(c));
  write_caption(c, caption, sizeof caption);
  return picture_write(
      &c->picture, c->o->png, c->o->force,
      &(picture_labels){result, caption, comparison_bound_known(c) ? c->bound : c->difference.error});
}

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
    .least = 2,
    .most = 2,
    .run = run,
};
