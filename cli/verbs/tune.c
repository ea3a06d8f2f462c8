/* tune.c: owns `ghz tune`: ratio, PSNR and speed over bounds, tried on the values of a file,
 * and the bound that a PSNR or a ratio needs. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "h5/h5.h"
#include "io/input.h"
#include "io/npy.h"
#include "io/reader.h"
#include "report/report.h"
#include "report/text.h"
#include "verbs.h"
#include "work/range.h"

typedef struct tuning {
  const options *o;
  ghz_context *ctx;
  input in;
  values variable; /* of HDF5, whose input that is; without a name otherwise */
  bool has_fill;   /* --fill names one, or the variable */
  double fill;
  value_range range;      /* of the whole file */
  ghz_file_header header; /* of the sample: the whole array, or a frame in its middle */
  ghz_file_header flat;   /* of the same as a flat array; a count of 0 where that is not tried */
  size_t count;           /* its values */
  bool beyond;            /* there are integers that no lattice reaches, and no sample */
  buffer values, stream, back;
} tuning;

/* What a bound gives on the sample. */
typedef struct trial {
  double rel, eb;              /* the relative bound that was asked for, and the bound itself */
  double ratio, bits;          /* of a file of the sample; bits per value */
  double psnr;                 /* over the range of the whole file; NaN where that is 0 */
  double compress, decompress; /* GB/s of original bytes; 0 if not measured */
} trial;

enum { RUNS = 3 };

/* ---- The sample ------------------------------------------------------------------------------ */

/* The first value of a frame in the middle of the array. */
static uint64_t middle_frame(const ghz_file_header *h) {
  const uint64_t *n = h->shape.extent;
  const ghz_shape whole = ghz_file_frame_shape(h, GHZ_FILE_UNKNOWN);
  if (whole.dims == 1)
    return n[2] / 2 / whole.extent[2] * whole.extent[2];
  const uint64_t plane = n[0] / 2 / whole.extent[0] * whole.extent[0];
  return (plane * n[1] + n[1] / 2 / whole.extent[1] * whole.extent[1]) * n[2];
}

static bool choose_frames(tuning *t) {
  return library_ok(t->in.file.name, NULL, ghz_file_choose_frames(&t->header, t->o->flat, t->o->frame_values));
}

/* Of an array in several frames the sample is one, in a file of its own. */
static bool choose_sample(tuning *t, uint64_t *first) {
  ghz_file_header *h = &t->header;
  *h = (ghz_file_header){.array = t->in.shape, .count = t->in.count, .lattice = {.type = t->in.type}};
  *first = 0;
  if (!choose_frames(t))
    return false;
  *first = middle_frame(h);
  const ghz_shape frame = ghz_file_frame_shape(h, *first);
  if (ghz_shape_count(&frame) == h->count)
    return true;
  h->count = ghz_shape_count(&frame);
  h->array =
      (shape){.ndim = frame.dims == 1 ? 0 : 3, .dims = {frame.extent[0], frame.extent[1], frame.extent[2]}};
  return choose_frames(t);
}

/* In one frame as well. */
static bool choose_flat(tuning *t) {
  if (t->header.shape.dims == 1 || t->o->order > 2)
    return true;
  t->flat = t->header;
  const uint64_t chunks = (t->flat.count + GHZ_CHUNK - 1) / GHZ_CHUNK; /* a frame has whole ones */
  return library_ok(t->in.file.name, NULL, ghz_file_choose_frames(&t->flat, 1, chunks * GHZ_CHUNK));
}

static bool has_flat(const tuning *t) {
  return t->flat.count > 0;
}

static size_t stream_bound(const tuning *t) {
  const size_t shaped = ghz_shape_bound(&t->header.shape, t->in.type, 1),
               flat = has_flat(t) ? ghz_shape_bound(&t->flat.shape, t->in.type, 1) : 0;
  return shaped > flat ? shaped : flat;
}

static bool read_sample(tuning *t) {
  const size_t size = ghz_type_size(t->in.type);
  uint64_t first;
  size_t got;
  if (!choose_sample(t, &first) || !choose_flat(t))
    return false;
  t->count = (size_t)t->header.count;
  input_skip(&t->in, first);
  return buffer_reserve(&t->values, t->count * size, t->in.file.name) &&
         buffer_reserve(&t->back, t->count * size, t->in.file.name) &&
         buffer_reserve(&t->stream, stream_bound(t), t->in.file.name) &&
         input_read(&t->in, t->values.data, t->count, &got);
}

