/* measure.c: owns the timing of a pair and bound: all operations of all configurations, in turn. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cpu.h"

#include <assert.h>
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#define SAMPLE_BYTES ((size_t)32 << 20) /* short operations repeat until a sample touched as much */

const char *const cpu_operations[OPS] = {"memcpy", "compress", "decompress", "add", "roundtrip"};

/* Buffers for one pair. `packed` keeps the streams; timed calls write to `out` or `scratch`. */
struct workspace {
  const pair *pair;
  size_t n, bytes, room, repeats;
  float *out[2];
  unsigned char *packed[2], *scratch[2], *sum, *peer[2];
  size_t packed_size[2], sum_size, peer_room, peer_size[2];
  ghz_lattice lattice;
  double range;
};

/* Seconds per operation: [configuration][operation][round]. */
typedef struct samples {
  double own[MAX_CONFIGS][OPS][MAX_RUNS];
  double pack[MAX_RUNS], unpack[MAX_RUNS];
  double buffer[MAX_RUNS]; /* for medians */
} samples;

static void must(ghz_status status, const char *what, const ghz_context *ctx) {
  if (status != GHZ_OK)
    die(what, ctx ? ghz_context_message(ctx) : ghz_status_text(status));
}

workspace *workspace_make(const pair *p, bool quick) {
  workspace *w = calloc(1, sizeof *w);
  if (!w)
    die("out of memory", "");
  w->pair = p;
  w->n = p->a.n;
  w->bytes = p->a.n * sizeof(float);
  w->repeats = quick || w->bytes >= SAMPLE_BYTES ? 1 : SAMPLE_BYTES / w->bytes;
  w->room = ghz_size_bound(w->n, GHZ_F32, 2);
  w->peer_room = peer_room(&p->a);
  w->sum = touched(w->room);
  for (int i = 0; i < 2; i++) {
    w->out[i] = touched(w->bytes);
    w->packed[i] = touched(w->room);
    w->scratch[i] = touched(w->room);
    w->peer[i] = touched(w->peer_room);
  }
  return w;
}

void workspace_free(workspace *w) {
  for (int i = 0; i < 2; i++) {
    free(w->out[i]);
    free(w->packed[i]);
    free(w->scratch[i]);
    free(w->peer[i]);
  }
  free(w->sum);
  free(w);
}

static const field *operand(const workspace *w, int i) {
  return i ? &w->pair->b : &w->pair->a;
}

/* ---- The operations -------------------------------------------------------------------------- */

static void copy(float *dst, const float *src, size_t n, int threads) {
  if (threads == 1) {
    memcpy(dst, src, n * sizeof *dst);
    return;
  }
#pragma omp parallel num_threads(threads)
  {
    size_t t = (size_t)omp_get_thread_num(), all = (size_t)omp_get_num_threads();
    size_t first = n * t / all, end = n * (t + 1) / all;
    memcpy(dst + first, src + first, (end - first) * sizeof *dst);
  }
}

static void add_floats(float *restrict acc, const float *restrict x, size_t n, int threads) {
#pragma omp parallel for simd num_threads(threads) schedule(static)
  for (size_t i = 0; i < n; i++)
    acc[i] += x[i];
}

static void compress(workspace *w, const config *c, const float *x, int to, size_t *size) {
  must(ghz_compress(c->ctx, &w->lattice, GHZ_ORDER_BEST, x, w->n, w->scratch[to], w->room, size),
       "ghz_compress", c->ctx);
}

static ghz_bytes packed(const workspace *w, int i) {
  return (ghz_bytes){w->packed[i], w->packed_size[i]};
}

static void decompress(workspace *w, const config *c, int i) {
  must(ghz_decompress(c->ctx, packed(w, i), GHZ_F32, w->out[i], w->n), "ghz_decompress", c->ctx);
}

/* The first three work on both operands, the others make one sum: into scratch[to]. */
static void run(workspace *w, const config *c, operation op, int to) {
  size_t size;
  switch (op) {
  case OP_MEMCPY:
    for (int i = 0; i < 2; i++)
      copy(w->out[i], operand(w, i)->x, w->n, c->threads);
    break;
  case OP_COMPRESS:
    for (int i = 0; i < 2; i++)
      compress(w, c, operand(w, i)->x, i, &size);
    break;
  case OP_DECOMPRESS:
    for (int i = 0; i < 2; i++)
      decompress(w, c, i);
    break;
  case OP_ADD:
    must(ghz_add(c->ctx, packed(w, 0), packed(w, 1), w->scratch[to], w->room, &size), "ghz_add", c->ctx);
    break;
  default:
    for (int i = 0; i < 2; i++)
      decompress(w, c, i);
    add_floats(w->out[0], w->out[1], w->n, c->threads);
    compress(w, c, w->out[0], to, &size);
  }
}

