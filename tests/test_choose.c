/* test_choose.c: the automatic choice, played against made-up networks: it finds the best way, leaves alone what cannot be
 * good, and notices when the world changes. */

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "choose.h"

static const candidate ways[3] = {
    {GHZ_MPI_RING, GHZ_MPI_HOMOMORPHIC}, {GHZ_MPI_RING, GHZ_MPI_PLAIN}, {GHZ_MPI_NATIVE, GHZ_MPI_PLAIN}};

/* What each way takes, and how much that varies; what compressing tells of the network. */
typedef struct world {
  double seconds[3], noise, plain_seconds, agreeing;
  unsigned state;
} world;

static double chance(world *w) {
  w->state = w->state * 1664525u + 1013904223u;
  return (w->state >> 8) / 16777216.0;
}

static int call_once(choices *c, world *w, uint64_t key) {
  int i = ghz_choose(c, key, ways, 3);
  ghz_choice_took(c, w->seconds[i] * (1 + w->noise * chance(w)), w->agreeing,
                  i == 0 ? w->plain_seconds : INFINITY);
  return i;
}

static void count_calls(choices *c, world *w, int calls, int *counts) {
  memset(counts, 0, 3 * sizeof *counts);
  for (int i = 0; i < calls; i++)
    counts[call_once(c, w, 1)]++;
}

static choices *new_choices(void) {
  choices *c = calloc(1, sizeof *c);
  cr_assert(c);
  return c;
}

Test(choose, finds_the_best) {
  for (int best = 0; best < 3; best++) {
    choices *c = new_choices();
    world w = {{1.3, 1.3, 1.3}, 0.1, 0.5, 0, 7};
    int counts[3];
    w.seconds[best] = 1;
    count_calls(c, &w, 30, counts);
    count_calls(c, &w, 30, counts);
    cr_assert_geq(counts[best], 29, "best %d: %d of 30", best, counts[best]);
    free(c);
  }
}

/* A network on which uncompressed data would take four times as long is never made to carry them, but for a second look now
 * and then. */
Test(choose, never_tries_the_hopeless) {
  choices *c = new_choices();
  world w = {{1, 4, 4}, 0.05, 3.9, 0, 7};
  int counts[3];
  count_calls(c, &w, 60, counts);
  cr_assert_eq(counts[0], 60);
  free(c);
}

/* The first call that does not compress comes after one that does; what is much slower is tried once. */
Test(choose, gives_up_quickly) {
  choices *c = new_choices();
  world w = {{2, 1, 3}, 0.05, 0.3, 0, 7};
  int counts[3];
  cr_assert_eq(call_once(c, &w, 1), 0);
  count_calls(c, &w, 59, counts);
  cr_assert_leq(counts[0] + counts[2], 4, "%d %d %d", counts[0], counts[1], counts[2]);
  free(c);
}

Test(choose, notices_change) {
  choices *c = new_choices();
  world w = {{1, 1.5, 1.6}, 0.05, 0.8, 0, 7};
  int counts[3];
  count_calls(c, &w, 30, counts);
  cr_assert_gt(counts[0], 20);
  w.seconds[0] = 4; /* data that do not compress any more */
  count_calls(c, &w, 30, counts);
  count_calls(c, &w, 30, counts);
  cr_assert_geq(counts[1], 24, "%d %d %d", counts[0], counts[1], counts[2]);
  free(c);
}

Test(choose, keeps_classes_apart_and_forgets_the_oldest) {
  choices *c = new_choices();
  world fast = {{3, 1, 2}, 0, 0.1, 0, 7}, slow = {{1, 9, 9}, 0, 8.9, 0, 7};
  for (int i = 0; i < 20; i++) {
    call_once(c, &fast, 1);
    call_once(c, &slow, 2);
  }
  cr_assert_eq(call_once(c, &fast, 1), 1);
  cr_assert_eq(call_once(c, &slow, 2), 0);
  for (uint64_t key = 3; key < 3 + CLASSES; key++)
    call_once(c, &slow, key);
  cr_assert_eq(call_once(c, &fast, 1), 0, "an old class is not forgotten");
  free(c);
}

/* Ranks that are told the same choose the same. */
Test(choose, is_the_same_on_all_ranks) {
  choices *a = new_choices(), *b = new_choices();
  world w = {{1, 1.05, 0.97}, 0.5, 0.8, 0, 7};
  for (int i = 0; i < 300; i++) {
    int x = ghz_choose(a, (uint64_t)i % 5, ways, 3), y = ghz_choose(b, (uint64_t)i % 5, ways, 3);
    double t = w.seconds[x] * (1 + w.noise * chance(&w));
    cr_assert_eq(x, y);
    ghz_choice_took(a, t, 0.1, 0.8);
    ghz_choice_took(b, t, 0.1, 0.8);
  }
  free(a);
  free(b);
}

/* Where MPI is the best, and agreeing would be felt, most calls need not agree; else all do. */
Test(choose, spares_the_agreement) {
  for (int felt = 0; felt < 2; felt++) {
    choices *c = new_choices();
    world w = {{2, 1.9, 1}, 0.05, 0.3, felt ? 0.1 : 0.001, 7};
    int straight = 0;
    for (int i = 0; i < 300; i++)
      if (ghz_choice_is_straight(c, 1))
        straight++;
      else
        call_once(c, &w, 1);
    cr_assert(felt ? straight > 200 : straight == 0, "%d of 300", straight);
    cr_assert_not(ghz_choice_is_straight(c, 2), "a kind that was never seen");
    free(c);
  }
}

/* Times that cannot be are not believed. */
Test(choose, survives_nonsense) {
  choices *c = new_choices();
  double nonsense[] = {0, -1, NAN, INFINITY, 1e-300};
  for (int i = 0; i < 50; i++) {
    int way = ghz_choose(c, 1, ways, 3);
    cr_assert(way >= 0 && way < 3);
    ghz_choice_took(c, nonsense[i % 5], nonsense[(i + 1) % 5], nonsense[(i + 2) % 5]);
  }
  ghz_choice_took(c, 1, 1, 1); /* nothing is pending */
  free(c);
}
