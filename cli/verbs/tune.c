/* tune.c: owns `ghz tune`: ratio, PSNR and speed over bounds, tried on the values of a file,
 * and the bound that a PSNR or a ratio needs. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "io/npy.h"
#include "report/report.h"
#include "report/text.h"
#include "verbs.h"
#include "work/range.h"

enum { RUNS = 3, BOUNDS_MAX = 16, WAYS = 2 };
#define REL_USUAL 1e-4 /* of the table, the bound that is warned of */

typedef struct tuning {
  const options *o;
  ghz_context *ctx;
  values from;
  bool has_fill; /* --fill names one, or the variable */
  double fill;
  value_range range; /* of the whole file */
  ghz_file_header
      header[WAYS]; /* of the sample, the whole array or a frame in its middle: in its shape, and flat */
  int ways;         /* of these; 1 where the shape is flat */
  size_t count;     /* values of the sample */
  buffer values, stream, back;
} tuning;

/* What a bound gives on the sample. */
typedef struct trial {
  double rel, eb;              /* the relative bound that was asked for, and the bound itself */
  double ratio, bits;          /* of a file of the sample; bits per value */
  double psnr;                 /* over the range of the whole file; NaN where that is 0 */
  double compress, decompress; /* GB/s of original bytes; 0 if not measured */
} trial;

typedef struct finding {
  trial way[WAYS];
} finding;

/* All that is printed of a file. */
typedef struct findings {
  finding bounds[BOUNDS_MAX];
  int count;
  bool sought; /* --psnr or --ratio was given */
  finding found;
  trial exact; /* of integers; else a ratio of 0 */
} findings;

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
  return library_ok(t->from.name, NULL, ghz_file_choose_frames(t->header, t->o->flat, t->o->frame_values));
}

