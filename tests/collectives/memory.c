/* memory.c: memory that runs out on one rank, at every allocation in turn: an error or a right
 * result, no hang, nothing lost, and the communicator works when there is memory again. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "allocator.h"
#include "suite.h"
#include "sweep.h"
#include <ghz/slice.h>
#include <limits.h>
#include <string.h>

enum { RANKS = 4, SMALL = 5000, LARGE = 150000, ROOM = LARGE * RANKS };

static float send[ROOM], recv[ROOM];

static void copy(void *to, const void *from, size_t bytes) { memcpy(to, from, bytes); }

static void refuse(long nth) { allocator_refuse(nth, nth ? LONG_MAX : 0); }

static int refused(void) { return allocator_refused() > 0; }

/* ---- While messages are under way ---- */
static long left; /* pieces to be compressed or read until memory runs out; 0: it does not */
static int ran_out;

static int runs_out(void) {
  ran_out |= left == 1;
  left -= left > 1;
  return left == 1 && ran_out;
}

#define REFUSED(name, parameters, arguments)                                                                   \
  ghz_status __real_##name parameters;                                                                         \
  ghz_status __wrap_##name parameters;                                                                         \
  ghz_status __wrap_##name parameters { return runs_out() ? GHZ_ENOMEM : __real_##name arguments; }

REFUSED(ghz_slice_parse, (ghz_bytes message, ghz_slice *slice), (message, slice))
REFUSED(ghz_slice_compress_shape,
        (ghz_context * ctx, const ghz_lattice *l, int order, const void *x, const ghz_shape *shape,
         uint64_t first, uint64_t tiles, void *dst, size_t capacity, ghz_slice *slice),
        (ctx, l, order, x, shape, first, tiles, dst, capacity, slice))

static void refuse_message(long nth) { left = nth, ran_out = 0; }
static int refused_message(void) { return ran_out; }

int main(int argc, char **argv) {
  const sweep s = {"allocation", copy, send, recv, refuse, refused, 200, 16, 1},
              messages = {"message", copy, send, recv, refuse_message, refused_message, 200, 1, 1};
  suite_begin(argc, argv, MPI_THREAD_SINGLE);
  if (!check(here.ranks == RANKS, "this test is for %d ranks", RANKS))
    return suite_end(NULL);
  for (int i = 0; i < SWEEP_WAYS; i++) {
    sweep_all(&s, &sweep_ways[i], i % RANKS, 0, SMALL);
    sweep_all(&s, &sweep_ways[i], (i + 1) % RANKS, 0, SMALL);
    sweep_all(&s, &sweep_ways[i], (i + 2) % RANKS, SMALL, LARGE);
    sweep_all(&messages, &sweep_ways[i], (i + 3) % RANKS, 0, SMALL);
  }
  return suite_end(NULL);
}
