/* test_plan.c: plans, without MPI: how much a rank has to do with each piece of a call. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "engine/plan.h"
#include "shows.h"
#include <criterion/criterion.h>

enum { MOST_RANKS = 12, PIECES = 3, VALUES = PIECES * GHZ_CHUNK };

static uint8_t somewhere[1];

/* With blocks of PIECES pieces each, of which this rank has some in a buffer: it begins with those
 * that it sends, and goes on with what it receives. */
static void check_events(position at, schedule_builder build, const int *sends, const int *receives) {
  const layout l = {ghz_flat(VALUES), .piece_values = GHZ_CHUNK, .type = GHZ_F32, .parts = at.ranks,
                    .segments = 1};
  plan p = {0};
  size_t starts = 0;
  cr_assert(ghz_plan_cut(&p, &l, NULL, NULL, at, build));
  for (int b = 0; b < at.ranks; b++) {
    part_lies(&p.parts[b], sends[b] ? somewhere : NULL, receives[b] ? somewhere : NULL);
    starts += sends[b] ? PIECES : 0;
  }
  cr_assert(ghz_plan_order(&p));
  cr_expect_eq(p.event_count, p.receive_count + starts, "rank %d of %d, root %d: %zu events, %zu receives",
               at.rank, at.ranks, at.root, p.event_count, p.receive_count);
  ghz_plan_free(&p);
}

static void check_blocks(const show *s, position at) {
  int sends[MOST_RANKS], receives[MOST_RANKS];
  for (int b = 0; b < at.ranks; b++) {
    sends[b] = has(s->gives, at.rank, b, at.root);
    receives[b] = has(s->gets, at.rank, b, at.root);
  }
  check_events(at, s->build, sends, receives);
}

/* Blocks that pass by a rank cost it nothing: not one turn of the engine. */
Test(plan, has_no_events_for_the_blocks_of_others) {
  for (const show *s = shows; s < shows + SHOWS; s++)
    for (int ranks = 1; ranks <= MOST_RANKS && s->cut == IN_BLOCKS && s->gives != BY_ALL; ranks++)
      for (int root = 0; root < ranks; root++)
        for (int rank = 0; rank < ranks; rank++)
          check_blocks(s, (position){rank, ranks, root, 1});
}

/* Gathered in place, the root's block stays where it is. */
Test(plan, has_a_start_for_a_block_that_stays) {
  const int sends[] = {1, 0, 0}, receives[] = {0, 1, 1};
  check_events((position){0, 3, 0, 1}, ghz_linear_gather, sends, receives);
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
