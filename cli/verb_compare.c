/* verb_compare.c: owns `ghz compare`: how far a result is from its original. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "difference.h"
#include "io/values.h"
#include "picture/picture.h"
#include "report/library.h"
#include "report/progress.h"
#include "report/report.h"
#include "report/text.h"
#include "verbs.h"

enum { BLOCK = 1 << 14 }; /* values compared at a time */

typedef struct comparison {
  const options *o;
  ghz_context *ctx;
  values original, result;
  difference difference;
  picture picture;
  double bound; /* 0: not known */
} comparison;

/* Reads `count` values, fewer at the end alone. */
static bool read_block(values *v, double *to, size_t count, size_t *got) {
  size_t part = 1;
  for (*got = 0; *got < count && part > 0; *got += part)
    if (!values_read(v, to + *got, count - *got, &part))
      return false;
  return true;
}

static bool compare_values(comparison *c) {
  double x[BLOCK], y[BLOCK];
  size_t nx = 1, ny;
  uint64_t total = c->original.compressed ? c->original.reader.header.total : c->original.in.count;
  difference_begin(&c->difference);
  progress_begin("compare", total, ghz_type_size(c->original.type));
  while (nx > 0) {
    uint64_t at = c->difference.count;
    if (!read_block(&c->original, x, BLOCK, &nx) || !read_block(&c->result, y, BLOCK, &ny))
      return false;
    if (nx != ny)
      return fail(nx < ny ? c->original.name : c->result.name, "has only %llu values, fewer than %s",
                  (unsigned long long)(at + (nx < ny ? nx : ny)), nx < ny ? c->result.name : c->original.name);
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
  if (!library_ok(c->original.name, NULL,
                  ghz_lattice_make(c->original.type, c->o->bound, d->min, d->max, &lattice)))
    return false;
  c->bound = lattice.eb;
  return true;
}

static bool bound_known(const comparison *c) {
  return c->bound > 0 && isfinite(c->bound);
}

static bool is_violated(const comparison *c) {
  return c->difference.mismatches > 0 || (bound_known(c) && difference_exceeds(&c->difference, c->bound));
}

static double compression_ratio(const comparison *c) {
  if (!c->result.compressed)
    return NAN;
  return (double)(c->difference.count * ghz_type_size(c->result.type)) / (double)values_bytes(&c->result);
}

static void print_table(const comparison *c) {
  const difference *d = &c->difference;
  printf("values            %llu\n", (unsigned long long)d->count);
  printf("max error         %.6g at %llu\n", d->error, (unsigned long long)d->error_at);
  if (bound_known(c)) {
    printf("bound             %s\n", text_double(c->bound).text);
    printf("error / bound     %.6f%s\n", d->error / c->bound,
           difference_exceeds(d, c->bound) ? " (violated)" : "");
  }
  if (isnan(difference_nrmse(d)))
    printf("NRMSE             -\nPSNR              -\n");
  else
    printf("NRMSE             %.6g\nPSNR              %.2f dB\n", difference_nrmse(d), difference_psnr(d));
  if (c->result.compressed)
    printf("ratio             %.4g\n", compression_ratio(c));
  if (d->mismatches)
    printf("NaN and Inf       differ at %llu positions, first at %llu (violated)\n",
           (unsigned long long)d->mismatches, (unsigned long long)d->first_mismatch);
}

static void print_json(const comparison *c) {
  const difference *d = &c->difference;
  printf("{\"original\": ");
  json_string(stdout, c->original.name);
  printf(", \"result\": ");
  json_string(stdout, c->result.name);
  printf(", \"values\": %llu, \"max_error\": %s, \"max_error_at\": %llu, \"special_mismatches\": %llu",
         (unsigned long long)d->count, text_json(d->error).text, (unsigned long long)d->error_at,
         (unsigned long long)d->mismatches);
  double bound = bound_known(c) ? c->bound : NAN;
  printf(", \"bound\": %s, \"error_over_bound\": %s, \"within_bound\": %s", text_json(bound).text,
         text_json(d->error / bound).text,
         is_violated(c)   ? "false"
         : bound_known(c) ? "true"
                          : "null");
  printf(", \"nrmse\": %s, \"psnr\": %s", text_json(difference_nrmse(d)).text,
         text_json(difference_psnr(d)).text);
  printf(", \"ratio\": %s}\n", text_json(compression_ratio(c)).text);
}

/* Whether --dims agrees with the shape that a file has. */
static bool check_dims(const values *v, const shape *dims) {
  uint64_t folded[3];
  char given[512], own[512];
  shape_fold(dims, folded);
  if (v->shape.ndim < 2 || shape_folds_to(&v->shape, folded))
    return true;
  shape_text(dims, given, sizeof given);
  shape_text(&v->shape, own, sizeof own);
  return fail(v->name, "--dims %s contradicts its shape, %s; leave --dims out", given, own);
}

/* The dimensions of the picture, from --dims or a file that knows its shape. */
static bool begin_picture(comparison *c) {
  uint64_t dims[3];
  if (!c->o->png)
    return true;
  if (!picture_available())
    return false;
  if (!values_differ(&c->original, c->o->png) || !values_differ(&c->result, c->o->png))
    return false;
  const shape *given = &c->o->dims;
  if (given->ndim && (!check_dims(&c->original, given) || !check_dims(&c->result, given)))
    return false;
  if (!shape_fold(given, dims) && !shape_fold(&c->original.shape, dims) && !shape_fold(&c->result.shape, dims))
    return fail(c->original.name, "has no shape of two or more dimensions; --png needs --dims NYxNX");
  return picture_begin(&c->picture, c->original.name, dims);
}

/* What the picture says: how small the result is, how large its error, and which slice of the array
 * is shown. */
static bool write_picture(const comparison *c) {
  const difference *d = &c->difference;
  const picture *p = &c->picture;
  char result[64] = "result", bound[64] = "", psnr[32] = "", slice[64] = "", caption[256];
  if (c->result.compressed)
    snprintf(result, sizeof result, "compressed %.3g : 1 and back", compression_ratio(c));
  if (bound_known(c))
    snprintf(bound, sizeof bound, " = %.3f of the bound %.3g", d->error / c->bound, c->bound);
  if (!isnan(difference_psnr(d)))
    snprintf(psnr, sizeof psnr, "; PSNR %.1f dB", difference_psnr(d));
  if (p->nx * p->ny < d->count)
    snprintf(slice, sizeof slice, "; slice %llu of %llu", (unsigned long long)(p->first / (p->nx * p->ny)),
             (unsigned long long)(d->count / (p->nx * p->ny)));
  snprintf(caption, sizeof caption, "largest error %.3g%s%s%s%s", d->error, bound, psnr, slice,
           d->finite < d->count ? "; grey: NaN, Inf" : "");
  return picture_write(p, c->o->png, c->o->force,
                       &(picture_labels){result, caption, bound_known(c) ? c->bound : d->error});
}

static bool finish_picture(const comparison *c) {
  uint64_t count;
  if (!c->o->png)
    return true;
  shape_count(&c->o->dims, &count);
  if (c->o->dims.ndim && c->difference.count != count)
    return fail(c->original.name, "--dims needs %llu values, the file has %llu", (unsigned long long)count,
                (unsigned long long)c->difference.count);
  return write_picture(c);
}

static bool check_shapes(const comparison *c) {
  char a[512], b[512];
  if (shape_agrees(&c->original.shape, &c->result.shape))
    return true;
  shape_text(&c->original.shape, a, sizeof a);
  shape_text(&c->result.shape, b, sizeof b);
  return fail(c->result.name, "shape %s differs from %s in %s", b, a, c->original.name);
}

static bool compare_files(comparison *c) {
  if (!check_shapes(c) || !begin_picture(c))
    return false;
  bool ok = compare_values(c) && find_bound(c) && finish_picture(c);
  progress_end();
  if (c->o->png)
    picture_free(&c->picture);
  if (!ok)
    return false;
  (c->o->json ? print_json : print_table)(c);
  if (c->difference.mismatches)
    return fail(c->result.name, "NaN or infinities differ from %s at %llu positions", c->original.name,
                (unsigned long long)c->difference.mismatches);
  return !is_violated(c) ||
         fail(c->result.name, "the bound %s is violated: error %.9g at %llu", text_double(c->bound).text,
              c->difference.error, (unsigned long long)c->difference.error_at);
}

static int run(const options *o) {
  comparison c = {.o = o};
  if (o->dims.ndim && !o->png)
    return fail_usage(o->verb, "--dims needs --png");
  if (o->dims.ndim == 1)
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
    .details = "Compares two files, each raw, .npy or .ghz. Prints the largest error, the error\n"
               "divided by the bound, NRMSE and PSNR; the last two refer to the range of ORIGINAL.\n"
               "The bound is that of --abs, --rel or --psnr, or else the one that a .ghz file\n"
               "promises. The exit code is 1 if an error exceeds it, or if NaN or infinities differ.\n"
               "--png draws original, result and error side by side; of three dimensions, the middle\n"
               "slice. Files that were compressed with a shape or are .npy know it; for others,\n"
               "--dims gives it.",
    .examples = "  ghz compare wave.f32 wave.f32.ghz\n"
                "  ghz compare --abs 1e-3 wave.f32 other.f32\n"
                "  ghz compare wave.f32 wave.f32.ghz --png wave.png --dims 512x512\n",
    .options =
        OPTION_BOUND | OPTION_TYPE | OPTION_JSON | OPTION_PNG | OPTION_DIMS | OPTION_FORCE | OPTION_THREADS,
    .least = 2,
    .most = 2,
    .run = run,
};
