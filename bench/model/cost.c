/* cost.c: owns the cost formula.
 *
 * Of a piece of b bytes that sums k terms: w(k) is its compressed size / bandwidth, the time on the
 * wire; on the processor compress(b), reduce(b, k) for adding it to what the rank holds, and
 * decompress(b) of the result. A segment of c pieces is a pipeline.
 *
 * Ring. In step k every rank receives a segment of k terms, reduces it, and sends it on in
 *     max(c w(k), c reduce(k), latency + w(k) + reduce(k)):
 * a busy link, a busy processor, or the path of one piece. There are N - 1 such steps, then N - 1
 * without reduction, with N terms. Decompression runs beside them.
 *
 * Halving and doubling. The pieces of a step are independent, and so are steps, piece by piece. The
 * time is that of all pieces on the busier of link and processor, and of one piece on the other and
 * through all latencies: a lower limit for any schedule.
 *
 * A compressed call also finds the range of its values and agrees by two small allreduces. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cost.h"

#include <math.h>

enum { TILE_BYTES = 4096, PIECE_MIN = 128 << 10, PIECE_MAX = 512 << 10 };
enum { CALL_COMPRESS, CALL_ADD, CALL_DECOMPRESS };

const char *const algorithm_names[ALGORITHMS] = {"ring", "halving", "doubling"};

/* ---- One piece ------------------------------------------------------------------------------- */

/* Between the values for one term and for MANY_TERMS; linear in the doublings of the terms. */
static double at_terms(double one, double many, double terms) {
  return one + (many - one) * log2(terms) / log2(MANY_TERMS);
}

static double codec_seconds(const codec *c, const double speed[2], double bytes, double terms) {
  return bytes * at_terms(1 / speed[0], 1 / speed[1], fmin(terms, MANY_TERMS)) / c->threads;
}

static double wire_bytes(const setting *s, bool compressed, double bytes, double terms) {
  const double *ratio = s->codec.ratio;
  return compressed ? bytes * fmin(1, at_terms(1 / ratio[0], 1 / ratio[1], terms)) : bytes;
}

static double compress_seconds(const setting *s, bool compressed, double bytes) {
  const codec *c = &s->codec;
  return compressed ? c->call[CALL_COMPRESS] + bytes / c->compress / c->threads : 0;
}

static double decompress_seconds(const setting *s, bool compressed, double bytes) {
  const codec *c = &s->codec;
  return compressed ? c->call[CALL_DECOMPRESS] + codec_seconds(c, c->decompress, bytes, s->ranks) : 0;
}

static double reduce_seconds(const setting *s, bool compressed, double bytes, double terms) {
  const codec *c = &s->codec;
  if (compressed)
    return c->call[CALL_ADD] + codec_seconds(c, c->add, bytes, terms);
  return bytes / c->plain_add / c->threads;
}

/* ---- Schedules ------------------------------------------------------------------------------- */

/* The pieces that a segment is cut into. */
static double pieces_of(double bytes) {
  return fmax(1, floor(bytes / fmin(fmax(bytes / 8, PIECE_MIN), PIECE_MAX)));
}

/* Segments are not smaller than a tile. */
static double segment_bytes(const setting *s) {
  return fmax(s->bytes / s->ranks, fmin(s->bytes, TILE_BYTES));
}

static double ring(const setting *s, bool compressed) {
  double segment = segment_bytes(s), count = pieces_of(segment), b = segment / count, steps = s->ranks - 1;
  double share = s->bytes / (segment * s->ranks); /* of the time that a rank has a segment at all */
  double pack = compress_seconds(s, compressed, b), seconds = pack, busy_codec = count * pack * share;
  double fill = 0; /* until the last piece has passed as well */
  for (double k = 1; k <= steps; k++) {
    double w = wire_bytes(s, compressed, b, k) / s->bandwidth;
    double reduce = reduce_seconds(s, compressed, b, k) + pack;
    double path = s->latency + w + reduce, busy = fmax(w, reduce);
    seconds += fmax(count * busy, path);
    fill = count * busy > path ? path - busy : 0;
    busy_codec += count * reduce * share;
  }
  double w = wire_bytes(s, compressed, b, s->ranks) / s->bandwidth,
         unpack = decompress_seconds(s, compressed, b);
  double spread = steps * fmax(count * w, s->latency + w), unpacking = s->ranks * count * unpack * share;
  return fmax(seconds, busy_codec) + fill + fmax(spread + unpack, unpacking);
}