/* Original bytes that an operation handles; an addition counts those of one operand. */
static double bytes_of(const workspace *w, operation op) {
  return (double)w->bytes * (op == OP_ADD || op == OP_ROUNDTRIP ? 1 : 2);
}

static double timed(workspace *w, const config *c, operation op, int round) {
  double start = clock_seconds();
  for (size_t i = 0; i < w->repeats; i++)
    run(w, c, op, (round + (int)i) & 1);
  return (clock_seconds() - start) / (double)w->repeats;
}

/* ---- zfp ------------------------------------------------------------------------------------- */

static double timed_pack(workspace *w, double tolerance) {
  double start = clock_seconds();
  for (int i = 0; i < 2; i++)
    w->peer_size[i] = peer_pack(operand(w, i), tolerance, w->peer[i], w->peer_room);
  return clock_seconds() - start;
}

static double timed_unpack(workspace *w, double tolerance) {
  double start = clock_seconds();
  for (int i = 0; i < 2; i++)
    peer_unpack(operand(w, i), tolerance, w->peer[i], w->peer_size[i], w->out[i]);
  return clock_seconds() - start;
}

static quality peer_quality(workspace *w, double tolerance) {
  timed_pack(w, tolerance);
  timed_unpack(w, tolerance);
  return quality_of(w->pair, w->out, w->peer_size[0] + w->peer_size[1], w->lattice.eb, w->range);
}

/* Finds the loosest tolerance that keeps our PSNR. zfp rounds tolerances to a power of two. */
static void peer_equal_psnr(workspace *w, double psnr, zfp_result *z) {
  double tolerance = exp2(floor(log2(w->lattice.eb)));
  z->equal_psnr = z->equal_bound;
  for (int i = 0; i < 30 && z->equal_psnr.psnr < psnr; i++)
    z->equal_psnr = peer_quality(w, tolerance /= 2);
  for (int i = 0; i < 30; i++) {
    quality next = peer_quality(w, 2 * tolerance);
    if (next.psnr < psnr)
      break;
    z->equal_psnr = next;
    tolerance *= 2;
  }
  z->tolerance = tolerance / w->lattice.eb;
}

/* ---- One cell -------------------------------------------------------------------------------- */

/* Makes the lattice of the joint range and both streams; measures their quality. */
static void prepare(workspace *w, const config *c, double bound, cell *out) {
  double min[2], max[2];
  for (int i = 0; i < 2; i++)
    must(ghz_range(c->ctx, GHZ_F32, operand(w, i)->x, w->n, &min[i], &max[i]), "ghz_range", c->ctx);
  double low = fmin(min[0], min[1]), high = fmax(max[0], max[1]);
  must(ghz_lattice_make(GHZ_F32, (ghz_bound){GHZ_REL, bound}, low, high, &w->lattice), "ghz_lattice_make",
       NULL);
  w->range = high - low;
  if (!(w->lattice.step > 0))
    die("no range that a bound could be relative to", w->pair->name);
  for (int i = 0; i < 2; i++) {
    compress(w, c, operand(w, i)->x, i, &w->packed_size[i]);
    memcpy(w->packed[i], w->scratch[i], w->packed_size[i]);
    decompress(w, c, i);
  }
  must(ghz_add(c->ctx, packed(w, 0), packed(w, 1), w->sum, w->room, &w->sum_size), "ghz_add", c->ctx);
  size_t baseline = 0;
  for (int i = 0; i < 2; i++)
    baseline += baseline_size(operand(w, i)->x, w->n, w->lattice.eb);
  out->pair = w->pair;
  out->bound = bound;
  out->eb = w->lattice.eb;
  out->own = quality_of(w->pair, w->out, w->packed_size[0] + w->packed_size[1], w->lattice.eb, w->range);
  out->sum_ratio = (double)w->bytes / (double)w->sum_size;
  out->sum_error = quality_of_sum(c->ctx, w->pair, (ghz_bytes){w->sum, w->sum_size});
  out->baseline_ratio = 2 * (double)w->bytes / (double)baseline;
}

/* Runs everything once. Returns whether the streams are those of the first configuration. */
static bool warm_up(workspace *w, const config *c) {
  bool same = true;
  size_t size;
  run(w, c, OP_MEMCPY, 0);
  for (int i = 0; i < 2; i++) {
    compress(w, c, operand(w, i)->x, i, &size);
    same &= size == w->packed_size[i] && !memcmp(w->scratch[i], w->packed[i], size);
  }
  must(ghz_add(c->ctx, packed(w, 0), packed(w, 1), w->scratch[0], w->room, &size), "ghz_add", c->ctx);
  same &= size == w->sum_size && !memcmp(w->scratch[0], w->sum, size);
  run(w, c, OP_ROUNDTRIP, 1);
  return same;
}