static bool choose_fill(tuning *t) {
  t->has_fill = t->o->has_fill || t->variable.has_fill;
  t->fill = t->variable.fill;
  return !t->o->has_fill || fill_choose(t->in.file.name, t->in.type, t->o->fill, &t->fill);
}

/* Whether an int64 is larger than the codec takes. */
static bool find_beyond(tuning *t) {
  const int64_t most = INT64_C(1) << 44;
  int64_t x[4096];
  size_t got = 1;
  while (t->in.type == GHZ_I64 && got && t->in.taken < t->in.count) {
    if (!input_read(&t->in, x, sizeof x / sizeof *x, &got))
      return false;
    for (size_t i = 0; i < got; i++)
      t->beyond |= (x[i] > most || x[i] < -most) && !(t->has_fill && (double)x[i] == t->fill);
  }
  input_rewind(&t->in);
  return true;
}

static bool read_file(tuning *t) {
  const shape *dims = &t->o->dims;
  if (!input_make_seekable(&t->in) || (dims->ndim && !input_set_shape(&t->in, dims)) || !choose_fill(t) ||
      !find_beyond(t))
    return false;
  if (t->beyond)
    return true;
  if (!range_of_input(t->ctx, &t->in, t->has_fill ? &t->fill : NULL, NULL, &t->range))
    return false;
  input_rewind(&t->in);
  if (!t->in.count)
    return fail(t->in.file.name, "has no values");
  if (!read_sample(t))
    return false;
  if (byte_order_suspect(t->in.type, t->values.data, t->count))
    input_warn_turned(&t->in);
  return true;
}

static void tuning_close(tuning *t) {
  if (t->variable.name)
    h5_values_close(&t->variable);
  else
    input_close(&t->in);
  buffer_free(&t->values);
  buffer_free(&t->stream);
  buffer_free(&t->back);
}

static bool open_input(tuning *t, const char *path, const char *var) {
  h5_axes axes;
  if (!var)
    return input_open(&t->in, path, t->o->type);
  const bool ok = h5_values_open(&t->variable, &axes, t->ctx, path, var);
  t->in = t->variable.in;
  return ok;
}

/* var: of an HDF5 file; else NULL. */
static bool tuning_open(tuning *t, const options *o, ghz_context *ctx, const char *path, const char *var) {
  *t = (tuning){.o = o, .ctx = ctx};
  if (!open_input(t, path, var))
    return false;
  if (read_file(t))
    return true;
  tuning_close(t);
  return false;
}

/* ---- One bound ------------------------------------------------------------------------------- */

/* Peak signal-to-noise ratio of the sample in dB, the peak being the range of the whole file. */
static double psnr_of(const tuning *t) {
  long double squares = 0;
  size_t finite = 0;
  for (size_t i = 0; i < t->count; i++) {
    const double x = value_at(t->in.type, t->values.data, i), error = x - value_at(t->in.type, t->back.data, i);
    const bool counts = isfinite(x) && !(t->has_fill && x == t->fill);
    squares += counts ? (long double)error * error : 0;
    finite += counts;
  }
  const long double range = (long double)t->range.max - t->range.min;
  return range > 0 ? -20 * log10((double)(sqrtl(squares / (long double)finite) / range)) : (double)NAN;
}

static const char *count_bytes(void *user, const void *data, size_t size) {
  (void)data;
  *(uint64_t *)user += size;
  return NULL;
}

/* The bytes of a file whose only frame is the stream. */
static bool measure_file(tuning *t, ghz_file_header *h, const ghz_lattice *l, size_t stream, uint64_t *size) {
  const ghz_file_sink sink = {.user = size, .write = count_bytes};
  ghz_file_writer *w;
  h->lattice = *l;
  *size = 0;
  ghz_status status = ghz_file_create_sink(&sink, h, &w);
  if (status == GHZ_OK)
    status = ghz_file_set_pack(w, t->o->pack);
  if (status == GHZ_OK)
    status = ghz_file_write_stream(w, t->ctx, (ghz_bytes){t->stream.data, stream});
  if (status == GHZ_OK)
    status = ghz_file_finish(w, t->ctx);
  else
    ghz_file_abandon(w);
  return library_ok(t->in.file.name, NULL, status);
}

static bool lattice_of(const tuning *t, ghz_bound bound, ghz_lattice *l) {
  return range_lattice(t->in.file.name, t->in.type, bound, t->range, t->has_fill ? &t->fill : NULL, l);
}