/* What all pieces of all steps take on the link and on the processor, and what one piece takes. */
typedef struct load {
  double link, processor, one_link, one_processor, latency;
} load;

/* Adds a step in which `bytes` go out and as many come in, in pieces of `piece` bytes. */
static void add_step(const setting *s, bool compressed, double bytes, double piece, double terms, double reduce,
                     load *l) {
  double w = wire_bytes(s, compressed, piece, terms) / s->bandwidth, count = bytes / piece;
  l->link += count * w;
  l->processor += count * reduce;
  l->one_link += w;
  l->one_processor += reduce;
  l->latency += s->latency;
}

static double overlapped(const load *l) {
  return l->latency + fmax(l->link + l->one_processor, l->processor + l->one_link);
}

static double halving(const setting *s, bool compressed) {
  double segment = segment_bytes(s), b = segment / pieces_of(segment), half = s->bytes / 2, terms = 1;
  double pack = compress_seconds(s, compressed, b), unpack = decompress_seconds(s, compressed, b);
  load l = {.processor = half / b * pack + s->bytes / b * unpack, .one_processor = pack + unpack};
  for (; terms < s->ranks; terms *= 2, half /= 2)
    add_step(s, compressed, half, b, terms, reduce_seconds(s, compressed, b, terms) + (terms == 1 ? pack : 0),
             &l);
  for (double from = 1; from < s->ranks; from *= 2)
    add_step(s, compressed, s->bytes / s->ranks * from, b, s->ranks, 0, &l);
  return overlapped(&l);
}

static double doubling(const setting *s, bool compressed) {
  double count = pieces_of(s->bytes), b = s->bytes / count;
  double ends = compress_seconds(s, compressed, b) + decompress_seconds(s, compressed, b);
  load l = {.processor = count * ends, .one_processor = ends};
  for (double terms = 1; terms < s->ranks; terms *= 2)
    add_step(s, compressed, s->bytes, b, terms, reduce_seconds(s, compressed, b, terms), &l);
  return overlapped(&l);
}

/* ---- Calls ----------------------------------------------------------------------------------- */

double allreduce_seconds(const setting *s, algorithm a, bool compressed) {
  double steps = ceil(log2(s->ranks)), before = 0;
  if (a != RING && exp2(steps) != s->ranks)
    return INFINITY;
  if (compressed)
    before = s->bytes / s->codec.range / s->codec.threads + 2 * steps * s->latency;
  return before + (a == RING ? ring : a == HALVING ? halving : doubling)(s, compressed);
}

double best_seconds(const setting *s, bool compressed, algorithm *best) {
  double least = INFINITY;
  for (int a = RING; a < ALGORITHMS; a++) {
    double seconds = allreduce_seconds(s, (algorithm)a, compressed);
    if (seconds < least) {
      least = seconds;
      *best = (algorithm)a;
    }
  }
  return least;
}

static bool pays(setting s, double bandwidth) {
  algorithm best;
  s.bandwidth = bandwidth;
  return best_seconds(&s, true, &best) < best_seconds(&s, false, &best);
}

double break_even(const setting *s) {
  double low = 1.25e5, high = 1.25e13;
  if (!pays(*s, low))
    return 0;
  if (pays(*s, high))
    return INFINITY;
  for (int i = 0; i < 60; i++) {
    double middle = sqrt(low * high);
    *(pays(*s, middle) ? &low : &high) = middle;
  }
  return low;
}
