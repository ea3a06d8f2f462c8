/* bins.c: the messages of sums in bins: the bytes of each bin's slice, as u64; then the slices, of
 * those bins alone that have values in the piece. So a bin costs nothing where it is empty.
 *
 * A slice is that of an array of its own, with the values of the piece, tile after tile. Where a
 * border cuts a brick, the values at the border are repeated, which costs next to nothing. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "payload/payloads.h"

#include <math.h>
#include <string.h>

/* ---- A piece as an array of its own ---------------------------------------------------------- */

enum { BRICK_Z = 8, BRICK_Y = 8, BRICK_X = 16, BRICK_ROWS = BRICK_Z * BRICK_Y };

/* Values that follow each other, in the piece and in the whole array. */
typedef struct row {
  size_t at;     /* in the whole array */
  size_t values; /* there are so many; */
  size_t length; /* in the piece so many, the last one repeated */
} row;

static int is_flat(const piece *p) {
  return p->part->shape.dims == 1; /* or has three: prepare.c takes planes as flat */
}

static ghz_shape own_shape(const piece *p) {
  return is_flat(p) ? ghz_flat(ghz_piece_values(p)) : (ghz_shape){3, {p->tiles * BRICK_Z, BRICK_Y, BRICK_X}};
}

static size_t rows_of(const piece *p) {
  return is_flat(p) ? 1 : (size_t)p->tiles * BRICK_ROWS;
}

