/* test_tuner.c: the automatic choice, played against made-up networks: it finds the best way,
 * leaves alone what cannot be good, and notices when the world changes. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "choice/tuner.h"
#include "support.h"
#include <math.h>

static const variant ways[3] = {{GHZ_MPI_RING, GHZ_MPI_HOMOMORPHIC, 0},
                                {GHZ_MPI_RING, GHZ_MPI_PLAIN, 0},
                                {GHZ_MPI_NATIVE, GHZ_MPI_PLAIN, 0}};

/* What each way takes, and how much that varies; what compressing tells of the network. */
typedef struct world {
  double seconds[3], noise, plain_seconds, agreeing;
  unsigned state;
} world;

static double chance(world *w) {
  w->state = w->state * 1664525u + 1013904223u;
  return (w->state >> 8) / 16777216.0;
}

static int pick(tuner *t, uint64_t call) { return ghz_tuner_pick(t, &(call_kind){.call = call}, ways, 3); }

static void learn(tuner *t, double seconds, double agreeing, double plain_seconds) {
  ghz_tuner_learn(t, &(timing){.seconds = seconds, .agreeing = agreeing, .plain_seconds = plain_seconds});
}

static int bypasses(tuner *t, uint64_t call) { return ghz_tuner_bypasses(t, &(call_kind){.call = call}); }

static int call_once(tuner *c, world *w, uint64_t key) {
  int i = pick(c, key);
  learn(c, w->seconds[i] * (1 + w->noise * chance(w)), w->agreeing, i == 0 ? w->plain_seconds : INFINITY);
  return i;
}

static void count_calls(tuner *c, world *w, int calls, int *counts) {
  memset(counts, 0, 3 * sizeof *counts);
  for (int i = 0; i < calls; i++)
    counts[call_once(c, w, 1)]++;
}

static tuner *new_tuner(void) { return memset(scratch(sizeof(tuner)), 0, sizeof(tuner)); }

Test(tuner, finds_the_best) {
  for (int best = 0; best < 3; best++) {
    tuner *c = new_tuner();
    world w = {{1.3, 1.3, 1.3}, 0.1, 0.5, 0, 7};
    int counts[3];
    w.seconds[best] = 1;
    count_calls(c, &w, 30, counts);
    count_calls(c, &w, 30, counts);
    cr_assert_geq(counts[best], 29, "best %d: %d of 30", best, counts[best]);
  }
}

/* A network that is four times slower uncompressed carries that only now and then, for a look. */
Test(tuner, never_tries_the_hopeless) {
  tuner *c = new_tuner();
  world w = {{1, 4, 4}, 0.05, 3.9, 0, 7};
  int counts[3];
  count_calls(c, &w, 60, counts);
  cr_assert_eq(counts[0], 60);
}

/* The first call that does not compress follows one that does; much slower ones are tried once. */
Test(tuner, gives_up_quickly) {
  tuner *c = new_tuner();
  world w = {{2, 1, 3}, 0.05, 0.3, 0, 7};
  int counts[3];
  cr_assert_eq(call_once(c, &w, 1), 0);
  count_calls(c, &w, 59, counts);
  cr_assert_leq(counts[0] + counts[2], 4, "%d %d %d", counts[0], counts[1], counts[2]);
}

Test(tuner, notices_change) {
  tuner *c = new_tuner();
  world w = {{1, 1.5, 1.6}, 0.05, 0.8, 0, 7};
  int counts[3];
  count_calls(c, &w, 30, counts);
  cr_assert_gt(counts[0], 20);
  w.seconds[0] = 4; /* data that do not compress any more */
  count_calls(c, &w, 30, counts);
  count_calls(c, &w, 30, counts);
  cr_assert_geq(counts[1], 24, "%d %d %d", counts[0], counts[1], counts[2]);
}

Test(tuner, keeps_kinds_apart_and_forgets_the_oldest) {
  tuner *c = new_tuner();
  world fast = {{3, 1, 2}, 0, 0.1, 0, 7}, slow = {{1, 9, 9}, 0, 8.9, 0, 7};
  for (int i = 0; i < 20; i++) {
    call_once(c, &fast, 1);
    call_once(c, &slow, 2);
  }
  cr_assert_eq(call_once(c, &fast, 1), 1);
  cr_assert_eq(call_once(c, &slow, 2), 0);
  for (uint64_t key = 3; key < 3 + KINDS; key++)
    call_once(c, &slow, key);
  cr_assert_eq(call_once(c, &fast, 1), 0, "an old class is not forgotten");
}

