/* test_schedules.c: schedules, without MPI: played for every number of ranks, each message finds
 * its receiver, nothing waits for what never comes, every contribution is counted once, and results
 * end where they belong. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "shows.h"
#include <criterion/criterion.h>
#include <stdlib.h>

enum { MOST_RANKS = 40 };

typedef unsigned long long set; /* of contributions: one bit per rank */

typedef struct player {
  step steps[SCHEDULE_MAX_STEPS];
  schedule schedule;
  unsigned step;
  set holds;
} player;

/* A message under way, from one rank to another. */
typedef struct message {
  int from, to;
  uint32_t round;
  set carries;
  int taken;
} message;

typedef struct play {
  player players[MOST_RANKS];
  message messages[4 * MOST_RANKS * 8];
  size_t sent;
} play;

static message *find_message(play *p, int to, const step *h) {
  for (size_t i = 0; i < p->sent; i++)
    if (!p->messages[i].taken && p->messages[i].to == to && p->messages[i].from == h->peer)
      return &p->messages[i]; /* the oldest between the two: MPI keeps their order */
  return NULL;
}

/* One step of one rank; 0 if it has to wait. */
static int advance(play *p, int rank, const char *name) {
  player *me = &p->players[rank];
  if (me->step == me->schedule.length)
    return 0;
  const step *h = &me->schedule.steps[me->step];
  if (h->kind == STEP_SEND) {
    cr_assert(p->sent < sizeof p->messages / sizeof *p->messages);
    cr_assert(me->holds, "%s: rank %d sends what it does not have", name, rank);
    p->messages[p->sent++] = (message){rank, h->peer, h->round, me->holds, 0};
  } else {
    message *m = find_message(p, rank, h);
    if (!m)
      return 0;
    cr_assert_eq(m->round, h->round, "%s: rank %d has round %u, the sender %d round %u", name, rank, h->round,
                 m->from, m->round);
    if (h->kind == STEP_RECV_REDUCE)
      cr_assert_eq(me->holds & m->carries, 0, "%s: rank %d would count a contribution twice", name, rank);
    me->holds = h->kind == STEP_RECV_REDUCE ? me->holds | m->carries : m->carries;
    m->taken = 1;
  }
  me->step++;
  return 1;
}

static void check_schedule(const schedule *r, position at, const char *name) {
  cr_assert(r->length <= SCHEDULE_MAX_STEPS);
  for (unsigned i = 0; i < r->length; i++) {
    cr_assert(r->steps[i].peer >= 0 && r->steps[i].peer < at.ranks && r->steps[i].peer != at.rank,
              "%s: rank %d, peer %d", name, at.rank, r->steps[i].peer);
    cr_assert(i == 0 || r->steps[i].round >= r->steps[i - 1].round, "%s: rounds of rank %d go back", name,
              at.rank);
  }
}

/* Plays a part of the array, a segment or a block, until nobody can go on. */
static void play_part(const show *s, int ranks, int root, int parts, int part) {
  play *p = calloc(1, sizeof *p);
  set given = 0;
  for (int r = 0; r < ranks; r++) {
    position at = {r, ranks, root, parts};
    p->players[r].schedule.steps = p->players[r].steps;
    s->build(at, part, &p->players[r].schedule);
    check_schedule(&p->players[r].schedule, at, s->name);
    p->players[r].holds = has(s->gives, r, part, root) ? 1ull << r : 0;
    given |= p->players[r].holds;
  }
  for (int moved = 1; moved;) {
    moved = 0;
    for (int r = 0; r < ranks; r++)
      moved += advance(p, (r * 7 + 3) % ranks, s->name);
    for (int r = 0; r < ranks; r++)
      moved += advance(p, r, s->name);
  }
  for (int r = 0; r < ranks; r++) {
    const player *one = &p->players[r];
    cr_assert_eq(one->step, one->schedule.length, "%s: %d ranks, root %d, part %d: rank %d waits for ever",
                 s->name, ranks, root, part, r);
    cr_assert(!has(s->gets, r, part, root) || one->holds == given,
              "%s: %d ranks, root %d, part %d: rank %d has %llx, wants %llx", s->name, ranks, root, part, r,
              one->holds, given);
  }
  for (size_t i = 0; i < p->sent; i++)
    cr_assert(p->messages[i].taken, "%s: a message from %d to %d is never received", s->name,
              p->messages[i].from, p->messages[i].to);
  free(p);
}

Test(schedules, bring_everything_to_where_it_belongs) {
  for (const show *s = shows; s < shows + SHOWS; s++)
    for (int n = 1; n <= MOST_RANKS; n++)
      for (int root = 0; root < (s->gives == BY_ROOT || s->gets == BY_ROOT ? n : 1); root++)
        for (int parts = s->cut == IN_SEGMENTS || s->cut == IN_BLOCKS ? n : 1;
             parts <= (s->cut == WHOLE ? 1 : n); parts *= 2)
          for (int part = 0; part < parts; part++)
            play_part(s, n, root, parts, part);
}

/* As many segments as members, where all have work; one for arrays of a few tiles. */
Test(schedules, segments_of_halving) {
  cr_expect_eq(ghz_halving_segments(24, 1 << 20), 16);
  cr_expect_eq(ghz_halving_segments(1024, 256), 128);
  cr_expect_eq(ghz_halving_segments(1024, 1), 1);
  cr_expect_eq(ghz_halving_segments(1, 0), 1);
}

/* A ring keeps every link busy in every round; a binomial tree is no deeper than the logarithm. */
Test(schedules, shapes) {
  for (int n = 2; n <= MOST_RANKS; n++) {
    int busy[2 * MOST_RANKS] = {0};
    for (int s = 0; s < n; s++)
      for (int r = 0; r < n; r++) {
        step steps[SCHEDULE_MAX_STEPS];
        schedule path = {0, steps};
        ghz_ring_allreduce((position){r, n, 0, n}, s, &path);
        for (unsigned i = 0; i < path.length; i++)
          if (path.steps[i].kind == STEP_SEND)
            busy[path.steps[i].round]++;
      }
    for (int round = 0; round < 2 * (n - 1); round++)
      cr_assert_eq(busy[round], n, "%d ranks, round %d: %d sends", n, round, busy[round]);
    step steps[SCHEDULE_MAX_STEPS];
    schedule last = {0, steps};
    ghz_tree_bcast((position){n - 1, n, 0, 1}, 0, &last);
    cr_assert(last.steps[0].round <= 6);
  }
}
