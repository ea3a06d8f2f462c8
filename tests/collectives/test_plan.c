/* test_plan.c: plans, without MPI: how a call is cut, and the order of what a rank does. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "engine/plan.h"
#include "shows.h"
#include <criterion/criterion.h>

enum { MOST_RANKS = 12, PIECES = 3, VALUES = PIECES * MOST_RANKS * GHZ_CHUNK };

/* By which all ranks order a turn: its column, if these go first, round, piece and step. */
static uint64_t key_of(const plan *p, uint32_t number) {
  const plan_turn *t = &p->turns[number];
  const uint64_t round = turn_step(p, number)->round,
                 column = t->piece / (uint32_t)(p->layout.parts * p->layout.segments);
  return (p->layout.columns_first ? column << 48 | round << 32 : round << 32) | t->piece << 8 | t->step;
}

static void check_order(const show *s, position at) {
  const ghz_shape flat = ghz_flat(VALUES);
  const layout l = {flat,
                    .piece_values = GHZ_CHUNK,
                    .type = GHZ_F32,
                    .parts = s->cut == IN_BLOCKS ? at.ranks : 1,
                    .segments = s->cut == IN_SEGMENTS  ? at.ranks
                                : s->cut == BY_HALVING ? ghz_halving_segments(at.ranks, ghz_shape_tiles(&flat))
                                                       : 1,
                    .columns_first = s->columns_first};
  plan p = {0};
  uint32_t steps = 0;
  cr_assert(ghz_plan_cut(&p, &l, NULL, NULL, at, s->build));
  for (uint32_t i = 0; i < p.piece_count; i++)
    for (unsigned k = 0; k < p.pieces[i].schedule->length; k++, steps++) {
      const plan_turn *t = &p.turns[p.pieces[i].turns[k]];
      cr_assert(t->piece == i && t->step == k, "%s, rank %d of %d: another turn", s->name, at.rank, at.ranks);
    }
  cr_expect_eq(p.turn_count, steps);
  for (uint32_t n = 1; n < p.turn_count; n++)
    cr_assert_lt(key_of(&p, n - 1), key_of(&p, n), "%s, rank %d of %d: turn %u", s->name, at.rank, at.ranks, n);
  ghz_plan_free(&p);
}

Test(plan, gives_every_step_a_turn_in_the_order_of_all_ranks) {
  for (const show *s = shows; s < shows + SHOWS; s++)
    for (int ranks = 1; ranks <= MOST_RANKS; ranks++)
      for (int rank = 0; rank < ranks; rank++)
        check_order(s, (position){rank, ranks, ranks / 2, 1});
}

/* Pieces follow each other, and together have every tile and every value. */
static void check_pieces(const ghz_shape *shape, int segments) {
  plan p = {0};
  const layout l = {*shape, .piece_values = 3 * GHZ_CHUNK, .type = GHZ_F32, .parts = 1, .segments = segments};
  cr_assert(ghz_plan_cut(&p, &l, NULL, NULL, (position){0, segments, 0, segments}, ghz_ring_allreduce));
  uint64_t tiles = 0, values = 0;
  for (uint32_t i = 0; i < p.piece_count; i++) {
    cr_expect_eq(p.pieces[i].first, tiles);
    cr_expect(p.pieces[i].tiles > 0 && p.pieces[i].tiles <= p.piece_tiles);
    tiles += p.pieces[i].tiles;
    values += ghz_piece_values(&p.pieces[i]);
  }
  cr_expect_eq(tiles, ghz_shape_tiles(shape), "%d segments, %dD: %llu tiles", segments, shape->dims,
               (unsigned long long)tiles);
  cr_expect_eq(values, ghz_shape_count(shape), "%d segments, %dD: %llu values", segments, shape->dims,
               (unsigned long long)values);
  ghz_plan_free(&p);
}

Test(plan, cuts_every_shape_into_ranges_of_tiles) {
  static const ghz_shape shapes[] = {{1, {1, 1, 0}},       {1, {1, 1, 1}},     {1, {1, 1, 1000001}},
                                     {2, {1, 1000, 1001}}, {2, {70, 33, 31}},  {2, {3, 1, 100000}},
                                     {2, {0, 5, 5}},       {3, {64, 100, 90}}, {3, {9, 17, 33}},
                                     {3, {1, 1, 1}},       {3, {100000, 1, 1}}};
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
    for (int segments = 1; segments <= 7; segments++)
      check_pieces(&shapes[i], segments);
}