static bool compress_as(tuning *t, const ghz_lattice *l, const ghz_shape *s, size_t *size) {
  return library_ok(
      t->in.file.name, t->ctx,
      ghz_compress_shape(t->ctx, l, t->o->order, t->values.data, s, t->stream.data, t->stream.capacity, size));
}

static bool decompress(tuning *t, size_t size) {
  return library_ok(
      t->in.file.name, t->ctx,
      ghz_decompress(t->ctx, (ghz_bytes){t->stream.data, size}, t->in.type, t->back.data, t->count));
}

static bool warn(const tuning *t, double rel) {
  const ghz_bound bound = type_is_integer(t->in.type) ? (ghz_bound){GHZ_STEP, 1} : (ghz_bound){GHZ_REL, rel};
  const char *name = t->in.file.name;
  char text[400];
  ghz_lattice l;
  ghz_loss loss;
  if (!lattice_of(t, bound, &l) ||
      !library_ok(name, t->ctx, ghz_lattice_loss(t->ctx, &l, t->values.data, t->count, 1, &loss)))
    return false;
  if (ghz_loss_text(&loss, "--fill ", text, sizeof text))
    note(LEVEL_NORMAL, "%s: %s%s%s%s", name, loss.wipes ? "with --rel " : "",
         loss.wipes ? text_double(rel).text : "", loss.wipes ? " " : "", text);
  return true;
}

/* The sample as a header has it; with speeds if `timed`. */
static bool try_as(tuning *t, ghz_file_header *h, double rel, bool timed, trial *r) {
  const double bytes = (double)t->count * (double)ghz_type_size(t->in.type);
  double packed = INFINITY, unpacked = INFINITY;
  ghz_lattice l;
  size_t stream = 0;
  uint64_t size;
  if (!lattice_of(t, (ghz_bound){GHZ_REL, rel}, &l))
    return false;
  for (int run = 0; run < (timed ? RUNS : 1); run++) {
    const double start = seconds();
    if (!compress_as(t, &l, &h->shape, &stream))
      return false;
    const double middle = seconds();
    if (!decompress(t, stream))
      return false;
    packed = fmin(packed, middle - start);
    unpacked = fmin(unpacked, seconds() - middle);
  }
  if (!measure_file(t, h, &l, stream, &size))
    return false;
  *r = (trial){rel, l.eb, bytes / (double)size, 8 * (double)size / (double)t->count, psnr_of(t), 0, 0};
  if (timed) {
    r->compress = bytes / packed / 1e9;
    r->decompress = bytes / unpacked / 1e9;
  }
  return true;
}

static bool try_shaped(tuning *t, double rel, trial *r) {
  return try_as(t, &t->header, rel, true, r);
}

static bool try_flat(tuning *t, double rel, trial *r) {
  return try_as(t, &t->flat, rel, true, r);
}

/* Integers are compressed exactly. */
static bool try_exact(tuning *t, trial *r) {
  const double bytes = (double)t->count * (double)ghz_type_size(t->in.type);
  ghz_lattice l;
  size_t stream;
  uint64_t size;
  if (!lattice_of(t, (ghz_bound){GHZ_STEP, 1}, &l) || !compress_as(t, &l, &t->header.shape, &stream) ||
      !measure_file(t, &t->header, &l, stream, &size))
    return false;
  *r = (trial){.eb = 1, .ratio = bytes / (double)size, .bits = 8 * (double)size / (double)t->count};
  return true;
}

/* ---- Searching ------------------------------------------------------------------------------- */

/* Three digits, as they are printed. */
static double rounded(double rel) {
  char text[32];
  snprintf(text, sizeof text, "%.2e", rel);
  return strtod(text, NULL);
}

static bool reached(const options *o, const trial *r) {
  return o->ratio > 0 ? r->ratio >= o->ratio : r->psnr >= o->bound.value;
}

/* Halves the interval between a bound that reaches the goal and one that does not, until they are
 * neighbours of three digits. The result is measured again, with speeds. */
static bool halve(tuning *t, double good, double bad, trial *result) {
  for (;;) {
    const double middle = rounded(sqrt(good * bad));
    if (middle == good || middle == bad)
      return try_shaped(t, good, result);
    if (!try_as(t, &t->header, middle, false, result))
      return false;
    *(reached(t->o, result) ? &good : &bad) = middle;
  }
}

#define REL_LEAST 1e-18 /* of the range: below the spacing of float64 */