/* Of an array in several frames the sample is one, in a file of its own. */
static bool choose_sample(tuning *t, uint64_t *first) {
  const input *in = &t->from.in;
  ghz_file_header *h = t->header;
  *h = (ghz_file_header){.array = in->shape, .count = in->count, .lattice = {.type = in->type}};
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

/* In one frame as well, which has whole chunks. */
static bool choose_flat(tuning *t) {
  ghz_file_header *flat = &t->header[1];
  t->ways = 1;
  if (t->header->shape.dims == 1 || t->o->order > 2)
    return true;
  *flat = *t->header;
  t->ways = 2;
  const uint64_t chunks = (flat->count + GHZ_CHUNK - 1) / GHZ_CHUNK;
  return library_ok(t->from.name, NULL, ghz_file_choose_frames(flat, 1, chunks * GHZ_CHUNK));
}

static bool read_sample(tuning *t) {
  input *in = &t->from.in;
  const size_t size = ghz_type_size(in->type);
  uint64_t first;
  size_t got;
  if (!choose_sample(t, &first) || !choose_flat(t))
    return false;
  for (int way = 0; way < t->ways; way++)
    if (!buffer_reserve(&t->stream, ghz_shape_bound(&t->header[way].shape, in->type, 1), t->from.name))
      return false;
  t->count = (size_t)t->header->count;
  input_skip(in, first);
  return buffer_reserve(&t->values, t->count * size, t->from.name) &&
         buffer_reserve(&t->back, t->count * size, t->from.name) &&
         input_read(in, t->values.data, t->count, &got);
}

static bool choose_fill(tuning *t) {
  t->has_fill = t->o->has_fill || t->from.has_fill;
  t->fill = t->from.fill;
  return !t->o->has_fill || fill_choose(t->from.name, t->from.in.type, t->o->fill, &t->fill);
}

static bool read_file(tuning *t) {
  const shape *dims = &t->o->dims;
  input *in = &t->from.in;
  t->range = range_nothing();
  if ((dims->ndim && !input_set_shape(in, dims)) || !choose_fill(t) ||
      !range_in_advance(t->ctx, in, t->has_fill ? &t->fill : NULL, &t->range))
    return false;
  if (!in->count)
    return fail(t->from.name, "has no values");
  if (!read_sample(t))
    return false;
  if (byte_order_suspect(in->type, t->values.data, t->count))
    input_warn_turned(in);
  return true;
}

/* var: of an HDF5 file; else NULL. */
static bool tuning_open(tuning *t, const char *path, const char *var) {
  h5_axes axes;
  if (!(var ? h5_values_open(&t->from, &axes, t->ctx, path, var) : input_open(&t->from.in, path, t->o->type)))
    return false;
  t->from.name = t->from.in.file.name;
  return read_file(t);
}

/* ---- One bound ------------------------------------------------------------------------------- */

/* Peak signal-to-noise ratio of the sample in dB, the peak being the range of the whole file. */
static double psnr_of(const tuning *t) {
  const ghz_type type = t->from.in.type;
  long double squares = 0;
  size_t finite = 0;
  for (size_t i = 0; i < t->count; i++) {
    const double x = value_at(type, t->values.data, i), error = x - value_at(type, t->back.data, i);
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
static bool measure_file(tuning *t, const ghz_file_header *h, size_t stream, uint64_t *size) {
  const ghz_file_sink sink = {.user = size, .write = count_bytes};
  ghz_file_writer *w;
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
  return library_ok(t->from.name, NULL, status);
}

static bool lattice_of(const tuning *t, ghz_bound bound, ghz_lattice *l) {
  return range_lattice(t->from.name, t->from.in.type, bound, t->range, t->has_fill ? &t->fill : NULL, l);
}

static bool compress(tuning *t, const ghz_file_header *h, size_t *size) {
  return library_ok(t->from.name, t->ctx,
                    ghz_compress_shape(t->ctx, &h->lattice, t->o->order, t->values.data, &h->shape,
                                       t->stream.data, t->stream.capacity, size));
}

static bool decompress(tuning *t, size_t size) {
  return library_ok(
      t->from.name, t->ctx,
      ghz_decompress(t->ctx, (ghz_bytes){t->stream.data, size}, t->from.in.type, t->back.data, t->count));
}

/* The sample in one of the ways, with speeds if `timed`. */
static bool try_way(tuning *t, int way, ghz_bound bound, bool timed, trial *r) {
  const double count = (double)t->count, bytes = count * (double)ghz_type_size(t->from.in.type);
  ghz_file_header *h = &t->header[way];
  double packed = INFINITY, unpacked = INFINITY;
  size_t stream = 0;
  uint64_t size;
  if (!lattice_of(t, bound, &h->lattice))
    return false;
  for (int run = 0; run < (timed ? RUNS : 1); run++) {
    const double start = seconds();
    if (!compress(t, h, &stream))
      return false;
    const double middle = seconds();
    if (!decompress(t, stream))
      return false;
    packed = fmin(packed, middle - start);
    unpacked = fmin(unpacked, seconds() - middle);
  }
  if (!measure_file(t, h, stream, &size))
    return false;
  *r = (trial){.rel = bound.value,
               .eb = h->lattice.eb,
               .ratio = bytes / (double)size,
               .bits = 8 * (double)size / count,
               .psnr = psnr_of(t),
               .compress = timed ? bytes / packed / 1e9 : 0,
               .decompress = timed ? bytes / unpacked / 1e9 : 0};
  return true;
}

static bool try_ways(tuning *t, double rel, finding *f) {
  bool ok = true;
  for (int way = 0; ok && way < t->ways; way++)
    ok = try_way(t, way, (ghz_bound){GHZ_REL, rel}, true, &f->way[way]);
  return ok;
}

static bool warn(const tuning *t, double rel) {
  const ghz_bound bound =
      type_is_integer(t->from.in.type) ? (ghz_bound){GHZ_STEP, 1} : (ghz_bound){GHZ_REL, rel};
  const char *name = t->from.name;
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

/* ---- Searching ------------------------------------------------------------------------------- */

/* Three digits, as they are printed. */
static double rounded(double rel) {
  char text[32];
  snprintf(text, sizeof text, "%.2e", rel);
  return strtod(text, NULL);
}

/* Powers of ten, as far as the type goes. */
static bool try_bounds(tuning *t, findings *f) {
  const int last = t->from.in.type == GHZ_F32 ? 7 : 12;
  bool ok = true;
  for (; ok && f->count < last; f->count++)
    ok = try_ways(t, rounded(pow(10, -1 - f->count)), &f->bounds[f->count]);
  return ok;
}

/* Whether the sample, in its shape, reaches what is sought. */
static bool reaches(tuning *t, double rel, bool *reached) {
  const options *o = t->o;
  trial r;
  if (!try_way(t, 0, (ghz_bound){GHZ_REL, rel}, false, &r))
    return false;
  *reached = o->ratio > 0 ? r.ratio >= o->ratio : r.psnr >= o->bound.value;
  return o->ratio <= 0 || rel < 1 || *reached ||
         fail(t->from.name, "no bound reaches a ratio of %g: with --rel 1 it is %.4g", o->ratio, r.ratio);
}

#define REL_LEAST 1e-18 /* of the range: below the spacing of float64 */

/* Halves the interval between a bound that reaches the goal and one that does not, until they are
 * neighbours of three digits. */
static bool search(tuning *t, finding *f) {
  const bool ratio = t->o->ratio > 0;
  double good = ratio ? 1 : REL_LEAST, bad = ratio ? REL_LEAST : 1, middle = bad;
  bool reached = true;
  if (ratio && !reaches(t, good, &reached))
    return false;
  do {
    if (!reaches(t, middle, &reached))
      return false;
    *(reached ? &good : &bad) = middle;
    middle = rounded(sqrt(good * bad));
  } while (middle != good && middle != bad);
  return try_ways(t, good, f);
}

/* Why there is nothing to find; NULL: there is. */
static const char *unfit(const tuning *t) {
  const options *o = t->o;
  const bool sought = o->bound_given || o->ratio > 0;
  if (t->from.in.type == GHZ_I64 && (t->range.max > 0x1p44 || t->range.min < -0x1p44))
    return "holds integers beyond 2^44 in magnitude, which are not compressed";
  if (type_is_integer(t->from.in.type))
    return sought ? "holds integers, which are compressed exactly: leave --psnr and --ratio out" : NULL;
  return o->bound_given && !(t->range.max > t->range.min)
             ? "has no range: all its finite values are the same, so there is no PSNR"
             : NULL;
}

static bool find(tuning *t, findings *f) {
  f->sought = t->o->bound_given || t->o->ratio > 0;
  if (type_is_integer(t->from.in.type))
    return try_way(t, 0, (ghz_bound){GHZ_STEP, 1}, false, &f->exact);
  return try_bounds(t, f) && (!f->sought || search(t, &f->found));
}

/* ---- Printing -------------------------------------------------------------------------------- */

static void print_trial(const trial *r) {
  printf(" %9.4g %10.4g %8s %14.2f %10.2f\n", r->ratio, r->bits, text_number("%.1f", r->psnr).text, r->compress,
         r->decompress);
}

static void print_finding(const tuning *t, const finding *f) {
  printf("  %9.3g %12.6g", f->way->rel, f->way->eb);
  print_trial(f->way);
  if (t->ways < 2)
    return;
  printf("  %9s %12s", "", "--flat");
  print_trial(&f->way[1]);
}

static void print_found(const tuning *t, const finding *f) {
  const trial *r = f->way, *flat = &f->way[1];
  if (t->o->ratio > 0)
    printf("ratio %g needs ", t->o->ratio);
  else
    printf("PSNR %g dB needs ", t->o->bound.value);
  printf("--rel %s (--abs %s): ratio %.4g, PSNR %s dB, %.4g bits per value", text_double(r->rel).text,
         text_double(r->eb).text, r->ratio, text_number("%.1f", r->psnr).text, r->bits);
  if (t->ways > 1)
    printf("; --flat: %.4g, %s dB, %.4g", flat->ratio, text_number("%.1f", flat->psnr).text, flat->bits);
  printf("\n");
}

static void print_table(const tuning *t, const findings *f) {
  printf("%s: %llu values of %s", t->from.name, (unsigned long long)t->from.in.count,
         type_name(t->from.in.type));
  if (t->count < t->from.in.count)
    printf(", measured on %llu in the middle", (unsigned long long)t->count);
  if (t->range.min <= t->range.max)
    printf(", %s to %s", text_double(t->range.min).text, text_double(t->range.max).text);
  printf(", %s\n", tiles_text(&t->header->shape));
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
  printf("{\"rel\": %s, \"bound\": %s, ", text_json(f->way->rel).text, text_json(f->way->eb).text);
  json_trial(f->way);
  printf(", \"flat\": ");
  if (t->ways > 1) {
    printf("{");
    json_trial(&f->way[1]);
    printf("}}");
  } else {
    printf("null}");
  }
}

static void print_json(const tuning *t, const findings *f) {
  json_file(t->from.name);
  printf(", \"type\": \"%s\", \"values\": %llu, \"measured\": %llu", type_name(t->from.in.type),
         (unsigned long long)t->from.in.count, (unsigned long long)t->count);
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

static bool tune_values(tuning *t, bool one_of_all) {
  findings f = {.count = 0};
  const char *why = unfit(t);
  if (why && one_of_all)
    return (note(LEVEL_NORMAL, "%s: left out: %s", t->from.name, why), true);
  if (why)
    return fail(t->from.name, "%s", why);
  if (!find(t, &f) || !warn(t, f.sought ? f.found.way->rel : REL_USUAL))
    return false;
  (t->o->json ? print_json : print_table)(t, &f);
  return true;
}

static bool tune_variable(const options *o, ghz_context *ctx, const char *path, const char *var) {
  tuning t = {.o = o, .ctx = ctx};
  const bool ok = tuning_open(&t, path, var) && tune_values(&t, var && !o->var);
  values_close(&t.from);
  buffer_free(&t.values);
  buffer_free(&t.stream);
  buffer_free(&t.back);
  return ok;
}

static bool tune_file(const options *o, ghz_context *ctx, const char *path) {
  return h5_operand(o, path) ? h5_each_numbers(o, ctx, path, false, tune_variable)
                             : tune_variable(o, ctx, path, NULL);
}

static int check(const options *o) {
  if (o->bound_given && o->ratio > 0)
    return fail_usage(o->verb, "give --psnr or --ratio, not both");
  return -1;
}

const verb verb_tune = {
    .name = "tune",
    .operands = "[FILE...]",
    .summary = "show what each bound costs: ratio, PSNR, speed",
    .details =
        "Compresses the values of each file with bounds from a tenth of the range downwards, in memory, and\n"
        "prints a table: the bound as --rel and --abs, ratio, bits per value, PSNR, and speeds in GB/s; of\n"
        "an array with a shape the next row has what --flat gives. Of a file of several frames it measures\n"
        "the one in the middle, 64 MiB. --psnr searches the largest bound that gives a PSNR, --ratio the\n"
        "smallest that gives a ratio, to three digits: compress --psnr does not measure, and mostly gives 4\n"
        "dB more. Of integers it prints what compress --step 1 gives. Of HDF5 and netCDF files, tries the\n"
        "variable --var, or each that holds numbers, however it is compressed.",
    .examples = "  ghz tune wave.f32\n"
                "  ghz tune --psnr 80 --dims 64x64x64 wave.f32\n"
                "  ghz tune --ratio 10 --json wave.f32\n",
    .least = 1,
    .check = check,
    .each = tune_file,
};
