/* memory.c: memory that runs out on one rank, at every allocation in turn: an error or a right
 * result, no hang, nothing lost, and the communicator works when there is memory again. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "allocator.h"
#include "suite.h"
#include "sweep.h"
#include <ghz/slice.h>
#include <limits.h>
#include <string.h>

enum { RANKS = 4, SMALL = 5000, MIDDLE = 60000, LARGE = 150000, ROOM = LARGE * RANKS };

static float send[ROOM], recv[ROOM];

static void copy(void *to, const void *from, size_t bytes) { memcpy(to, from, bytes); }

static void refuse(long nth) { allocator_refuse(nth, nth ? LONG_MAX : 0); }

static int refused(void) { return allocator_refused() > 0; }

/* ---- In the codec, while messages are under way ---- */
ghz_status __real_ghz_slice_compress_shape(ghz_context *codec, const ghz_lattice *lattice, int order,
                                           const void *values, const ghz_shape *shape, uint64_t first,
                                           uint64_t tiles, void *dst, size_t capacity, ghz_slice *slice);
ghz_status __wrap_ghz_slice_compress_shape(ghz_context *codec, const ghz_lattice *lattice, int order,
                                           const void *values, const ghz_shape *shape, uint64_t first,
                                           uint64_t tiles, void *dst, size_t capacity, ghz_slice *slice);

static _Atomic long left; /* compressions until memory runs out; 0: it does not */
static _Atomic int ran_out;

ghz_status __wrap_ghz_slice_compress_shape(ghz_context *codec, const ghz_lattice *lattice, int order,
                                           const void *values, const ghz_shape *shape, uint64_t first,
                                           uint64_t tiles, void *dst, size_t capacity, ghz_slice *slice) {
  const long now = left;
  if (now == 1) {
    ran_out = 1;
    return GHZ_ENOMEM;
  }
  left -= now > 1;
  return __real_ghz_slice_compress_shape(codec, lattice, order, values, shape, first, tiles, dst, capacity,
                                         slice);
}

static void refuse_codec(long nth) {
  left = nth;
  ran_out = 0;
}

static int refused_codec(void) { return ran_out; }

int main(int argc, char **argv) {
  const sweep s = {"allocation", copy, send, recv, refuse, refused, 200, 16, 1},
              codec = {"compression", copy, send, recv, refuse_codec, refused_codec, 200, 1, 1};
  suite_begin(argc, argv, MPI_THREAD_SINGLE);
  if (!check(here.ranks == RANKS, "this test is for %d ranks", RANKS))
    return suite_end(NULL);
  for (int i = 0; i < SWEEP_WAYS; i++) {
    sweep_all(&s, &sweep_ways[i], i % RANKS, 0, SMALL);
    sweep_all(&s, &sweep_ways[i], (i + 1) % RANKS, 0, SMALL);
  }
  for (int i = 0; i < SWEEP_WAYS; i++)
    sweep_all(&s, &sweep_ways[i], (i + 2) % RANKS, SMALL, LARGE);
  for (int i = 0; i < SWEEP_WAYS; i++)
    sweep_all(&codec, &sweep_ways[i], (i + 3) % RANKS, 0, MIDDLE);
  return suite_end(NULL);
}
