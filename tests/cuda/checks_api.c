/* checks_api.c: calls for a device: bad arguments, limits, memory of the wrong kind. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "workplace.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Contexts ---- */
void check_bad_contexts(trial *t) {
  static const size_t operands[] = {0, GHZ_CUDA_OPERANDS + 1, SIZE_MAX};
  ghz_cuda *gpu = t->gpu;
  for (size_t i = 0; i < COUNT(operands); i++) {
    ghz_status status = ghz_cuda_create(&gpu, 1000, operands[i]);
    expect(t, status == GHZ_EINVAL && !gpu, "%zu operands: status %d", operands[i], (int)status);
    expect(t, ghz_cuda_message(NULL)[0], "%zu operands: no message", operands[i]);
    gpu = t->gpu;
  }
  ghz_status status = ghz_cuda_create(NULL, 1000, 2);
  expect(t, status == GHZ_EINVAL, "nowhere to put a context: status %d", (int)status);
  status = ghz_cuda_create(&gpu, SIZE_MAX, 2);
  expect(t, (status == GHZ_ENOMEM || status == GHZ_EINVAL) && !gpu, "SIZE_MAX values: status %d", (int)status);
  expect(t, ghz_cuda_message(NULL)[0], "SIZE_MAX values: no message");
  expect(t, ghz_cuda_built() == 1, "built without CUDA");
  ghz_cuda_free(NULL);
  for (size_t values = 0; values < 3; values++) { /* small ones are contexts too */
    status = ghz_cuda_create(&gpu, values, 1);
    if (expect(t, status == GHZ_OK && gpu, "%zu values: %s", values, ghz_cuda_message(NULL)))
      expect(t, ghz_cuda_message(gpu), "%zu values: NULL for a message", values);
    ghz_cuda_free(gpu);
  }
  expect(t, ghz_cuda_wait(NULL, t->outcome, NULL, t->stream) == GHZ_EINVAL, "wait with no context");
  expect(t, ghz_cuda_wait(t->gpu, NULL, NULL, t->stream) == GHZ_EINVAL, "wait with no outcome");
}

/* ---- Bad arguments ---- */
#define ONE(call) (1u << call)
enum {
  EVERY = (1u << CALLS) - 1,
  FROM_VALUES = ONE(COMPRESS) | ONE(SLICE_COMPRESS),
  TO_VALUES = ONE(DECOMPRESS) | ONE(DECOMPRESS_RANGE) | ONE(DECOMPRESS_BOX) | ONE(SLICE_DECOMPRESS) |
              ONE(SLICE_DECOMPRESS_INTO),
  OF_TWO = ONE(ADD) | ONE(SUBTRACT) | ONE(SUM) | ONE(MEAN) | ONE(COMBINE),
  OF_MANY = ONE(SUM) | ONE(MEAN) | ONE(COMBINE) | ONE(SLICE_SUM),
  OF_TILES = ONE(SLICE_COMPRESS) | ONE(SLICE_DECOMPRESS) | ONE(SLICE_SUM) | ONE(SLICE_DECOMPRESS_INTO),
  OF_MESSAGES = ONE(SLICE_DECOMPRESS) | ONE(SLICE_SUM) | ONE(SLICE_DECOMPRESS_INTO),
  TO_BYTES = FROM_VALUES | OF_TWO | ONE(ACCUMULATE) | ONE(SLICE_SUM),
  SHAPED = EVERY & ~ONE(RANGE)
};

/* Where bytes of the host lie. */
static uint8_t *on_host;

