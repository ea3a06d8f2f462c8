/* formula.c: owns the cost formula.
 *
 * Of a piece of b bytes that sums k terms: w(k) = message(b, k) / bandwidth on the wire, and on the processor
 * load(b) to pack it, merge(b, k) to add it to what is here, deliver(b) to unpack the result. A segment of c
 * pieces is a pipeline.
 *
 * Ring. In step k every rank receives a segment with k terms, merges it, and sends it on. The step takes
 *     max(c w(k), c merge(k), latency + w(k) + merge(k)):
 * a busy link, a busy processor, or the way of one piece. N - 1 such steps, then N - 1 without merging, with N
 * terms; unpacking happens beside them and is what remains at the end.
 *
 * Halving and doubling. The pieces of a step are independent of each other, and so are steps, piece by piece. The time
 * is that of all pieces on the busier of link and processor, and of one piece on the other and through all latencies:
 * the best that a schedule can do. The simulation is a quarter slower where the link is the busier one.
 *
 * With every call come one pass to find the range and two small allreduces.
 */
#include "formula.h"

#include <math.h>

const char *const formula_algorithm_names[FORMULA_ALGORITHMS] = {"ring", "halving", "doubling"};
const char *const formula_mode_names[FORMULA_MODES] = {"plain", "homomorphic", "recompress"};

enum { TILE_BYTES = 4096 };

/* ---- One piece --------------------------------------------------------------------------------------- */

static double wire(const setting *s, formula_mode mode, double bytes, double terms) {
  return mode == PLAIN ? bytes : message_bytes(s->codec, bytes, terms);
}

static double load(const setting *s, formula_mode mode, double bytes) {
  return mode == PLAIN ? 0 : compress_seconds(s->codec, bytes);
}

/* Merges what arrived with what is here, which is `fresh` if it has still to be packed. */
static double merge(const setting *s, formula_mode mode, double bytes, double terms, bool fresh) {
  const parameters *p = s->codec;
  if (mode == PLAIN)
    return copy_seconds(p, bytes) + operate_seconds(p, bytes);
  if (mode == HOMOMORPHIC)
    return combine_seconds(p, bytes, terms) + (fresh ? compress_seconds(p, bytes) : 0);
  double unpack = decompress_seconds(p, bytes, terms);
  return unpack * (fresh ? 1 : 2) + operate_seconds(p, bytes) + compress_seconds(p, bytes);
}

/* What moves without compression lands where it belongs. */
static double deliver(const setting *s, formula_mode mode, double bytes) {
  return mode == PLAIN ? 0 : decompress_seconds(s->codec, bytes, s->ranks);
}

/* ---- Schedules --------------------------------------------------------------------------------------- */

/* Segments are not smaller than a tile. */
static double segment_bytes(const setting *s) {
  return fmax(s->bytes / s->ranks, fmin(s->bytes, TILE_BYTES));
}

/* Without another wish, pieces are as large as the library makes them: run.c, layout_of. */
enum { PIECE_LEAST = 128 << 10, PIECE_MOST = 512 << 10 };

static double pieces_of(const setting *s, double bytes) {
  double piece = s->piece > 0 ? s->piece : fmin(fmax(bytes / 8, PIECE_LEAST), PIECE_MOST);
  return fmax(1, floor(bytes / piece));
}

static estimate ring(const setting *s, formula_mode mode) {
  double segment = segment_bytes(s), count = pieces_of(s, segment), b = segment / count, steps = s->ranks - 1;
  double share =
      s->bytes / (segment * s->ranks); /* of the time that a rank has a segment, where there are too few */
  double fill = 0;                     /* until the last piece is through as well */
  estimate e = {.seconds = load(s, mode, b), .codec = count * load(s, mode, b) * share};
  for (double k = 1; k <= steps; k++) {
    double size = wire(s, mode, b, k), w = size / s->bandwidth, m = merge(s, mode, b, k, true);
    double way = s->latency + w + m, busy = fmax(w, m);
    e.seconds += fmax(count * busy, way);
    fill = count * busy > way ? way - busy : 0;
    e.sent += count * size * share;
    e.codec += count * m * share;
  }
  double size = wire(s, mode, b, s->ranks), w = size / s->bandwidth, unpack = deliver(s, mode, b);
  double spread = steps * fmax(count * w, s->latency + w), unpacking = s->ranks * count * unpack * share;
  e.seconds = fmax(e.seconds, e.codec) + fill + fmax(spread + unpack, unpacking);
  e.sent += steps * count * size * share;
  e.codec += unpacking;
  return e;
}