static uint64_t smaller(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

/* Rows outside the border are those at the border once more. */
static row row_at(const piece *p, size_t i) {
  const uint64_t *n = p->part->shape.extent;
  if (is_flat(p))
    return (row){.at = p->first * GHZ_TILE, .values = ghz_piece_values(p), .length = ghz_piece_values(p)};
  const uint64_t across = (n[2] + BRICK_X - 1) / BRICK_X, down = (n[1] + BRICK_Y - 1) / BRICK_Y,
                 brick = p->first + i / BRICK_ROWS, x = brick % across * BRICK_X,
                 y = brick / across % down * BRICK_Y + i % BRICK_Y,
                 z = brick / across / down * BRICK_Z + i / BRICK_Y % BRICK_Z;
  return (row){.at = (smaller(z, n[0] - 1) * n[1] + smaller(y, n[1] - 1)) * n[2] + x,
               .values = smaller(BRICK_X, n[2] - x),
               .length = BRICK_X};
}

/* ---- Messages -------------------------------------------------------------------------------- */

static size_t header_size(const payload_job *job) {
  return (size_t)job->bins->count * sizeof(uint64_t);
}

/* Finds the slices of all bins in a message; size 0: it has none. Returns 0 if it is damaged. */
static int take_apart(const payload_job *job, const buffer *message, ghz_bytes slices[BINS_MOST]) {
  uint64_t sizes[BINS_MOST], left = message->size;
  const size_t header = header_size(job);
  const uint8_t *at = message->memory + header;
  if (left < header)
    return 0;
  memcpy(sizes, message->memory, header);
  left -= header;
  for (int i = 0; i < job->bins->count; i++) {
    slices[i] = (ghz_bytes){at, sizes[i]};
    if (sizes[i] > left)
      return 0;
    at += sizes[i];
    left -= sizes[i];
  }
  return left == 0;
}

void ghz_bins_clear(const payload_job *job, buffer *out) {
  out->size = header_size(job);
  memset(out->memory, 0, out->size);
}

/* The bin's slice is what was written behind the others. */
static void end_slice(buffer *out, int number, uint64_t size) {
  memcpy(out->memory + (size_t)number * sizeof size, &size, sizeof size);
  out->size += size;
}

size_t ghz_bins_capacity(const payload_job *job, uint64_t tiles) {
  size_t slice = ghz_payload_slice(job, tiles, job->total_contributions), all,
         values = (size_t)tiles * GHZ_TILE * sizeof(double);
  if (slice == 0 || __builtin_mul_overflow(slice, (size_t)job->bins->count, &all) ||
      __builtin_add_overflow(all, header_size(job), &all))
    return 0;
  return all > values ? all : values;
}

ghz_status ghz_bins_validate(payload_job *job, const piece *p, buffer *in) {
  ghz_slice expected = {.shape = own_shape(p), .tiles = p->tiles}, s;
  ghz_bytes slices[BINS_MOST];
  ghz_status status = take_apart(job, in, slices) ? GHZ_OK : GHZ_ECORRUPT;
  for (int i = 0; i < job->bins->count && status == GHZ_OK; i++) {
    expected.lattice = job->bins->list[i].lattice;
    status = slices[i].size ? ghz_payload_view(job, &expected, slices[i], &s) : GHZ_OK;
  }
  return status;
}

/* ---- Compressing ----------------------------------------------------------------------------- */

/* NaN: there is none. */
static float fill_of(const payload_job *job) {
  return job->lattice.has_fill ? (float)job->lattice.fill : NAN;
}

/* What picking values came across. */
typedef struct found {
  uint32_t in_bin;  /* whether there are others than zeros */
  uint32_t largest; /* of all exponents */
} found;

/* y: the values of x that are in the bin, times 2^scale, and 0 for others; in the first bin, NaN
 * for missing ones. */
static void pick(const bin *b, int is_first, float fill, const float *x, float *y, size_t n, found *f) {
  const uint32_t first = (uint32_t)b->first, span = (uint32_t)(b->last - b->first);
  const float scale = ldexpf(1, b->scale);
  for (size_t i = 0; i < n; i++) {
    uint32_t bits;
    memcpy(&bits, &x[i], sizeof bits);
    const uint32_t e = bits >> 23 & 255, is_special = e == 255 || x[i] == fill, known = is_special ? 0 : e;
    const float special = e == 255 ? x[i] : NAN, picked = e - first <= span ? x[i] : 0;
    y[i] = is_special ? (is_first ? special : 0) : picked * scale;
    f->in_bin |= y[i] != 0;
    f->largest = known > f->largest ? known : f->largest;
  }
}

static found pick_piece(const payload_job *job, const piece *p, int number, const float *x, float *y) {
  found f = {0, 0};
  for (size_t i = 0, rows = rows_of(p); i < rows; i++) {
    const row r = row_at(p, i);
    pick(&job->bins->list[number], number == 0, fill_of(job), x + r.at, y, r.values, &f);
    for (size_t j = r.values; j < r.length; j++)
      y[j] = y[r.values - 1];
    y += r.length;
  }
  return f;
}

static ghz_status compress_bin(payload_job *job, const piece *p, int number, const float *y, buffer *out) {
  ghz_slice s;
  const ghz_shape shape = own_shape(p);
  ghz_status status =
      ghz_slice_compress_shape(job->codec, &job->bins->list[number].lattice, job->order, y, &shape, 0, p->tiles,
                               out->memory + out->size, out->capacity - out->size, &s);
  if (status == GHZ_OK)
    end_slice(out, number, ghz_slice_size(&s));
  return status;
}

ghz_status ghz_bins_compress(payload_job *job, const piece *p, const void *array, buffer *out) {
  buffer *picked = ghz_buffer_acquire(job->pool);
  float *y = (float *)(void *)picked->memory;
  ghz_status status = GHZ_OK;
  found f = {.largest = UINT32_MAX};
  ghz_bins_clear(job, out);
  for (int i = 0; i < job->bins->count && status == GHZ_OK; i++)
    if (f.largest >= (uint32_t)job->bins->list[i].first) {
      f = pick_piece(job, p, i, array, y);
      status = f.in_bin ? compress_bin(job, p, i, y, out) : GHZ_OK;
    }
  ghz_buffer_release(job->pool, picked);
  return status;
}

/* ---- Adding ---------------------------------------------------------------------------------- */

static ghz_status add_bin(payload_job *job, int number, ghz_bytes a, ghz_bytes b, buffer *out) {
  ghz_slice s[2], sum;
  ghz_status status = ghz_slice_parse(a, &s[0]);
  if (status == GHZ_OK)
    status = ghz_slice_parse(b, &s[1]);
  if (status == GHZ_OK)
    status = ghz_slice_sum(job->codec, 2, s, out->memory + out->size, out->capacity - out->size, &sum);
  if (status == GHZ_OK)
    end_slice(out, number, ghz_slice_size(&sum));
  job->report->inexact |= status == GHZ_OK && sum.inexact;
  return status;
}

static ghz_status copy_bin(int number, ghz_bytes a, buffer *out) {
  if (a.size > out->capacity - out->size)
    return GHZ_ECAPACITY;
  memcpy(out->memory + out->size, a.data, a.size);
  end_slice(out, number, a.size);
  return GHZ_OK;
}

ghz_status ghz_bins_add(payload_job *job, const buffer *a, const buffer *b, buffer *out) {
  ghz_bytes x[BINS_MOST], y[BINS_MOST];
  ghz_status status = take_apart(job, a, x) && take_apart(job, b, y) ? GHZ_OK : GHZ_ECORRUPT;
  ghz_bins_clear(job, out);
  for (int i = 0; i < job->bins->count && status == GHZ_OK; i++)
    status =
        x[i].size && y[i].size ? add_bin(job, i, x[i], y[i], out) : copy_bin(i, x[i].size ? x[i] : y[i], out);
  return status;
}

/* ---- Decompressing --------------------------------------------------------------------------- */

/* The values of a bin, as doubles, which hold them exactly. */
static ghz_status decode_bin(payload_job *job, int number, ghz_bytes message, size_t n, double *values) {
  ghz_slice s;
  const double scale = ldexp(1, -job->bins->list[number].scale);
  ghz_status status = ghz_slice_parse(message, &s);
  if (status == GHZ_OK)
    status = ghz_slice_decompress_into(job->codec, &s, GHZ_F64, values);
  for (size_t i = 0; i < n && status == GHZ_OK && scale != 1; i++)
    values[i] *= scale;
  return status;
}

/* Rounds sums, or averages, to where they belong. NaN is what is missing. */
static void round_piece(const payload_job *job, const piece *p, const double *sum) {
  float *target = (float *)(void *)p->part->target;
  const float fill = fill_of(job);
  const double divisor = job->average ? (double)job->total_contributions : 1;
  for (size_t i = 0, rows = rows_of(p); i < rows; i++) {
    const row r = row_at(p, i);
    for (size_t j = 0; j < r.values; j++)
      target[r.at + j] = isnan(sum[j]) ? fill : (float)(sum[j] / divisor);
    sum += r.length;
  }
}

/* From the largest bin on: what those of two bins leave of each other is a multiple of the smaller
 * one's unit, so it is exact in a double, or 2^53 units; then what smaller bins have leaves it as
 * large. From the smallest one on, their values would be lost in sums that larger ones cancel. */
ghz_status ghz_bins_decode(payload_job *job, const piece *p, const buffer *result) {
  const ghz_shape shape = own_shape(p);
  const size_t n = ghz_shape_count(&shape);
  buffer *sums = ghz_buffer_acquire(job->pool), *values = ghz_buffer_acquire(job->pool);
  double *sum = (double *)(void *)sums->memory, *more = (double *)(void *)values->memory;
  ghz_bytes slices[BINS_MOST] = {{NULL, 0}};
  ghz_status status = take_apart(job, result, slices) ? GHZ_OK : GHZ_ECORRUPT;
  int summed = 0; /* bins */
  for (int i = job->bins->count - 1; i >= 0 && status == GHZ_OK; i--) {
    if (slices[i].size == 0)
      continue;
    status = decode_bin(job, i, slices[i], n, summed ? more : sum);
    for (size_t j = 0; j < n && summed; j++)
      sum[j] += more[j];
    summed++;
  }
  if (summed == 0)
    memset(sum, 0, n * sizeof *sum);
  if (status == GHZ_OK)
    round_piece(job, p, sum);
  ghz_buffer_release(job->pool, sums);
  ghz_buffer_release(job->pool, values);
  return status;
}
