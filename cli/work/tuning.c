/* tuning.c: owns trying bounds on the values of a file, and searching one. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tuning.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "difference.h"
#include "io/byte_order.h"
#include "io/values.h"
#include "quantum.h"
#include "range.h"
#include "report/library.h"
#include "report/report.h"
#include "report/seconds.h"

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

bool tuning_has_flat(const tuning *t) {
  return t->flat.count > 0;
}

static size_t stream_bound(const tuning *t) {
  const size_t shaped = ghz_shape_bound(&t->header.shape, t->in.type, 1),
               flat = tuning_has_flat(t) ? ghz_shape_bound(&t->flat.shape, t->in.type, 1) : 0;
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
  return !t->o->has_fill || fill_choose(t->in.file.name, t->in.type, t->o->fill, &t->fill);
}

static bool read_file(tuning *t) {
  const shape *dims = &t->o->dims;
  if (!input_make_seekable(&t->in) || (dims->ndim && !input_set_shape(&t->in, dims)) || !choose_fill(t) ||
      !range_of_input(t->ctx, &t->in, t->o->has_fill ? &t->fill : NULL, NULL, &t->range))
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

bool tuning_open(tuning *t, const options *o, ghz_context *ctx, const char *path) {
  *t = (tuning){.o = o, .ctx = ctx};
  if (!input_open(&t->in, path, o->type))
    return false;
  if (read_file(t))
    return true;
  tuning_close(t);
  return false;
}

void tuning_close(tuning *t) {
  input_close(&t->in);
  buffer_free(&t->values);
  buffer_free(&t->stream);
  buffer_free(&t->back);
}

/* ---- One bound ------------------------------------------------------------------------------- */

/* Peak signal-to-noise ratio of the sample in dB, the peak being the range of the whole file. */
static double psnr_of(const tuning *t) {
  difference d;
  difference_begin(&d);
  for (size_t i = 0; i < t->count; i++) {
    const double x = value_at(t->in.type, t->values.data, i), y = value_at(t->in.type, t->back.data, i);
    if (isfinite(x) && !(t->o->has_fill && x == t->fill))
      difference_add(&d, &x, &y, 1);
  }
  d.min = t->range.min;
  d.max = t->range.max;
  return difference_psnr(&d);
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

bool tuning_lattice(const tuning *t, ghz_bound bound, ghz_lattice *l) {
  return range_lattice(t->in.file.name, t->in.type, bound, t->range, t->o->has_fill ? &t->fill : NULL, l);
}

static bool compress_as(tuning *t, const ghz_lattice *l, const ghz_shape *s, size_t *size) {
  return library_ok(
      t->in.file.name, t->ctx,
      ghz_compress_shape(t->ctx, l, t->o->order, t->values.data, s, t->stream.data, t->stream.capacity, size));
}

bool tuning_compress(tuning *t, const ghz_lattice *l, size_t *size) {
  return compress_as(t, l, &t->header.shape, size);
}

bool tuning_decompress(tuning *t, size_t size) {
  return library_ok(
      t->in.file.name, t->ctx,
      ghz_decompress(t->ctx, (ghz_bytes){t->stream.data, size}, t->in.type, t->back.data, t->count));
}

bool tuning_warn(const tuning *t, double rel) {
  const ghz_bound bound = type_is_integer(t->in.type) ? (ghz_bound){GHZ_STEP, 1} : (ghz_bound){GHZ_REL, rel};
  const char *name = t->in.file.name;
  char text[400];
  ghz_lattice l;
  ghz_loss loss;
  if (!tuning_lattice(t, bound, &l) ||
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
  if (!tuning_lattice(t, (ghz_bound){GHZ_REL, rel}, &l))
    return false;
  for (int run = 0; run < (timed ? RUNS : 1); run++) {
    const double start = seconds();
    if (!compress_as(t, &l, &h->shape, &stream))
      return false;
    const double middle = seconds();
    if (!tuning_decompress(t, stream))
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

bool tuning_try(tuning *t, double rel, trial *r) {
  return try_as(t, &t->header, rel, true, r);
}

bool tuning_try_flat(tuning *t, double rel, trial *r) {
  return try_as(t, &t->flat, rel, true, r);
}

bool tuning_try_quantum(tuning *t, quantum_trial *r) {
  const quantum q = type_is_integer(t->in.type) ? (quantum){1, NULL}
                                                : quantum_of_values(t->in.type, t->values.data, t->count,
                                                                    t->o->has_fill ? &t->fill : NULL);
  ghz_lattice l;
  size_t stream;
  uint64_t size;
  *r = (quantum_trial){0};
  if (q.step == 0)
    return true;
  if (!tuning_lattice(t, (ghz_bound){GHZ_STEP, q.step}, &l) || !tuning_compress(t, &l, &stream) ||
      !measure_file(t, &t->header, &l, stream, &size))
    return false;
  const double bytes = (double)t->count * (double)ghz_type_size(t->in.type);
  *r = (quantum_trial){q.step, bytes / (double)size, 8 * (double)size / (double)t->count};
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
      return tuning_try(t, good, result);
    if (!try_as(t, &t->header, middle, false, result))
      return false;
    *(reached(t->o, result) ? &good : &bad) = middle;
  }
}

#define REL_LEAST 1e-18 /* of the range: below the spacing of float64 */

bool tuning_search(tuning *t, trial *result) {
  const double ratio = t->o->ratio, good = ratio > 0 ? 1 : REL_LEAST, bad = ratio > 0 ? REL_LEAST : 1;
  if (ratio > 0) {
    if (!try_as(t, &t->header, good, false, result))
      return false;
    if (!reached(t->o, result))
      return fail(t->in.file.name, "no bound reaches a ratio of %g: with --rel 1 it is %.4g", ratio,
                  result->ratio);
  } else if (!(t->range.max > t->range.min)) {
    return fail(t->in.file.name, "has no range: all its finite values are the same, so there is no PSNR");
  }
  return tuning_try(t, bad, result) && (reached(t->o, result) || halve(t, good, bad, result));
}
