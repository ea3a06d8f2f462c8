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
const char *const cpu_forms[FORMS] = {"flat", "shaped"};

typedef struct buffer {
  unsigned char *data;
  size_t size;
} buffer;

/* Buffers for one pair. `packed` and `sum` keep the streams; timed calls write to `out` or
 * `scratch`. */
struct workspace {
  const pair *pair;
  size_t n, bytes, room, repeats;
  ghz_shape shape[FORMS];
  int n_forms;
  float *out[2];
  buffer packed[FORMS][2], sum[FORMS];
  unsigned char *scratch[2];
  ghz_lattice lattice;
  double low, high, range; /* of both operands */
};

/* Seconds per operation: [configuration][operation][round]. */
typedef struct samples {
  double own[MAX_CONFIGS][OPS][MAX_RUNS];
  double buffer[MAX_RUNS]; /* for medians */
} samples;

workspace *workspace_make(const pair *p, bool quick) {
  workspace *w = calloc(1, sizeof *w);
  if (!w)
    die("out of memory", "");
  w->pair = p;
  w->n = p->a.n;
  w->bytes = p->a.n * sizeof(float);
  w->repeats = quick || w->bytes >= SAMPLE_BYTES ? 1 : SAMPLE_BYTES / w->bytes;
  w->shape[FLAT] = ghz_flat(w->n);
  w->shape[SHAPED] = field_shape(&p->a);
  w->n_forms = w->shape[SHAPED].dims > 1 ? 2 : 1;
  for (int form = 0; form < w->n_forms; form++) {
    size_t room = ghz_shape_bound(&w->shape[form], GHZ_F32, 2);
    w->room = room > w->room ? room : w->room;
  }
  for (int i = 0; i < 2; i++) {
    w->out[i] = touched(w->bytes);
    w->scratch[i] = touched(w->room);
  }
  return w;
}

/* Keeps a copy of the first scratch buffer. */
static void keep(workspace *w, buffer *to, size_t size) {
  free(to->data);
  *to = (buffer){touched(size), size};
  memcpy(to->data, w->scratch[0], size);
}

static void free_streams(workspace *w) {
  for (int form = 0; form < FORMS; form++) {
    free(w->packed[form][0].data);
    free(w->packed[form][1].data);
    free(w->sum[form].data);
  }
}

void workspace_free(workspace *w) {
  for (int i = 0; i < 2; i++) {
    free(w->out[i]);
    free(w->scratch[i]);
  }
  free_streams(w);
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
  must(ghz_compress_shape(c->ctx, &w->lattice, GHZ_ORDER_BEST, x, &w->shape[c->form], w->scratch[to], w->room,
                          size),
       "ghz_compress_shape", c->ctx);
}

static ghz_bytes bytes_in(const buffer *b) {
  return (ghz_bytes){b->data, b->size};
}

static void decompress(workspace *w, const config *c, int i) {
  must(ghz_decompress(c->ctx, bytes_in(&w->packed[c->form][i]), GHZ_F32, w->out[i], w->n), "ghz_decompress",
       c->ctx);
}

