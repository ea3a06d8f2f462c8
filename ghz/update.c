/* update.c: compression of an array of which a stream has most values: what did not change
 * stays. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "compress.h"
#include "context/call.h"
#include "context/floating.h"
#include "lattice.h"
#include "rules/lattice_rules.h"
#include "stream/stream.h"
#include "stream/tile_writer.h"

/* A cache line for each thread's cursor. */
enum { CURSOR_ROOM = 128 };

typedef struct update_job {
  const tile_codec *tiles;
  const compression *what;
  stream_operand old;
  uint8_t *cursors;
} update_job;

static tile_cursor *cursor_of(const update_job *j, const chunk *c) {
  return (tile_cursor *)(void *)(j->cursors + (size_t)c->thread * CURSOR_ROOM);
}

static void update_begin(const void *job, const chunk *c) {
  const update_job *j = job;
  *cursor_of(j, c) = cursor_at(&j->old, c->index);
}

static ghz_status update_tile(const void *job, const chunk *c, const tile_walk *tile, uint8_t *dst,
                              size_t *size, int *inexact) {
  const update_job *j = job;
  const compression *w = j->what;
  const ghz_slice *slice = &j->old.slice;
  const tile_place place = place_in(w->shape, &tile->extent);
  const size_t at = offset_of(w->shape, tile->origin) * value_bytes(w->lattice->type);
  const old_tile old = {&slice->lattice, cursor_next(cursor_of(j, c), slice)};
  (void)inexact;
  return j->tiles->update(w->lattice, w->order, &place, (const uint8_t *)w->x + at, &old, dst, size);
}

/* Those that compression makes, and old ones. */
static ghz_status run(ghz_context *ctx, const compression *c, const ghz_slice *old, const destination *to,
                      ghz_slice *result) {
  update_job job = {.tiles = ctx->tiles, .what = c};
  const tile_writer writer = {&job, update_begin, update_tile,
                              ghz_tile_bound(c->shape->dims, c->lattice->type, 1, 0)};
  size_t extra = 0;
  void *scratch;
  const size_t cursors = (size_t)ghz_write_tiles_threads(ctx, c->tiles) * CURSOR_ROOM;
  if (!ghz_total_add(&extra, cursors, 1) || !ghz_total_add(&extra, CURSOR_ROOM, 1) ||
      !ghz_write_tiles_scratch(ctx, &writer, c->tiles, &extra))
    return ghz_fail(ctx, GHZ_ENOMEM, "no scratch for %llu tiles", (ull)c->tiles);
  ghz_status status = ghz_operand_open(ctx, old, &job.old, extra, &scratch);
  if (status != GHZ_OK)
    return status;
  job.cursors = (uint8_t *)scratch + (-(uintptr_t)scratch & (CURSOR_ROOM - 1));
  return ghz_write_tiles(ctx, &writer, result, to, job.cursors + cursors);
}

/* ---- The lattice ----------------------------------------------------------------------------- */

static int keeps_its_bound(const ghz_lattice *l) {
  return l->step != 0 && !is_grid(l);
}

/* The old lattice, its step times a power of two: the largest that keeps the bound of the one that
 * is asked for. So integers of one are integers of the next, or of the one before. */
static ghz_lattice nested_lattice(const ghz_lattice *old, const ghz_lattice *asked) {
  ghz_lattice nested = *old;
  int have, want;
  if (!keeps_its_bound(old) || !keeps_its_bound(asked))
    return *asked;
  const double a = frexp(old->eb, &have), b = frexp(asked->eb, &want);
  const int power = want - have - (b < a);
  nested.step = ldexp(old->step, power);
  nested.eb = ldexp(old->eb, power);
  return ghz_lattice_fresh(&nested) ? nested : *asked;
}

static ghz_status check(ghz_context *ctx, const ghz_slice *old, const ghz_lattice *l) {
  if (old->terms != 1 || old->inexact)
    return ghz_fail(ctx, GHZ_EINVAL, "the stream is a sum of %u terms, not an array that was compressed",
                    old->terms);
  if (is_integer(old->lattice.type))
    return ghz_fail(ctx, GHZ_EINVAL, "a stream of integers does not drift: compress them");
  if (!l || !ghz_lattice_fresh(l))
    return ghz_fail(ctx, GHZ_EINVAL, "%s", l ? "the lattice is none to compress on" : "lattice is NULL");
  if (l->type != old->lattice.type || l->cap != old->lattice.cap || !fills_equal(l, &old->lattice))
    return ghz_fail(ctx, GHZ_EMISMATCH, "the lattice has another type, cap or fill value than the stream");
  return GHZ_OK;
}

/* A stream that was scaled lies on none that arrays are compressed on: then its values are those of
 * any array. */
static ghz_lattice choose_lattice(const ghz_lattice *old, const ghz_lattice *asked) {
  return ghz_lattice_fresh(old) ? nested_lattice(old, asked) : *asked;
}

ghz_status ghz_update(ghz_context *ctx, ghz_bytes old, const ghz_lattice *lattice, const void *x, void *dst,
                      size_t capacity, size_t *size) {
  GHZ_CALL(ctx);
  ghz_slice s;
  if (!size || !dst)
    return ghz_fail(ctx, GHZ_EINVAL, "%s is NULL", dst ? "size" : "dst");
  ghz_status status = ghz_stream_open(ctx, old, &s);
  if (status == GHZ_OK)
    status = check(ctx, &s, lattice);
  if (status != GHZ_OK)
    return status;
  floating_environment env;
  floating_begin(&env);
  const ghz_lattice l = choose_lattice(&s.lattice, lattice);
  const compression c = {
      &l, s.shape.dims == 1 || s.transform ? GHZ_ORDER_BEST : GHZ_ORDER_LORENZO, x, &s.shape, 0, s.tiles};
  status = ghz_compression_check(ctx, &c);
  ghz_slice result = ghz_compression_header(&c);
  if (status == GHZ_OK)
    status = run(ctx, &c, &s, &(destination){ghz_stream_layout, dst, capacity}, &result);
  floating_end(&env);
  if (status == GHZ_OK)
    *size = ghz_stream_finish(&result, dst);
  return status;
}