/* One a line: what it is, which calls it is a mistake in, the change. */
#define MISTAKES                                                                                               \
  MISTAKE(no_values, FROM_VALUES | ONE(RANGE), a->x = NULL)                                                    \
  MISTAKE(no_lattice, FROM_VALUES, a->no_lattice = 1)                                                          \
  MISTAKE(an_order_below, FROM_VALUES, a->order = -3)                                                          \
  MISTAKE(an_order_above, FROM_VALUES, a->order = 3)                                                           \
  MISTAKE(no_context, EVERY, a->gpu = NULL)                                                                    \
  MISTAKE(no_room, TO_BYTES, a->dst = NULL)                                                                    \
  MISTAKE(no_room_for_values, TO_VALUES, a->y = NULL)                                                          \
  MISTAKE(no_range, ONE(RANGE), a->range = NULL)                                                               \
  MISTAKE(no_outcome, SHAPED, a->outcome = NULL)                                                               \
  MISTAKE(type_2, EVERY & ~FROM_VALUES, a->type = (ghz_type)2)                                                 \
  MISTAKE(type_below, EVERY & ~FROM_VALUES, a->type = (ghz_type)-1)                                            \
  MISTAKE(to_type_2, TO_VALUES, a->out = (ghz_type)2)                                                          \
  MISTAKE(to_a_narrower_type, TO_VALUES, (a->type = GHZ_F64, a->out = GHZ_F32))                                \
  MISTAKE(no_stream, TO_VALUES | OF_TWO | OF_MESSAGES, a->streams[0].data = a->message.data = NULL)            \
  MISTAKE(no_second, OF_TWO | ONE(ACCUMULATE), a->streams[1].data = NULL)                                      \
  MISTAKE(no_streams, OF_MANY, a->no_streams = 1)                                                              \
  MISTAKE(no_operands, OF_MANY, a->k = 0)                                                                      \
  MISTAKE(by_0, ONE(SLICE_SUM), a->divisor = 0)                                                                \
  MISTAKE(tiles_behind, OF_TILES, (a->first = 18, a->tiles = 3))                                               \
  MISTAKE(a_tile_behind, OF_TILES, (a->first = 20, a->tiles = 1))                                              \
  MISTAKE(no_tiles_far_behind, OF_TILES, (a->first = 21, a->tiles = 0))                                        \
  MISTAKE(the_last_tile_of_all, OF_TILES, (a->first = UINT64_MAX, a->tiles = 2))                               \
  MISTAKE(tiles_without_end, OF_TILES, (a->first = 2, a->tiles = UINT64_MAX))                                  \
  MISTAKE(a_value_behind, ONE(DECOMPRESS_RANGE), (a->from = N, a->values = 1))                                 \
  MISTAKE(no_values_far_behind, ONE(DECOMPRESS_RANGE), (a->from = N + 1, a->values = 0))                       \
  MISTAKE(values_behind, ONE(DECOMPRESS_RANGE), (a->from = 1, a->values = N))                                  \
  MISTAKE(the_last_value_of_all, ONE(DECOMPRESS_RANGE), (a->from = UINT64_MAX, a->values = 2))                 \
  MISTAKE(values_without_end, ONE(DECOMPRESS_RANGE), (a->from = 2, a->values = SIZE_MAX))                      \
  MISTAKE(no_origin, ONE(DECOMPRESS_BOX), a->no_origin = 1)                                                    \
  MISTAKE(no_extent, ONE(DECOMPRESS_BOX), a->no_extent = 1)                                                    \
  MISTAKE(a_box_behind, ONE(DECOMPRESS_BOX), (a->origin[2] = 1, a->extent[2] = N))                             \
  MISTAKE(a_box_beside, ONE(DECOMPRESS_BOX), (a->origin[0] = 2, a->extent[2] = 1))                             \
  MISTAKE(tilted_values, FROM_VALUES | ONE(RANGE), (a->x += 2, a->shape = ghz_flat(N - 2)))                    \
  MISTAKE(tilted_room, TO_BYTES, (a->dst += 8, a->room -= 8))                                                  \
  MISTAKE(a_tilted_stream, TO_VALUES | OF_TWO | OF_MESSAGES, (tilt(&a->streams[0], 8), tilt(&a->message, 8)))  \
  MISTAKE(a_tilted_second, OF_TWO | ONE(ACCUMULATE), tilt(&a->streams[1], 8))                                  \
  MISTAKE(tilted_doubles, TO_VALUES, (a->out = GHZ_F64, a->y += 4))                                            \
  MISTAKE(values_on_the_host, FROM_VALUES | ONE(RANGE), a->x = on_host)                                        \
  MISTAKE(room_on_the_host, TO_BYTES, a->dst = on_host)                                                        \
  MISTAKE(room_for_values_on_the_host, TO_VALUES, a->y = on_host)                                              \
  MISTAKE(range_on_the_host, ONE(RANGE), a->range = (double *)(void *)on_host)                                 \
  MISTAKE(outcome_on_the_host, SHAPED, a->outcome = (ghz_cuda_outcome *)(void *)on_host)                       \
  MISTAKE(stream_on_the_host, TO_VALUES | OF_TWO | OF_MESSAGES,                                                \
          (a->streams[0].data = on_host, a->message.data = on_host))                                           \
  MISTAKE(second_on_the_host, OF_TWO | ONE(ACCUMULATE), a->streams[1].data = on_host)

