/* test_tuner.c: the automatic choice, played against made-up data and networks: MPI makes what
 * compression is worth nothing to, which is tried again; else the way that costs least is taken. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "control/tuner.h"
#include "support.h"

enum { BYTES = 1600 };

static const double any[WAYS] = {0, -1}, both[WAYS] = {1, 0.2};

static tuner *new_tuner(void) { return memset(scratch(sizeof(tuner)), 0, sizeof(tuner)); }

/* A call whose result compresses to so many bytes, by way: 's' shaped, 'f' flat, 'm' by MPI. */
static char alloc(tuner *t, uint64_t kind, const double *codec, double network, uint64_t shaped,
                  uint64_t flat) {
  const call_kind k = {.call = kind};
  if (ghz_tuner_rests(t, &k))
    return 'm';
  const int way = ghz_tuner_pick(t, &k, codec, network);
  ghz_tuner_learn(t, &(result_bytes){way == BY_MPI ? 0 : BYTES, way == FLAT ? flat : shaped});
  ghz_tuner_learn(t, &(result_bytes){BYTES, 1}); /* that of a call with nothing to choose */
  return (char)(way == SHAPED ? 's' : way == FLAT ? 'f' : 'm');
}

static void expect(tuner *t, const double *codec, double network, uint64_t shaped, uint64_t flat,
                   const char *want) {
  for (int i = 0; want[i]; i++) {
    const char got = alloc(t, 1, codec, network, shaped, flat);
    cr_assert_eq(got, want[i], "call %d of %s: %c", i, want, got);
  }
}

/* What does not compress is tried after 16 calls, then after 32, at last after 256; what does,
 * always. The limit is 15/16. */
Test(tuner, rests_what_does_not_compress) {
  tuner *t = new_tuner();
  expect(t, any, 0, 1500, 0, "smmmmmmmmmmmmmmmmsmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmms");
  for (int rest = 0; rest < 1000; rest++)
    alloc(t, 1, any, 0, 1500, 0);
  int tried = 0;
  for (int i = 0; i < 10 * 257; i++)
    tried += alloc(t, 1, any, 0, 1500, 0) != 'm';
  cr_assert_eq(tried, 10);
  expect(new_tuner(), any, 0, 1499, 0, "sssssssssssssssssssssssssssssssssss");
  cr_assert_not(ghz_tuner_rests(t, &(call_kind){.call = 2}), "a kind that was never seen");
}

/* Where others of the kind compress, eight calls on end have to fail. */
Test(tuner, is_slow_to_rest_among_others) {
  tuner *t = new_tuner();
  expect(t, any, 0, 100, 0, "s");
  for (int i = 0; i < 40; i++)
    cr_assert_eq(alloc(t, 1, any, 0, i % 8 == 7 ? 100 : BYTES, 0), 's', "call %d", i);
  expect(t, any, 0, BYTES, 0, "ssssssssmmmmmmmmmmmmmmmmsm");
  t = new_tuner();
  expect(t, any, 0, BYTES, 0, "smmmmmmmmmmmmmmmm");
  expect(t, any, 0, 100, 0, "ssssssssssssssssssssssssssssssssssss");
}

/* Shaped on slow networks, then flat, then MPI. A way not yet taken is no success. */
Test(tuner, takes_the_least) {
  expect(new_tuner(), both, 100, 160, 400, "fsssssssss");
  expect(new_tuner(), both, 10, 160, 400, "fsssssssss");
  expect(new_tuner(), both, 3, 160, 400, "ffffffff");
  expect(new_tuner(), both, 0.5, 160, 400, "ffffffff");
  expect(new_tuner(), both, 0.1, 160, 400, "mmmmmmmm");
  expect(new_tuner(), both, 10, BYTES, BYTES, "fsmmmmmmmmmmmmmmmmfsmmmmm");
}

/* Data change: what had been dismissed for its bytes is tried from time to time. */
Test(tuner, tries_all_ways_again) {
  tuner *t = new_tuner();
  for (int i = 0; i < 40; i++)
    alloc(t, 1, both, 10, BYTES, 400);
  cr_assert_eq(alloc(t, 1, both, 10, 160, 400), 'f');
  for (int i = 0; i < 40; i++)
    alloc(t, 1, both, 10, 160, 400);
  cr_assert_eq(alloc(t, 1, both, 10, 160, 400), 's');
}

Test(tuner, keeps_kinds_apart_and_forgets_the_oldest) {
  tuner *t = new_tuner();
  for (int i = 0; i < 4; i++) {
    cr_assert_eq(alloc(t, 1, any, 0, BYTES, 0), i ? 'm' : 's');
    cr_assert_eq(alloc(t, 2, any, 0, 1, 0), 's');
  }
  for (uint64_t kind = 3; kind < 3 + KINDS; kind++)
    alloc(t, kind, any, 0, 1, 0);
  cr_assert_eq(alloc(t, 1, any, 0, BYTES, 0), 's', "an old kind is not forgotten");
}
