/* compare.c: owns `ghz compare`: what two arrays differ in, as a table, JSON and a picture. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <ghz/quality.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "file/header.h"
#include "picture/picture.h"
#include "report/report.h"
#include "report/text.h"
#include "verbs.h"
#include "work/range.h"

typedef struct comparison {
  const options *o;
  ghz_context *ctx;
  values v[2];     /* of the original and the result */
  shape shape;     /* of both, where one of them knows it or --dims says it; else ndim 0 */
  const char *var; /* of HDF5 files, where they are such; NULL: of others */
  h5_axes axes;    /* of the original, then */
  uint64_t count;  /* values that were read */
  ghz_meter *meter;
  ghz_quality quality;
  picture picture;
  output png;
  bool has_fill;
  double fill[2];       /* missing values of both: as the files say, or --fill */
  double bound;         /* NaN: there is none */
  bool exceeded;        /* by stored values, whose error is exactly a sum of two numbers */
  double scale, offset; /* by which readers decode both; numbers are of decoded values */
} comparison;

/* NaN: there is none, or it is 0 of 0. */
static double error_over_bound(const comparison *c) {
  return c->quality.error / c->bound;
}

static bool comparison_violated(const comparison *c) {
  return c->quality.mismatches > 0 || c->exceeded;
}

static double comparison_ratio(const comparison *c) {
  const values *v = &c->v[1];
  const ghz_type type = v->compressed ? v->reader.header.lattice.type : v->type;
  return v->compressed || v->stored ? (double)(c->quality.count * ghz_type_size(type)) / (double)values_bytes(v)
                                    : (double)NAN;
}

/* The error of a difference between neighbours along an axis of the array; the meter has the
 * axes as the memory does. */
static double neighbours_along(const comparison *c, unsigned axis) {
  return c->quality.neighbours[c->shape.fortran ? c->shape.ndim - 1 - axis : axis];
}

/* The dimensions of which a plane, or a picture, is one point. */
static shape outer_dimensions(const comparison *c) {
  shape s = c->shape;
  s.ndim -= s.ndim < 2 ? s.ndim : 2;
  for (unsigned i = 0; s.fortran && i < s.ndim; i++)
    s.dims[i] = s.dims[i + 2];
  return s;
}

/* ---- Table ---- */

static void print_bound(const comparison *c) {
  if (isnan(c->bound))
    return;
  printf("bound             %s\n", text_double(c->bound).text);
  printf("error / bound     %s%s\n", text_number("%.6f", error_over_bound(c)).text,
         c->exceeded ? " (violated)" : "");
}

static void print_structure(const comparison *c) {
  const ghz_quality *q = &c->quality;
  const shape outer = outer_dimensions(c);
  printf("correlation       %s\n", text_number("%.10g", q->correlation).text);
  printf("neighbours        ");
  for (unsigned i = 0; i < c->shape.ndim || i < 1; i++)
    printf("%s%.6g", i ? ", " : "", c->shape.ndim ? neighbours_along(c, i) : *q->neighbours);
  printf(" (largest error of their difference)\n");
  if (c->shape.ndim < 2)
    return;
  printf("data SSIM         %s", text_number("%.8g", q->ssim).text);
  if (q->planes > 1)
    printf(" in plane %s, mean of %llu %.8g", shape_place(&outer, q->ssim_plane).text,
           (unsigned long long)q->planes, q->ssim_mean);
  printf("\n");
}

/* Prints the results. */
static void comparison_print_table(const comparison *c) {
  const ghz_quality *q = &c->quality;
  printf("values            %llu\n", (unsigned long long)q->count);
  if (c->scale != 1)
    printf("scale_factor      %s (errors and bound are of decoded values)\n", text_double(c->scale).text);
  printf("max error         %.6g at %s\n", q->error, shape_place(&c->shape, q->error_at).text);
  print_bound(c);
  printf("rms error         %s\n", text_number("%.6g", q->rms).text);
  printf("bias              %s\n", text_number("%.6g", q->bias).text);
  printf("NRMSE             %s\n", text_number("%.6g", q->nrmse).text);
  printf("PSNR              %s%s\n", text_number("%.2f", q->psnr).text, isnan(q->psnr) ? "" : " dB");
  print_structure(c);
  if (!isnan(comparison_ratio(c)))
    printf("ratio             %.4g\n", comparison_ratio(c));
  if (q->mismatches)
    printf("NaN and Inf       differ at %llu positions, first at %s (violated)\n",
           (unsigned long long)q->mismatches, shape_place(&c->shape, q->first_mismatch).text);
}