static void tilt(ghz_bytes *s, size_t by) { *s = (ghz_bytes){(const char *)s->data + by, s->size - by}; }

#define MISTAKE(name, calls, change)                                                                           \
  static void name(arguments *a) { change; }
MISTAKES
#undef MISTAKE

static const struct {
  const char *name;
  unsigned calls;
  void (*make)(arguments *a);
} mistakes[] = {
#define MISTAKE(name, calls, change) {#name, calls, name},
    MISTAKES
#undef MISTAKE
};

/* Some calls with wrong arguments. */
static void all_refuse(trial *t, unsigned calls, const arguments *a, ghz_status why, const char *what) {
  for (int call = 0; call < CALLS; call++)
    if (calls >> call & 1)
      refuses(t, make_call((kind)call, a), why, say("%s: %s, type %d", call_names[call], what, (int)a->type));
}

static void bad_alignments(trial *t, const arguments *right) {
  const size_t each = ghz_type_size(right->type);
  for (size_t by = 1; by < 16; by++) {
    arguments a = *right;
    a.dst += by, a.room -= 16;
    tilt(&a.streams[0], by), tilt(&a.streams[1], by), tilt(&a.message, by);
    all_refuse(t, SHAPED, &a, GHZ_EINVAL, say("%zu bytes behind an alignment", by));
    if (by % each == 0)
      continue;
    a = *right;
    a.x += by, a.y += by, a.shape = ghz_flat(N - 16);
    all_refuse(t, FROM_VALUES | TO_VALUES | ONE(RANGE), &a, GHZ_EINVAL, say("values %zu bytes off", by));
  }
}

static void bad_lattices(trial *t, const arguments *right) {
  arguments bad[10];
  for (size_t i = 0; i < COUNT(bad); i++)
    bad[i] = *right;
  bad[0].lattice.type = (ghz_type)2;
  bad[1].lattice.cap = 36;
  bad[2].lattice.step = NAN;
  bad[3].lattice.step = -1;
  bad[4].lattice.step = INFINITY;
  bad[5].lattice.eb = -1;
  bad[6].lattice.eb = NAN;
  bad[7].lattice.step = 0x1p1010;
  bad[8].lattice.step = -0.0;
  bad[9].lattice.step = nextafter(right->lattice.step, 1); /* float32 admits 24 bits in fresh streams */
  for (size_t i = 0; i < (right->type == GHZ_F32 ? 10 : 9); i++)
    all_refuse(t, FROM_VALUES, &bad[i], GHZ_EINVAL, say("lattice %zu", i));
}

/* Shapes that are none, and those of bricks where values do not lie one after the other. */
static void bad_shapes(trial *t, const arguments *right) {
  static const ghz_shape bad[] = {{0, {1, 1, N}},
                                  {4, {1, 1, N}},
                                  {-1, {1, 1, N}},
                                  {1, {1, 2, N / 2}},
                                  {1, {2, 1, N / 2}},
                                  {1, {0, 1, N}},
                                  {3, {1ull << 32, 1ull << 32, 1}},
                                  {2, {3, UINT64_MAX, UINT64_MAX}}};
  arguments a = *right;
  a.from = a.values = a.first = a.tiles = 0;
  memset(a.origin, 0, sizeof a.origin);
  memset(a.extent, 0, sizeof a.extent);
  for (size_t i = 0; i < COUNT(bad); i++) {
    a.shape = bad[i];
    all_refuse(t, SHAPED, &a, GHZ_EINVAL, say("shape %zu", i));
  }
  a.shape = (ghz_shape){3, {8, 8, 16}};
  a.tiles = 1;
  all_refuse(t, ONE(SLICE_DECOMPRESS), &a, GHZ_EINVAL, "tiles of bricks one after the other");
  a.from = a.shape.extent[2], a.values = 1;
  all_refuse(t, ONE(DECOMPRESS_RANGE), &a, GHZ_EINVAL, "a range behind the first line of bricks");
}

