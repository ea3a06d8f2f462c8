/* update.c: compression of an array of which a stream has most values: what did not change
 * stays. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "compress.h"
#include "context/call.h"
#include "context/floating.h"
#include "lattice.h"
#include "rules/lattice_rules.h"
#include "stream/tile_writer.h"

typedef struct update_job {
  const tile_codec *tiles;
  const compression *what;
  const stream_operand *old;
} update_job;

static ghz_status update_tile(const void *job, made_tile *t) {
  const update_job *j = job;
  const compression *w = j->what;
  const tile_place place = place_in(w->shape, &t->at->extent);
  const size_t at = offset_of(w->shape, t->at->origin) * value_bytes(w->lattice->type);
  const old_tile old = {&j->old->slice.lattice, t->src[0]};
  return j->tiles->update(w->lattice, w->order, &place, (const uint8_t *)w->x + at, &old, t->dst, &t->size);
}

/* ---- The lattice ----------------------------------------------------------------------------- */

static int keeps_its_bound(const ghz_lattice *l) {
  return l->step != 0 && !is_grid(l);
}

/* The old lattice, its step times a power of two: the largest that keeps the bound of the one that
 * is asked for. So integers of one are integers of the next, or of the one before. A stream that
 * was scaled lies on none that arrays are compressed on: then its values are those of any array. */
static ghz_lattice nested_lattice(const ghz_lattice *old, const ghz_lattice *asked) {
  ghz_lattice nested = *old;
  int have, want;
  if (!ghz_lattice_fresh(old) || !keeps_its_bound(old) || !keeps_its_bound(asked))
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

ghz_status ghz_update(ghz_context *ctx, ghz_bytes old, const ghz_lattice *lattice, const void *x, void *dst,
                      size_t capacity, size_t *size) {
  GHZ_CALL(ctx);
  stream_operand of;
  ghz_slice *s = &of.slice;
  if (!size || !dst)
    return ghz_fail(ctx, GHZ_EINVAL, "%s is NULL", dst ? "size" : "dst");
  ghz_status status = ghz_stream_open(ctx, old, s);
  if (status == GHZ_OK)
    status = check(ctx, s, lattice);
  if (status != GHZ_OK)
    return status;
  floating_environment env;
  floating_begin(&env);
  const ghz_lattice l = nested_lattice(&s->lattice, lattice);
  const compression c = {
      &l, s->shape.dims == 1 || s->transform ? GHZ_ORDER_BEST : GHZ_ORDER_LORENZO, x, &s->shape, 0, s->tiles};
  const update_job job = {ctx->tiles, &c, &of};
  const tile_writer writer = {&job, update_tile, ghz_tile_bound(s->shape.dims, l.type, 1, 0), 1, &of, 1, 0};
  status = ghz_compression_check(ctx, &c);
  ghz_slice result = ghz_compression_header(&c);
  if (status == GHZ_OK)
    status = ghz_write_tiles(ctx, &writer, &result, &(destination){ghz_stream_layout, dst, capacity});
  floating_end(&env);
  if (status == GHZ_OK)
    *size = ghz_stream_finish(&result, dst);
  return status;
}