/* The way of one piece through all steps: what it costs the link, the processor, and patience. */
typedef struct way {
  double network, codec, latency;
} way;

/* Adds a step in which `bytes` go out and as many come in, in pieces of `piece` bytes. */
static void exchange(const setting *s, formula_mode mode, double bytes, double terms, double merging,
                     double piece, estimate *e, way *one) {
  double size = wire(s, mode, piece, terms), count = bytes / piece;
  e->sent += count * size;
  e->codec += count * merging;
  one->network += size / s->bandwidth;
  one->codec += merging;
  one->latency += s->latency;
}

/* All pieces on the busier of link and processor, and one piece on the other. */
static estimate overlapped(const setting *s, estimate e, const way *one) {
  double network = e.sent / s->bandwidth;
  e.seconds = one->latency + fmax(network + one->codec, e.codec + one->network);
  return e;
}

static estimate halving(const setting *s, formula_mode mode) {
  double segment = segment_bytes(s), b = segment / pieces_of(s, segment), half = s->bytes / 2, terms = 1;
  double pack = load(s, mode, b), unpack = deliver(s, mode, b);
  way one = {.codec = pack + unpack};
  estimate e = {.codec = half / b * pack + s->bytes / b * unpack};
  for (; terms < s->ranks; terms *= 2, half /= 2)
    exchange(s, mode, half, terms, merge(s, mode, b, terms, terms == 1), b, &e, &one);
  for (double from = 1; from < s->ranks; from *= 2)
    exchange(s, mode, s->bytes / s->ranks * from, s->ranks, 0, b, &e, &one);
  return overlapped(s, e, &one);
}

static estimate doubling(const setting *s, formula_mode mode) {
  double count = pieces_of(s, s->bytes), b = s->bytes / count;
  double pack = load(s, mode, b), unpack = deliver(s, mode, b);
  way one = {.codec = pack + unpack};
  estimate e = {.codec = count * (pack + unpack)};
  for (double terms = 1; terms < s->ranks; terms *= 2)
    exchange(s, mode, s->bytes, terms, merge(s, mode, b, terms, false), b, &e, &one);
  return overlapped(s, e, &one);
}

/* ---- Calls ------------------------------------------------------------------------------------------- */

estimate formula_allreduce(const setting *s, formula_algorithm algorithm, formula_mode mode) {
  double steps = ceil(log2(s->ranks));
  if (algorithm != RING && exp2(steps) != s->ranks)
    return (estimate){.seconds = INFINITY};
  estimate e = algorithm == RING ? ring(s, mode) : algorithm == HALVING ? halving(s, mode) : doubling(s, mode);
  if (mode != PLAIN) {
    e.seconds += scan_seconds(s->codec, s->bytes) + 2 * steps * s->latency;
    e.codec += scan_seconds(s->codec, s->bytes);
  }
  e.network = e.sent / s->bandwidth;
  return e;
}

static double best_of(const setting *s, formula_mode mode, formula_algorithm *which) {
  double best = INFINITY;
  for (int a = RING; a < FORMULA_ALGORITHMS; a++) {
    double seconds = formula_allreduce(s, (formula_algorithm)a, mode).seconds;
    if (seconds < best) {
      best = seconds;
      *which = (formula_algorithm)a;
    }
  }
  return best;
}

double formula_uncompressed(const setting *s, formula_algorithm *which) {
  return best_of(s, PLAIN, which);
}

double formula_compressed(const setting *s, formula_algorithm *which) {
  return best_of(s, HOMOMORPHIC, which);
}