/* Fewer bytes than an index has. */
static void little_room(trial *t, const arguments *right) {
  static const size_t rooms[] = {0, 30, 63, GHZ_SLICE_HEADER + 5, 72 + 8 * 2 + 2 * 20 - 1};
  arguments a = *right;
  for (size_t i = 0; i < COUNT(rooms); i++) {
    a.room = rooms[i];
    all_refuse(t, a.room > GHZ_SLICE_HEADER + 5 ? TO_BYTES & ~OF_TILES : TO_BYTES, &a, GHZ_ECAPACITY,
               say("room for %zu bytes", a.room));
  }
  a = *right;
  a.streams[0].size = rooms[COUNT(rooms) - 1];
  a.message.size = GHZ_SLICE_HEADER + 2 * TILES - 1;
  all_refuse(t, TO_VALUES | OF_TWO | OF_MESSAGES, &a, GHZ_ECORRUPT, "one byte fewer than an index");
}

void check_bad_arguments(trial *t) {
  for (int type = GHZ_F32; type <= GHZ_F64; type++) {
    SCOPE;
    place p = place_make(t, (ghz_type)type);
    const arguments right = right_arguments(t, &p);
    void *room = scratch(p.dst.size + 16);
    on_host = (uint8_t *)room + (16 - (uintptr_t)room % 16) % 16;
    for (size_t i = 0; i < COUNT(mistakes); i++) {
      arguments a = right;
      mistakes[i].make(&a);
      all_refuse(t, mistakes[i].calls, &a, GHZ_EINVAL, mistakes[i].name);
    }
    bad_alignments(t, &right);
    bad_lattices(t, &right);
    bad_shapes(t, &right);
    little_room(t, &right);
    place_free(t, &p);
  }
}

/* ---- Limits of the context ---- */
/* Slices may be of arrays that are larger than the context; so may arrays whose range is sought. */
static void small_slice(trial *t, const place *p) {
  SCOPE;
  operation o = {.kind = SLICE_COMPRESS,
                 .lattice = p->lattice,
                 .order = -1,
                 .x = p->values,
                 .n = N,
                 .first = FIRST,
                 .tiles = TILES - 1};
  agree(t, &o, "a slice of an array larger than the context");
  agree_range(t, p->lattice.type, p->values, N, 0, "the range of an array larger than the context");
}

void check_set_up_limits(trial *t) {
  place p = place_make(t, GHZ_F32);
  ghz_cuda *large = t->gpu;
  size_t few = N - GHZ_CHUNK;
  ghz_status status = ghz_cuda_create(&t->gpu, few, 2);
  if (!expect(t, status == GHZ_OK, "a small context: %s", ghz_cuda_message(NULL))) {
    t->gpu = large;
    return;
  }
  arguments a = right_arguments(t, &p);
  a.first = 0, a.tiles = (N + 1023) / 1024;
  all_refuse(t, (SHAPED & ~(TO_VALUES | ONE(SLICE_SUM))) | ONE(DECOMPRESS), &a, GHZ_ECAPACITY,
             "too many values");
  a.shape = ghz_flat(SIZE_MAX);
  all_refuse(t, ONE(COMPRESS), &a, GHZ_ECAPACITY, "SIZE_MAX values");
  all_refuse(t, ONE(SLICE_COMPRESS), &a, GHZ_EINVAL, "some of SIZE_MAX values");
  a.shape = ghz_flat(few);
  a.k = 3;
  all_refuse(t, ONE(SUM) | ONE(MEAN) | ONE(COMBINE), &a, GHZ_ECAPACITY, "too many operands");
  small_slice(t, &p);
  void *x = input_make(&inputs[0], GHZ_F32, few, p.lattice.step, 3);
  operation o = {.kind = COMPRESS, .lattice = p.lattice, .order = -1, .x = x, .n = few};
  agree(t, &o, "as many values as the context is for");
  ref_bytes pair[2] = {compress(t->cpu, &p.lattice, 1, x, few), compress(t->cpu, &p.lattice, 2, x, few)};
  o = (operation){.kind = ADD, .lattice = p.lattice, .n = few, .k = 2, .operands = pair};
  agree(t, &o, "as many operands as the context is for");
  ghz_cuda_free(t->gpu);
  t->gpu = large;
  a = right_arguments(t, &p);
  a.k = COUNT(a.streams);
  for (size_t i = 0; i < a.k; i++)
    a.streams[i] = a.streams[0];
  all_refuse(t, ONE(SUM), &a, GHZ_ECAPACITY, "more operands than any context is for");
  place_free(t, &p);
}