/* One of several variables. */
static void comparison_print_row(const comparison *c) {
  static bool begun;
  const ghz_quality *q = &c->quality;
  if (!begun)
    printf("%-20s %12s %11s %8s %14s %12s %8s\n", "variable", "max error", "error/bound", "PSNR dB",
           "correlation", "data SSIM", "ratio");
  begun = true;
  printf("%-20s %12.6g %11s %8s %14s %12s %8s%s\n", c->var, q->error,
         text_number("%.6f", error_over_bound(c)).text, text_number("%.2f", q->psnr).text,
         text_number("%.10g", q->correlation).text, text_number("%.8g", q->ssim).text,
         text_number("%.4g", comparison_ratio(c)).text, comparison_violated(c) ? " (violated)" : "");
}

/* ---- JSON ---- */

/* The coordinates of a value or plane in a shape; null without a shape, or where there is none. */
static void json_index(const shape *s, uint64_t at, bool there) {
  uint64_t index[GHZ_FILE_NDIM];
  shape_index(s, at, index);
  if (s->ndim && there)
    json_numbers(index, s->ndim);
  else
    printf("null");
}

static void json_bound(const comparison *c) {
  printf(", \"bound\": %s, \"error_over_bound\": %s, \"within_bound\": %s", text_json(c->bound).text,
         text_json(error_over_bound(c)).text,
         comparison_violated(c) ? "false"
         : !isnan(c->bound)     ? "true"
                                : "null");
}

static void json_structure(const comparison *c) {
  const ghz_quality *q = &c->quality;
  const shape outer = outer_dimensions(c);
  printf(", \"correlation\": %s, \"neighbours\": [", text_json(q->correlation).text);
  for (unsigned i = 0; i < c->shape.ndim || i < 1; i++)
    printf("%s%s", i ? ", " : "", text_json(c->shape.ndim ? neighbours_along(c, i) : *q->neighbours).text);
  printf("], \"ssim\": %s, \"ssim_mean\": %s, \"ssim_planes\": %llu, \"ssim_plane\": ", text_json(q->ssim).text,
         text_json(q->ssim_mean).text, (unsigned long long)q->planes);
  json_index(&outer, q->ssim_plane, q->planes > 0);
}

static void comparison_print_json(const comparison *c) {
  const ghz_quality *q = &c->quality;
  printf("{\"original\": ");
  json_string(stdout, c->v[0].name);
  printf(", \"result\": ");
  json_string(stdout, c->v[1].name);
  printf(", \"values\": %llu, \"max_error\": %s, \"max_error_at\": %llu, \"max_error_index\": ",
         (unsigned long long)q->count, text_json(q->error).text, (unsigned long long)q->error_at);
  json_index(&c->shape, q->error_at, q->finite > 0);
  printf(", \"special_mismatches\": %llu", (unsigned long long)q->mismatches);
  json_bound(c);
  printf(", \"fill\": %s", c->has_fill ? text_json(c->fill[0]).text : "null");
  printf(", \"rms\": %s, \"bias\": %s", text_json(q->rms).text, text_json(q->bias).text);
  printf(", \"nrmse\": %s, \"psnr\": %s", text_json(q->nrmse).text, text_json(q->psnr).text);
  json_structure(c);
  printf(", \"ratio\": %s}\n", text_json(comparison_ratio(c)).text);
}

/* ---- The picture of --png -------------------------------------------------------------------- */

/* The picture of --png, where it is asked for: before the values are read, and after. */
static bool comparison_begin_picture(comparison *c) {
  if (!c->o->png)
    return true;
  if (!picture_available())
    return false;
  for (const values *v = c->v; v < c->v + 2; v++)
    if (!file_differs(v->compressed ? &v->reader.file : &v->in.file, c->o->png))
      return false;
  if (c->shape.ndim < 2)
    return fail(c->v[0].name, "has no shape of two or more dimensions; --png needs --dims NYxNX");
  if (!picture_begin(&c->picture, c->v[0].name, &c->shape, &c->o->slice, c->axes.north > 0))
    return false;
  if (output_open(&c->png, c->o->png, c->o->force, false, NULL))
    return true;
  picture_free(&c->picture);
  return false;
}

/* Which plane of the array is shown, and which axes it has: as in "; time[3]; lat up, lon
 * right". */