static bool search(tuning *t, trial *result) {
  const double ratio = t->o->ratio, good = ratio > 0 ? 1 : REL_LEAST, bad = ratio > 0 ? REL_LEAST : 1;
  if (ratio > 0) {
    if (!try_as(t, &t->header, good, false, result))
      return false;
    if (!reached(t->o, result))
      return fail(t->in.file.name, "no bound reaches a ratio of %g: with --rel 1 it is %.4g", ratio,
                  result->ratio);
  }
  return try_shaped(t, bad, result) && (reached(t->o, result) || halve(t, good, bad, result));
}

/* ---- What is found --------------------------------------------------------------------------- */

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
  trial exact; /* of integers; else a ratio of 0 */
} findings;

static bool add_flat(tuning *t, finding *f) {
  return !has_flat(t) || try_flat(t, f->shaped.rel, &f->flat);
}

/* Powers of ten, as far as the type goes. */
static bool try_bounds(tuning *t, findings *f) {
  const int last = t->in.type == GHZ_F32 ? 7 : 12;
  for (int e = 1; e <= last; e++) {
    const char text[] = {'1', 'e', '-', (char)('0' + e / 10), (char)('0' + e % 10), 0};
    finding *here = &f->bounds[f->count++];
    if (!try_shaped(t, strtod(text, NULL), &here->shaped) || !add_flat(t, here))
      return false;
  }
  return true;
}

/* Why there is nothing to find; NULL: there is. */
static const char *unfit(const tuning *t) {
  const options *o = t->o;
  if (t->beyond)
    return "holds integers beyond 2^44 in magnitude, which are not compressed";
  if (type_is_integer(t->in.type))
    return o->bound_given || o->ratio > 0
               ? "holds integers, which are compressed exactly: leave --psnr and --ratio out"
               : NULL;
  return o->bound_given && !(t->range.max > t->range.min)
             ? "has no range: all its finite values are the same, so there is no PSNR"
             : NULL;
}

static bool find(tuning *t, findings *f) {
  const options *o = t->o;
  if (type_is_integer(t->in.type))
    return try_exact(t, &f->exact);
  if (!try_bounds(t, f))
    return false;
  f->sought = o->bound_given || o->ratio > 0;
  if (!f->sought)
    return true;
  if (!search(t, &f->found.shaped))
    return false;
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
  if (!has_flat(t))
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
  if (has_flat(t))
    printf("; --flat: %.4g, %s dB, %.4g", f->flat.ratio, decibels(f->flat.psnr).text, f->flat.bits);
  printf("\n");
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
  if (f->exact.ratio > 0)
    printf("  --step 1 is exact: ratio %.4g, %.4g bits per value\n", f->exact.ratio, f->exact.bits);
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
  if (has_flat(t)) {
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
  if (f->exact.ratio > 0)
    printf(", \"exact\": {\"ratio\": %s, \"bits_per_value\": %s}", text_json(f->exact.ratio).text,
           text_json(f->exact.bits).text);
  else
    printf(", \"exact\": null");
  printf("}");
}

/* ---- The verb -------------------------------------------------------------------------------- */

static bool tune_variable(const options *o, ghz_context *ctx, const char *path, const char *var) {
  tuning t;
  findings f = {.count = 0};
  if (!tuning_open(&t, o, ctx, path, var))
    return false;
  const char *why = unfit(&t);
  const bool one_of_all = var && !o->var;
  const bool ok = why ? one_of_all || fail(t.in.file.name, "%s", why)
                      : find(&t, &f) && warn(&t, f.sought ? f.found.shaped.rel : REL_USUAL);
  if (why && one_of_all)
    note(LEVEL_NORMAL, "%s: left out: %s", t.in.file.name, why);
  else if (ok)
    (o->json ? print_json : print_table)(&t, &f);
  tuning_close(&t);
  return ok;
}

static bool tune_file(const options *o, ghz_context *ctx, const char *path) {
  return o->var || h5_named(path) ? h5_each_numbers(o, ctx, path, false, tune_variable)
                                  : tune_variable(o, ctx, path, NULL);
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
               "ratio, to three digits.\n"
               "compress --psnr does not measure: its bound gives that PSNR even if every error is as\n"
               "large as the bound. Most errors are smaller, so the PSNR is mostly 4 dB higher or more.\n"
               "Of integers it prints what compress --step 1 gives. Of HDF5 and netCDF files, tries the\n"
               "variable --var, or each that holds numbers, however it is compressed.",
    .examples = "  ghz tune wave.f32\n"
                "  ghz tune --psnr 80 --dims 64x64x64 wave.f32\n"
                "  ghz tune --ratio 10 --json wave.f32\n",
    .least = 1,
    .most = 1 << 30,
    .run = run,
};