static void add(workspace *w, const config *c, int to, size_t *size) {
  const buffer *operands = w->packed[c->form];
  must(ghz_add(c->ctx, bytes_in(&operands[0]), bytes_in(&operands[1]), w->scratch[to], w->room, size),
       "ghz_add", c->ctx);
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
    add(w, c, to, &size);
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

/* ---- One cell -------------------------------------------------------------------------------- */

static void set_bound(workspace *w, double bound) {
  must(ghz_lattice_make(GHZ_F32, (ghz_bound){GHZ_REL, bound}, w->low, w->high, &w->lattice), "ghz_lattice_make",
       NULL);
}

/* Makes the lattice of the joint range. */
static void make_lattice(workspace *w, const config *c, double bound) {
  double min[2], max[2];
  for (int i = 0; i < 2; i++)
    must(ghz_range(c->ctx, GHZ_F32, operand(w, i)->x, w->n, &min[i], &max[i]), "ghz_range", c->ctx);
  w->low = fmin(min[0], min[1]);
  w->high = fmax(max[0], max[1]);
  w->range = w->high - w->low;
  set_bound(w, bound);
  if (!(w->lattice.step > 0))
    die("no range that a bound could be relative to", w->pair->name);
}

/* Makes both streams and their sum; measures their quality. */
static form_result make_streams(workspace *w, const config *c) {
  form_result r;
  buffer *packed = w->packed[c->form], *sum = &w->sum[c->form];
  size_t size;
  for (int i = 0; i < 2; i++) {
    compress(w, c, operand(w, i)->x, 0, &size);
    keep(w, &packed[i], size);
    decompress(w, c, i);
  }
  add(w, c, 0, &size);
  keep(w, sum, size);
  r.own = quality_of(w->pair, w->out, packed[0].size + packed[1].size, w->lattice.eb, w->range);
  r.sum_ratio = (double)w->bytes / (double)size;
  r.sum_error = quality_of_sum(c->ctx, w->pair, bytes_in(sum));
  return r;
}

static bool same(const workspace *w, size_t size, const buffer *b) {
  return size == b->size && !memcmp(w->scratch[0], b->data, size);
}

/* Runs everything once. Returns whether the streams are those of the first configuration. */
static bool warm_up(workspace *w, const config *c) {
  bool all = true;
  size_t size;
  run(w, c, OP_MEMCPY, 0);
  for (int i = 0; i < 2; i++) {
    compress(w, c, operand(w, i)->x, 0, &size);
    all &= same(w, size, &w->packed[c->form][i]);
  }
  add(w, c, 0, &size);
  all &= same(w, size, &w->sum[c->form]);
  run(w, c, OP_ROUNDTRIP, 1);
  return all;
}

/* One round: all operations of all configurations. Start and stride change, so that no operation
 * always finds the caches as the same other one left them. */
static void play_round(workspace *w, const config *configs, int n_configs, int round, samples *s) {
  static_assert(OPS == 5, "strides below a prime visit every operation");
  int stride = 1 + round % (OPS - 1);
  for (int k = 0; k < n_configs; k++) {
    int c = (k + round) % n_configs;
    for (int j = 0; j < OPS; j++) {
      operation op = (operation)((round + k + j * stride) % OPS);
      s->own[c][op][round] = timed(w, &configs[c], op, round);
    }
  }
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
                 .of_roundtrip = NAN,
                 .of_flat = NAN};
}

static void summarise(workspace *w, const config *configs, int n_configs, int runs, samples *s, cell *out) {
  for (int c = 0; c < n_configs; c++)
    for (int op = 0; op < OPS; op++) {
      double bytes = bytes_of(w, (operation)op), *x = s->own[c][op];
      int one = configs[c].one_thread, wide = configs[c].avx512, flat = configs[c].flat;
      speed *v = &out->speeds[c][op];
      *v = speed_of(s, x, bytes, runs);
      v->of_memcpy = median_ratio(s, s->own[c][OP_MEMCPY], x, bytes / bytes_of(w, OP_MEMCPY), runs);
      v->of_roundtrip = median_ratio(s, s->own[c][OP_ROUNDTRIP], x, bytes / bytes_of(w, OP_ROUNDTRIP), runs);
      if (one >= 0)
        v->of_one_thread = median_ratio(s, s->own[one][op], x, 1, runs);
      if (wide >= 0)
        v->of_avx512 = median_ratio(s, s->own[wide][op], x, 1, runs);
      if (flat >= 0)
        v->of_flat = median_ratio(s, s->own[flat][op], x, 1, runs);
    }
}

void measure_cell(workspace *w, const options *o, const config *configs, int n_configs, double bound,
                  cell *out) {
  samples *s = calloc(1, sizeof *s);
  if (!s)
    die("out of memory", "");
  make_lattice(w, configs, bound);
  *out = (cell){.pair = w->pair, .bound = bound, .eb = w->lattice.eb, .n_forms = w->n_forms};
  out->same_bytes = true;
  n_configs = n_configs / FORMS * w->n_forms;
  for (int form = 0; form < w->n_forms; form++)
    out->forms[form] = make_streams(w, &configs[n_configs / w->n_forms * form]);
  for (int c = 0; c < n_configs; c++)
    out->same_bytes &= warm_up(w, &configs[c]);
  for (int round = 0; round < o->runs; round++)
    play_round(w, configs, n_configs, round, s);
  summarise(w, configs, n_configs, o->runs, s, out);
  free(s);
}