static void write_axes(const comparison *c, char *text, size_t room) {
  const unsigned ndim = c->shape.ndim;
  FILE *to = fmemopen(text, room - 1, "w");
  text[0] = text[room - 1] = '\0';
  for (unsigned i = 0; to && i < ndim && (ndim > 2 || *c->axes.name[i]); i++) {
    fputs(i + 1 < ndim ? "; " : ", ", to);
    if (*c->axes.name[i])
      fputs(c->axes.name[i], to);
    else
      fprintf(to, "axis %u", i);
    if (i + 2 < ndim)
      fprintf(to, "[%llu]", (unsigned long long)c->picture.index[i]);
    else
      fputs(i + 1 == ndim ? " right" : c->axes.north ? " up" : " down", to);
  }
  if (to)
    fclose(to);
}

/* How large the error is, and what is shown. */
static void write_caption(const comparison *c, char *caption, size_t room) {
  const ghz_quality *q = &c->quality;
  char bound[64] = "", psnr[32] = "", axes[512];
  if (c->bound > 0)
    snprintf(bound, sizeof bound, " = %.3f of the bound %.3g", error_over_bound(c), c->bound);
  if (!isnan(q->psnr))
    snprintf(psnr, sizeof psnr, "; PSNR %.1f dB", q->psnr);
  write_axes(c, axes, sizeof axes);
  snprintf(caption, room, "largest error %.3g%s%s%s%s", q->error, bound, psnr, axes,
           q->finite < q->count ? c->has_fill ? "; grey: missing" : "; grey: NaN, Inf" : "");
}

static bool comparison_write_picture(comparison *c) {
  char result[64] = "result", original[96] = "original", caption[800];
  if (!c->o->png)
    return true;
  if (c->var)
    snprintf(original, sizeof original, "%.80s", c->var);
  if (c->v[1].bounded || comparison_ratio(c) > 1)
    snprintf(result, sizeof result, "compressed %.3g : 1 and back", comparison_ratio(c));
  write_caption(c, caption, sizeof caption);
  return picture_write(
      &c->picture, &c->png,
      &(picture_labels){original, result, caption, c->bound > 0 ? c->bound : c->quality.error});
}

enum { BATCH = 1 << 14 }; /* values compared at a time */

/* The values that were read last, as their file has them; NULL if they are no int64. */
static const int64_t *int64_of(const values *v, size_t n) {
  return v->type == GHZ_I64 && v->used >= n ? (const int64_t *)(const void *)v->native.data + (v->used - n)
                                            : NULL;
}

/* Whether all int64 that float64 does not tell apart are the same in both files. */
static bool told_apart(const comparison *c, const double *x, const double *y, size_t n) {
  const values *a = &c->v[0], *b = &c->v[1], *either = a->type == GHZ_I64 ? a : b;
  const int64_t *i = int64_of(a, n), *k = int64_of(b, n);
  for (size_t at = 0; either->type == GHZ_I64 && at < n; at++)
    if (fmax(fabs(x[at]), fabs(y[at])) >= 0x1p53 && !(i && k && i[at] == k[at]))
      return fail(either->name, "has int64 of 2^53 and more, which float64 does not tell apart: not compared");
  return true;
}

/* The fill value is that of --fill, or of a file, once its first frame was read; where one file
 * says none, that of the other. */
static bool find_fill(comparison *c) {
  double given;
  if (c->o->has_fill && !fill_choose(c->v[0].name, c->v[0].type, c->o->fill, &given))
    return false;
  c->has_fill = c->o->has_fill || c->v[0].has_fill || c->v[1].has_fill;
  for (int i = 0; i < 2; i++) {
    const values *v = &c->v[i];
    if (c->o->has_fill && v->has_fill && v->fill != given && v->fill != (double)(float)given)
      return fail(v->name, "has the fill value %s: leave out --fill", fill_text(v->type, v->fill).text);
    c->fill[i] = c->o->has_fill ? given : c->v[v->has_fill ? i : 1 - i].fill;
  }
  return true;
}

/* Missing values are all alike: NaN. A double may be named in a file of floats. */
static void hide_fill(const comparison *c, int which, double *x, size_t n) {
  const double fill = c->fill[which];
  for (size_t i = 0; i < n && c->has_fill; i++)
    x[i] = x[i] == fill || x[i] == (double)(float)fill ? (double)NAN : x[i];
}

/* What the picture shows. */
static void decode(const comparison *c, double *x, size_t n) {
  for (size_t i = 0; i < n; i++)
    x[i] = x[i] * c->scale + c->offset;
}

/* What was measured of stored values, so that no rounding of decoded ones is in it, as that of
 * decoded ones. */
static void decode_quality(comparison *c) {
  ghz_quality *q = &c->quality;
  q->error *= fabs(c->scale);
  q->rms *= fabs(c->scale);
  for (unsigned i = 0; i < GHZ_QUALITY_NDIM; i++)
    q->neighbours[i] *= fabs(c->scale);
  q->bias *= c->scale;
}

