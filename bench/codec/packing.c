/* packing.c: owns what packing does to streams: ratio and speed by level, one thread. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "codec.h"
#include "file/pack.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* An array, its stream, and room for all that is made of these. */
typedef struct packed_stream {
  ghz_context *ctx;
  const field *values;
  const ghz_shape *shape;
  ghz_lattice lattice;
  uint8_t *stream, *frame;
  memory back;
  float *y;
  size_t room, size, capacity, frame_size;
  double bytes; /* of the values */
} packed_stream;

enum { COMPRESS, DECOMPRESS, PACK, UNPACK, STEPS };

/* What a level makes of a stream. */
typedef struct level_figures {
  double gain;
  double seconds[STEPS];
} level_figures;

/* Of all streams at a level, by an instruction set. */
typedef struct level_total {
  double log_gain, bytes, values;      /* bytes of streams, of values */
  double seconds[STEPS], least[STEPS]; /* speed of the slowest, in GB/s of values */
  int streams;
} level_total;

static void run_step(packed_stream *s, int level, int step) {
  ghz_context *ctx = s->ctx;
  const ghz_bytes frame = {s->frame, s->frame_size};
  size_t size;
  if (step == COMPRESS)
    must(ghz_compress_shape(ctx, &s->lattice, GHZ_ORDER_BEST, s->values->x, s->shape, s->stream, s->room,
                            &s->size),
         "compressing", ctx);
  else if (step == DECOMPRESS)
    must(ghz_decompress(ctx, (ghz_bytes){s->stream, s->size}, GHZ_F32, s->y, s->values->n), "decompressing",
         ctx);
  else if (step == PACK)
    must(ghz_pack(ctx, (ghz_bytes){s->stream, s->size}, level, s->frame, s->capacity, &s->frame_size),
         "packing", ctx);
  else
    must(ghz_unpack_frame(ctx, 1, frame, s->size, &s->back, &size), "unpacking", ctx);
}

static packed_stream make_stream(ghz_context *ctx, const field *f, const ghz_shape *shape, double bound) {
  const void *x = f->x;
  packed_stream s = {.ctx = ctx, .values = f, .shape = shape, .bytes = (double)f->n * sizeof(float)};
  s.room = ghz_shape_bound(shape, GHZ_F32, 1);
  s.stream = touched(s.room);
  s.y = touched(f->n * sizeof *s.y);
  must(ghz_lattice_for(ctx, GHZ_F32, (ghz_bound){GHZ_REL, bound}, NULL, 1, &x, f->n, &s.lattice), "a lattice",
       ctx);
  run_step(&s, 0, COMPRESS);
  s.capacity = ghz_pack_bound(s.size);
  s.frame = touched(s.capacity);
  s.back = (memory){touched(s.size), s.size};
  return s;
}

static void free_stream(packed_stream *s) {
  free(s->stream);
  free(s->frame);
  memory_free(&s->back);
  free(s->y);
}

/* Medians of all rounds. What is short is done several times in a round. */
static level_figures measure_level(const options *o, packed_stream *s, int level) {
  static double taken[STEPS][MAX_RUNS];
  level_figures f;
  for (int round = -1; round < o->runs; round++) /* the first one warms up */
    for (int step = 0; step < STEPS; step++) {
      const int times = step < PACK || s->size > 4000000 ? 1 : (int)(4000000 / s->size) + 1;
      const double start = clock_seconds();
      for (int i = 0; i < times; i++)
        run_step(s, level, step);
      taken[step][round < 0 ? 0 : round] = (clock_seconds() - start) / times;
    }
  if (memcmp(s->back.data, s->stream, s->size) != 0)
    die("packing", "the stream did not come back");
  for (int step = 0; step < STEPS; step++)
    f.seconds[step] = median(taken[step], o->runs);
  f.gain = (double)s->size / (double)s->frame_size;
  return f;
}

static void add_figures(level_total *t, const level_figures *f, const packed_stream *s) {
  t->log_gain += log(f->gain);
  t->bytes += (double)s->size;
  t->values += s->bytes;
  for (int step = 0; step < STEPS; step++) {
    const double speed = 1e-9 * s->bytes / f->seconds[step];
    t->seconds[step] += f->seconds[step];
    t->least[step] = t->streams == 0 ? speed : fmin(t->least[step], speed);
  }
  t->streams++;
}

