/* test_schedules.c: schedules, without MPI: played for every number of ranks, each message finds
 * its receiver, nothing waits for what never comes, every contribution is counted once, and results
 * end where they belong. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "schedules/schedule.h"
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

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

static int segments = 1; /* that halving cuts into */

/* Plays a segment until nobody can go on. `gives`: the ranks that have something at first. */
static play *played(schedule_builder find, const char *name, int ranks, int root, int segment, set gives) {
  play *p = calloc(1, sizeof *p);
  for (int r = 0; r < ranks; r++) {
    position at = {r, ranks, root, segments};
    p->players[r].schedule.steps = p->players[r].steps;
    find(at, segment, &p->players[r].schedule);
    check_schedule(&p->players[r].schedule, at, name);
    p->players[r].holds = gives & 1ull << r;
  }
  for (int moved = 1; moved;) {
    moved = 0;
    for (int r = 0; r < ranks; r++)
      moved += advance(p, (r * 7 + 3) % ranks, name);
    for (int r = 0; r < ranks; r++)
      moved += advance(p, r, name);
  }
  for (int r = 0; r < ranks; r++)
    cr_assert_eq(p->players[r].step, p->players[r].schedule.length,
                 "%s: %d ranks, root %d, segment %d: rank %d waits for ever", name, ranks, root, segment, r);
  for (size_t i = 0; i < p->sent; i++)
    cr_assert(p->messages[i].taken, "%s: a message from %d to %d is never received", name, p->messages[i].from,
              p->messages[i].to);
  return p;
}

static set all(int ranks) { return (1ull << ranks) - 1; }

/* wants[rank] is what each rank must have in the end; 0: it does not matter. */
static void expect(schedule_builder find, const char *name, int ranks, int root, int segment, set gives,
                   const set *wants) {
  play *p = played(find, name, ranks, root, segment, gives);
  for (int r = 0; r < ranks; r++)
    if (wants[r])
      cr_assert_eq(p->players[r].holds, wants[r],
                   "%s: %d ranks, root %d, segment %d: rank %d has %llx, wants %llx", name, ranks, root,
                   segment, r, p->players[r].holds, wants[r]);
  free(p);
}

static void everywhere(set *wants, int ranks, set what) {
  for (int r = 0; r < ranks; r++)
    wants[r] = what;
}

static void only(set *wants, int ranks, int at, set what) {
  everywhere(wants, ranks, 0);
  wants[at] = what;
}

Test(schedules, allreduce) {
  set wants[MOST_RANKS];
  for (int n = 1; n <= MOST_RANKS; n++) {
    everywhere(wants, n, all(n));
    for (int s = 0; s < n; s++)
      expect(ghz_ring_allreduce, "ring", n, 0, s, all(n), wants);
    for (segments = 1; segments <= n; segments *= 2)
      for (int s = 0; s < segments; s++)
        expect(ghz_halving_allreduce, "halving", n, 0, s, all(n), wants);
  }
}

Test(schedules, reduce) {
  set wants[MOST_RANKS];
  for (int n = 1; n <= MOST_RANKS; n++)
    for (int root = 0; root < n; root++) {
      only(wants, n, root, all(n));
      expect(ghz_tree_reduce, "tree reduce", n, root, 0, all(n), wants);
      for (int s = 0; s < n; s += 3)
        expect(ghz_ring_reduce, "ring reduce", n, root, s, all(n), wants);
    }
}

Test(schedules, blocks_to_their_ranks) {
  set wants[MOST_RANKS];
  for (int n = 1; n <= MOST_RANKS; n++)
    for (int b = 0; b < n; b++) {
      only(wants, n, b, all(n));
      expect(ghz_ring_reduce_scatter, "reduce-scatter", n, 0, b, all(n), wants);
      everywhere(wants, n, 1ull << b);
      expect(ghz_ring_allgather, "allgather", n, 0, b, 1ull << b, wants);
    }
}

Test(schedules, rooted) {
  set wants[MOST_RANKS];
  for (int n = 1; n <= MOST_RANKS; n++)
    for (int root = 0; root < n; root++) {
      everywhere(wants, n, 1ull << root);
      expect(ghz_tree_bcast, "tree bcast", n, root, 0, 1ull << root, wants);
      expect(ghz_chain_bcast, "chain bcast", n, root, 0, 1ull << root, wants);
      for (int b = 0; b < n; b++) {
        only(wants, n, b, 1ull << root);
        expect(ghz_tree_scatter, "tree scatter", n, root, b, 1ull << root, wants);
        expect(ghz_linear_scatter, "linear scatter", n, root, b, 1ull << root, wants);
        only(wants, n, root, 1ull << b);
        expect(ghz_tree_gather, "tree gather", n, root, b, 1ull << b, wants);
        expect(ghz_linear_gather, "linear gather", n, root, b, 1ull << b, wants);
      }
    }
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