/* Both files decode alike; one that is no HDF5 holds what the other stores. */
static bool choose_decoding(comparison *c) {
  const values *a = &c->v[0], *b = &c->v[1], *one = a->label ? a : b;
  c->scale = one->scale;
  c->offset = one->offset;
  return !a->label || !b->label || (a->scale == b->scale && a->offset == b->offset) ||
         fail(b->name, "has scale_factor %g and add_offset %g, but %g and %g in %s: compare decoded values",
              b->scale, b->offset, a->scale, a->offset, a->name);
}

/* As the memory has the dimensions. */
static bool make_meter(comparison *c) {
  uint64_t extent[GHZ_FILE_NDIM];
  const shape *s = &c->shape;
  for (unsigned i = 0; i < s->ndim; i++)
    extent[i] = s->dims[s->fortran ? s->ndim - 1 - i : i];
  return library_ok(c->v[0].name, NULL, ghz_meter_create((int)s->ndim, extent, &c->meter));
}

static bool compare_values(comparison *c) {
  double x[BATCH], y[BATCH];
  size_t nx = 1, ny;
  const values *first = &c->v[0];
  progress_begin("compare", first->compressed ? first->reader.header.count : first->in.count,
                 ghz_type_size(first->type));
  for (uint64_t at = 0; nx > 0; at += nx) {
    if (!values_read(&c->v[0], x, BATCH, &nx) || !values_read(&c->v[1], y, BATCH, &ny))
      return false;
    if (nx != ny)
      return fail(c->v[nx > ny].name, "has only %llu values, fewer than %s",
                  (unsigned long long)(at + (nx < ny ? nx : ny)), c->v[nx < ny].name);
    if (!told_apart(c, x, y, nx))
      return false;
    if (at == 0 && (!find_fill(c) || !make_meter(c)))
      return false;
    hide_fill(c, 0, x, nx);
    hide_fill(c, 1, y, ny);
    ghz_meter_add(c->meter, x, y, nx);
    if (c->o->png) {
      decode(c, x, nx);
      decode(c, y, ny);
      picture_add(&c->picture, at, x, y, nx);
    }
    c->count = at + nx;
    progress_set(c->count);
  }
  return true;
}

/* The bound that the command line gives, of decoded values if it is absolute; else that of the
 * compressed file. */
static bool find_bound(comparison *c) {
  const ghz_quality *q = &c->quality;
  const ghz_type type = type_is_integer(c->v[0].type) ? GHZ_F64 : c->v[0].type; /* errors are no integers */
  const bool given = c->o->bound_given, absolute = given && c->o->bound.kind == GHZ_ABS;
  double stored = absolute ? c->o->bound.value / fabs(c->scale) : fmax(c->v[1].bound, c->v[0].bound);
  ghz_lattice lattice;
  if (given && !absolute) {
    if (!range_lattice(c->v[0].name, type, c->o->bound, (value_range){q->min, q->max}, NULL, &lattice))
      return false;
    stored = lattice.eb;
  }
  const bool known = c->v[1].bounded || c->v[0].bounded || given;
  c->bound = absolute ? c->o->bound.value : stored * fabs(c->scale);
  c->bound = known && isfinite(c->bound) ? c->bound : (double)NAN;
  c->exceeded = !isnan(c->bound) && (q->error > stored || (q->error == stored && q->error_rest > 0));
  return true;
}

/* ---- Shapes ---- */

/* The shape is that of --dims, or of a file that knows one. */
static bool choose_shape(comparison *c) {
  const shape *given = &c->o->dims, *own = &c->v[0].shape;
  if (!ghz_arrays_agree(own, &c->v[1].shape))
    return fail(c->v[1].name, "shape %s differs from %s in %s", shape_text(&c->v[1].shape).text,
                shape_text(own).text, c->v[0].name);
  for (const values *v = c->v; v < c->v + 2; v++)
    if (v->shape.ndim > 1 && !ghz_arrays_agree(&v->shape, given))
      return fail_contradicts(v->name, &v->shape, given);
  c->shape = given->ndim ? *given : own->ndim ? *own : c->v[1].shape;
  return true;
}

/* Whether there are as many values as --dims says. */
static bool check_count(const comparison *c) {
  const uint64_t count = ghz_array_count(&c->shape);
  return c->shape.ndim == 0 || c->count == count ||
         fail(c->v[0].name, "--dims %s needs %llu values, the file has %llu", shape_text(&c->shape).text,
              (unsigned long long)count, (unsigned long long)c->count);
}