static void print_level(const packed_stream *s, const level_figures *f) {
  const double *t = f->seconds, values = 1e-9 * s->bytes, stream = 1e-6 * (double)s->size;
  printf(" | %8.2f %6.3f %7.0f %7.0f %7.2f %7.2f %7.2f %7.2f %7.2f %7.2f\n", s->bytes / (double)s->frame_size,
         f->gain, stream / t[PACK], stream / t[UNPACK], values / t[PACK], values / t[UNPACK],
         values / t[COMPRESS], values / (t[COMPRESS] + t[PACK]), values / t[DECOMPRESS],
         values / (t[DECOMPRESS] + t[UNPACK]));
}

static void measure_stream(const options *o, ghz_context *ctx, const field *f, const ghz_shape *shape,
                           double bound, level_total *totals) {
  packed_stream s = make_stream(ctx, f, shape, bound);
  for (int i = 0; i < o->levels.n; i++) {
    const level_figures l = measure_level(o, &s, (int)o->levels.x[i]);
    printf("%-16s %-6s %6.0e %-6s %8.2f | %5.0f", f->name, shape->dims == 1 ? "flat" : "shaped", bound,
           ghz_context_isa(ctx), s.bytes / (double)s.size, o->levels.x[i]);
    print_level(&s, &l);
    add_figures(&totals[i], &l, &s);
  }
  fflush(stdout);
  free_stream(&s);
}

static void print_head(const options *o) {
  printf("libghz %s: packed streams, one thread, medians of %d rounds.\n"
         "MB/s of bytes of the stream, then GB/s of values; +: with packing, with unpacking.\n"
         "%-37s %8s | %5s | %8s %6s %7s %7s %7s %7s %7s %7s %7s %7s\n",
         ghz_version(), o->runs, "", "ratio", "level", "ratio", "gain", "pack", "unpack", "pack", "unpack",
         "compr.", "+", "decomp.", "+");
}

static void print_totals(const options *o, const char *isa, const level_total *totals) {
  for (int i = 0; i < o->levels.n; i++) {
    const level_total *t = &totals[i];
    if (t->streams)
      printf(
          "%s, level %.0f: gain %.3f (geometric mean); pack %.0f MB/s of all streams, %.2f GB/s of all values "
          "and %.2f at least; unpack %.0f, %.2f and %.2f\n",
          isa, o->levels.x[i], exp(t->log_gain / t->streams), 1e-6 * t->bytes / t->seconds[PACK],
          1e-9 * t->values / t->seconds[PACK], t->least[PACK], 1e-6 * t->bytes / t->seconds[UNPACK],
          1e-9 * t->values / t->seconds[UNPACK], t->least[UNPACK]);
  }
}

static void measure_field(const options *o, const field *f, level_total totals[LIST_MAX][LIST_MAX]) {
  const ghz_shape shapes[2] = {field_shape(f), ghz_flat(f->n)};
  for (int k = 0; k < 1 + (shapes[0].dims > 1); k++)
    for (int b = 0; b < o->bounds.n; b++)
      for (int i = 0; i < o->isas.n; i++) {
        ghz_context *ctx = isa_context(o->isas.word[i], 1);
        if (ctx)
          measure_stream(o, ctx, f, &shapes[k], o->bounds.x[b], totals[i]);
        ghz_context_free(ctx);
      }
}

void packing_run(const options *o, pair *pairs, int n_pairs) {
  static level_total totals[LIST_MAX][LIST_MAX];
  for (int i = 0; i < o->levels.n; i++)
    if (!ghz_pack_available((int)o->levels.x[i]))
      die("packing", "this build has no libzstd, by which level 1 packs");
  print_head(o);
  for (int i = 0; i < n_pairs; i++) {
    pair_load(&pairs[i]);
    measure_field(o, &pairs[i].a, totals);
    pair_free(&pairs[i]);
  }
  for (int i = 0; i < o->isas.n; i++)
    print_totals(o, o->isas.word[i], totals[i]);
}