/* Ranks that are told the same choose the same. */
Test(tuner, is_the_same_on_all_ranks) {
  tuner *a = new_tuner(), *b = new_tuner();
  world w = {{1, 1.05, 0.97}, 0.5, 0.8, 0, 7};
  for (int i = 0; i < 300; i++) {
    int x = pick(a, (uint64_t)i % 5), y = pick(b, (uint64_t)i % 5);
    double t = w.seconds[x] * (1 + w.noise * chance(&w));
    cr_assert_eq(x, y);
    learn(a, t, 0.1, 0.8);
    learn(b, t, 0.1, 0.8);
  }
}

/* Where MPI is the best, and agreeing would be felt, most calls need not agree; else all do. */
Test(tuner, spares_the_agreement) {
  for (int felt = 0; felt < 2; felt++) {
    tuner *c = new_tuner();
    world w = {{2, 1.9, 1}, 0.05, 0.3, felt ? 0.1 : 0.001, 7};
    int passed = 0;
    for (int i = 0; i < 300; i++)
      if (bypasses(c, 1))
        passed++;
      else
        call_once(c, &w, 1);
    cr_assert(felt ? passed > 200 : passed == 0, "%d of 300", passed);
    cr_assert_not(bypasses(c, 2), "a kind that was never seen");
  }
}

/* A call of kind 1 whose result compresses to so many of 1600 bytes: 'c', or 'p' if it is spared
 * that. */
static char sized_call(tuner *t, uint64_t compressed) {
  const call_kind k = {.call = 1};
  ghz_tuner_learn(t, &(timing){0}); /* as another kind's call in between would */
  if (ghz_tuner_spares(t, &k)) {
    ghz_tuner_spare(t, &k);
    return 'p';
  }
  pick(t, 1);
  ghz_tuner_learn(t, &(timing){.seconds = 1, .result = 1600, .result_compressed = compressed});
  return 'c';
}

static void sized_calls(tuner *t, int calls, uint64_t compressed, char *text) {
  for (int i = 0; i < calls; i++)
    text[i] = sized_call(t, compressed);
  text[calls] = 0;
}

/* What does not compress is compressed once in 17 calls; what does, always. The limit is 15/16. */
Test(tuner, spares_what_does_not_compress) {
  char text[64];
  tuner *t = new_tuner();
  sized_calls(t, 35, 1500, text);
  cr_assert_str_eq(text, "cppppppppppppppppcppppppppppppppppc");
  t = new_tuner();
  sized_calls(t, 35, 1499, text);
  cr_assert_str_eq(text, "ccccccccccccccccccccccccccccccccccc");
  cr_assert_not(ghz_tuner_spares(t, &(call_kind){.call = 2}), "a kind that was never seen");
}

/* Where others of the kind compress, eight calls on end have to fail. */
Test(tuner, is_slow_to_spare_among_others) {
  char text[64];
  tuner *t = new_tuner();
  cr_assert_eq(sized_call(t, 100), 'c');
  for (int i = 0; i < 40; i++)
    cr_assert_eq(sized_call(t, i % 8 == 7 ? 100 : 1600), 'c', "call %d", i);
  sized_calls(t, 26, 1600, text);
  cr_assert_str_eq(text, "ccccccccppppppppppppppppcp");
  t = new_tuner();
  sized_calls(t, 17, 1600, text);
  sized_calls(t, 3, 100, text);
  cr_assert_str_eq(text, "ccc", "the data are smooth now");
}

/* What the clock unsettles leaves what the bytes taught. */
Test(tuner, keeps_bytes_and_clock_apart) {
  tuner *t = new_tuner();
  const call_kind k = {.call = 1};
  for (int i = 0; i < 40; i++) {
    pick(t, 1);
    ghz_tuner_learn(
        t, &(timing){.seconds = i < 20 ? 1 : 100, .result = 1600, .result_compressed = i < 20 ? 1 : 1600});
    cr_assert_eq(ghz_tuner_spares(t, &k), i >= 27, "call %d", i);
  }
}

/* Times that cannot be are not believed. */
Test(tuner, survives_nonsense) {
  tuner *c = new_tuner();
  double nonsense[] = {0, -1, NAN, INFINITY, 1e-300};
  for (int i = 0; i < 50; i++) {
    int way = pick(c, 1);
    cr_assert(way >= 0 && way < 3);
    learn(c, nonsense[i % 5], nonsense[(i + 1) % 5], nonsense[(i + 2) % 5]);
  }
  learn(c, 1, 1, 1); /* nothing is pending */
}