static bool fail_violated(const comparison *c) {
  const ghz_quality *d = &c->quality;
  if (d->mismatches)
    return fail(c->v[1].name, "NaN or infinities differ from %s at %llu positions, first at %s", c->v[0].name,
                (unsigned long long)d->mismatches, shape_place(&c->shape, d->first_mismatch).text);
  return fail(c->v[1].name, "the bound %s is violated: error %.9g at %s", text_double(c->bound).text, d->error,
              shape_place(&c->shape, d->error_at).text);
}

static bool measure(comparison *c) {
  if (!compare_values(c) || !check_count(c) ||
      !library_ok(c->v[0].name, NULL, ghz_meter_read(c->meter, &c->quality)) || !find_bound(c))
    return false;
  decode_quality(c);
  return comparison_write_picture(c);
}

static bool compare_files(comparison *c) {
  if (!choose_decoding(c) || !choose_shape(c) || !comparison_begin_picture(c))
    return false;
  bool ok = measure(c);
  progress_end();
  ghz_meter_free(c->meter);
  if (c->o->png) {
    picture_free(&c->picture);
    ok = output_end(&c->png, ok);
  }
  if (!ok)
    return false;
  (c->o->json             ? comparison_print_json
   : c->var && !c->o->var ? comparison_print_row
                          : comparison_print_table)(c);
  return !comparison_violated(c) || fail_violated(c);
}

static bool open_values(comparison *c, values *v, h5_axes *axes, const char *path) {
  return c->var && h5_named(path) ? h5_values_open(v, axes, c->ctx, path, c->var)
                                  : values_open(v, c->ctx, path, c->o->type);
}

/* var: of HDF5 files; else NULL. */
static bool compare(const options *o, ghz_context *ctx, const char *path, const char *var) {
  comparison c = {.o = o, .ctx = ctx, .var = var};
  h5_axes other;
  (void)path;
  const bool ok = open_values(&c, &c.v[0], &c.axes, o->files[0]) &&
                  open_values(&c, &c.v[1], &other, o->files[1]) && compare_files(&c);
  values_close(&c.v[1]);
  values_close(&c.v[0]);
  return ok;
}

static int check(const options *o) {
  const bool h5[] = {h5_named(o->files[0]), h5_named(o->files[1])};
  if (o->dims.ndim == 1 && o->png)
    return fail_usage(o->verb, "--dims: --png needs two dimensions or more");
  if (o->png && strcmp(o->png, "-") == 0)
    return fail_usage(o->verb, "--png: standard output has the numbers; name a file");
  if (o->slice.ndim && !o->png)
    return fail_usage(o->verb, "--slice says what --png draws: give --png FILE");
  if (!o->var && h5[0] && h5[1] && o->png)
    return fail_usage(o->verb, "--png draws one variable: give --var NAME");
  if (!o->var && h5[0] != h5[1])
    return fail_usage(o->verb, "%s has variables: give --var NAME, the one whose values %s has",
                      o->files[h5[1]], o->files[h5[0]]);
  return -1;
}

static bool run(const options *o, ghz_context *ctx) {
  file second; /* which says itself that it is not there, once */
  if (o->var || !h5_named(o->files[0]))
    return compare(o, ctx, NULL, o->var);
  if (!file_open(&second, o->files[1]))
    return false;
  file_close(&second);
  return h5_each_numbers(o, ctx, o->files[0], true, compare);
}

const verb verb_compare = {
    .name = "compare",
    .operands = "ORIGINAL RESULT",
    .summary = "measure the error of a result, and draw it",
    .details =
        "Compares two files, each raw, .npy or .ghz. Prints the largest error and where it is, the error\n"
        "divided by the bound, its root mean square, the bias (the mean of RESULT - ORIGINAL), and, over the\n"
        "range of ORIGINAL, NRMSE and PSNR; then correlation, errors of differences between neighbours, and\n"
        "data SSIM. The bound is that of --abs, --rel or --psnr, or else the one that a .ghz file\n"
        "guarantees. The exit code is 1 if an error exceeds it, or if NaN or infinities differ. --png draws\n"
        "original, result and error; of three dimensions or more the plane --slice, or the middle one. Of\n"
        "HDF5 and netCDF files, compares the variable --var, or prints a line for each that holds numbers,\n"
        "as readers decode them.",
    .examples = "  ghz compare wave.f32 wave.f32.ghz\n"
                "  ghz compare --abs 1e-3 wave.f32 other.f32\n"
                "  ghz compare wave.f32 wave.f32.ghz --png wave.png --dims 512x512\n"
                "  ghz compare wave.f32 wave.f32.ghz --png cube.png --dims 64x64x64 --slice 3\n",
    .least = 2,
    .most = 2,
    .check = check,
    .run = run,
};