/* One round: all operations of all configurations. Start and stride change, so that no operation
 * always finds the caches as the same other one left them. */
static void play_round(workspace *w, const options *o, const config *configs, int n_configs, int round,
                       samples *s) {
  static_assert(OPS == 5, "strides below a prime visit every operation");
  int stride = 1 + round % (OPS - 1);
  for (int k = 0; k < n_configs; k++) {
    int c = (k + round) % n_configs;
    for (int j = 0; j < OPS; j++) {
      operation op = (operation)((round + k + j * stride) % OPS);
      s->own[c][op][round] = timed(w, &configs[c], op, round);
    }
  }
  if (!peer_name() || round >= o->zfp_runs)
    return;
  s->pack[round] = timed_pack(w, w->lattice.eb);
  s->unpack[round] = timed_unpack(w, w->lattice.eb);
}

/* ---- Statistics ------------------------------------------------------------------------------ */

/* Median over the rounds of time `base` / time `x`, corrected for the bytes that each handles. */
static double median_ratio(samples *s, const double *base, const double *x, double bytes, int n) {
  for (int i = 0; i < n; i++)
    s->buffer[i] = bytes * base[i] / x[i];
  return median(s->buffer, n);
}

static speed speed_of(samples *s, const double *seconds, double bytes, int n) {
  memcpy(s->buffer, seconds, (size_t)n * sizeof *seconds);
  double middle = median(s->buffer, n);
  return (speed){.best = 1e-9 * bytes / s->buffer[0],
                 .median = 1e-9 * bytes / middle,
                 .of_memcpy = NAN,
                 .of_one_thread = NAN,
                 .of_avx512 = NAN,
                 .of_roundtrip = NAN};
}

static void summarise(workspace *w, const config *configs, int n_configs, int runs, samples *s, cell *out) {
  for (int c = 0; c < n_configs; c++)
    for (int op = 0; op < OPS; op++) {
      double bytes = bytes_of(w, (operation)op), *x = s->own[c][op];
      int one = configs[c].one_thread, wide = configs[c].avx512;
      speed *v = &out->speeds[c][op];
      *v = speed_of(s, x, bytes, runs);
      v->of_memcpy = median_ratio(s, s->own[c][OP_MEMCPY], x, bytes / bytes_of(w, OP_MEMCPY), runs);
      v->of_roundtrip = median_ratio(s, s->own[c][OP_ROUNDTRIP], x, bytes / bytes_of(w, OP_ROUNDTRIP), runs);
      if (one >= 0)
        v->of_one_thread = median_ratio(s, s->own[one][op], x, 1, runs);
      if (wide >= 0)
        v->of_avx512 = median_ratio(s, s->own[wide][op], x, 1, runs);
    }
}

/* zfp runs on one thread in a few rounds; its medians are compared with memcpy's on one thread. */
static void summarise_peer(workspace *w, const config *configs, int n_configs, int runs, samples *s,
                           cell *out) {
  double bytes = bytes_of(w, OP_MEMCPY);
  zfp_result *z = &out->zfp;
  z->pack = speed_of(s, s->pack, bytes, runs);
  z->unpack = speed_of(s, s->unpack, bytes, runs);
  for (int c = 0; c < n_configs; c++)
    if (configs[c].threads == 1) {
      z->pack.of_memcpy = z->pack.median / out->speeds[c][OP_MEMCPY].median;
      z->unpack.of_memcpy = z->unpack.median / out->speeds[c][OP_MEMCPY].median;
      return;
    }
}

void measure_cell(workspace *w, const options *o, const config *configs, int n_configs, double bound,
                  cell *out) {
  samples *s = calloc(1, sizeof *s);
  if (!s)
    die("out of memory", "");
  *out = (cell){0};
  prepare(w, &configs[0], bound, out);
  out->same_bytes = true;
  for (int c = 0; c < n_configs; c++)
    out->same_bytes &= warm_up(w, &configs[c]);
  if (peer_name())
    out->zfp.equal_bound = peer_quality(w, w->lattice.eb);
  for (int round = 0; round < o->runs; round++)
    play_round(w, o, configs, n_configs, round, s);
  summarise(w, configs, n_configs, o->runs, s, out);
  if (peer_name()) {
    summarise_peer(w, configs, n_configs, o->zfp_runs, s, out);
    peer_equal_psnr(w, out->own.psnr, &out->zfp);
  }
  free(s);
}
