/* select.c: owns what a call may be made by, and which calls are of one kind; the tuner decides. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "control/select.h"

/* ---- The variants of a call ------------------------------------------------------------------ */

/* Bytes of a segment that fill a GPU. It adds fewer in hardly less time, so arrays with smaller
 * segments are better added whole (gZCCL). The figure has not been measured on a GPU. */
#ifndef GHZ_DEVICE_SEGMENT
#define GHZ_DEVICE_SEGMENT (2 << 20)
#endif

static int prefers_doubling(const call *c, const record *agreed) {
  return agreed->devices && c->collective->algorithms[GHZ_MPI_DOUBLING].build &&
         call_bytes(c) / c->at.ranks < GHZ_DEVICE_SEGMENT;
}

static int is_worth_trying(const call *c, ghz_mpi_algorithm a) {
  if (a == GHZ_MPI_DOUBLING) /* moves the whole array log2(ranks) times */
    return call_bytes(c) < 4 << 20;
  return a != GHZ_MPI_HALVING || c->at.ranks > 3; /* for fewer ranks it is the ring */
}

/* The algorithms that the tuner may choose among, the likeliest first. Returns the length of the
 * list. */
static int list_algorithms(const call *c, const record *agreed, ghz_mpi_mode mode, variant *list) {
  const ghz_mpi_algorithm *preferred = c->collective->preferred;
  int n = 0, doubling = prefers_doubling(c, agreed);
  if (doubling)
    list[n++] = (variant){GHZ_MPI_DOUBLING, mode};
  for (int i = 0; preferred[i]; i++)
    if ((i == 0 || is_worth_trying(c, preferred[i])) && !(doubling && preferred[i] == GHZ_MPI_DOUBLING))
      list[n++] = (variant){preferred[i], mode};
  return n;
}

static int list_variants(const call *c, const record *agreed, variant *list) {
  const settings *s = &c->set;
  const ghz_mpi_algorithm first = c->collective->preferred[0];
  ghz_mpi_mode mode = s->mode == GHZ_MPI_MODE_AUTO ? GHZ_MPI_HOMOMORPHIC : s->mode;
  int n = 0;
  if (s->algorithm == GHZ_MPI_NATIVE)
    list[n++] = (variant){c->fits_int ? GHZ_MPI_NATIVE : first, GHZ_MPI_PLAIN};
  else if (s->algorithm != GHZ_MPI_ALGORITHM_AUTO)
    list[n++] = (variant){s->algorithm, mode};
  else
    n = list_algorithms(c, agreed, mode, list);
  if (s->algorithm == GHZ_MPI_ALGORITHM_AUTO && s->mode == GHZ_MPI_MODE_AUTO && s->contributions == 1) {
    list[n++] = (variant){first, GHZ_MPI_PLAIN};
    if (c->fits_int)
      list[n++] = (variant){GHZ_MPI_NATIVE, GHZ_MPI_PLAIN};
  }
  return n;
}

/* ---- Kinds of calls -------------------------------------------------------------------------- */

/* Flat arrays, planes and cubes are apart: they compress to other sizes. All ranks find the same
 * kind, but for the placement of device buffers, which only an agreement brings. */
static call_kind kind_of(const call *c, const record *r) {
  uint64_t octave = c->count > 0 ? 64 - (uint64_t)__builtin_clzll((unsigned long long)c->count) : 0;
  return (call_kind){.call = r->identity[SAME_CALL],
                     .operation = r->identity[SAME_OPERATION],
                     .bound = r->identity[SAME_BOUND],
                     .options = r->identity[SAME_OPTIONS],
                     .size = (uint64_t)c->shape.dims << 32 | (uint64_t)c->value_size << 16 | octave << 8 |
                             (uint64_t)c->fits_int};
}

/* ---- Selecting ------------------------------------------------------------------------------- */

/* Once a communicator has seen device buffers, all its calls agree: no rank knows which of the
 * others have some. */
int ghz_select_bypass(tuner *t, const call *c, const record *own) {
  const call_kind k = kind_of(c, own);
  return !t->has_devices && ghz_tuner_bypasses(t, &k);
}

variant ghz_select(tuner *t, const call *c, const record *agreed) {
  variant list[VARIANTS] = {{GHZ_MPI_NATIVE, GHZ_MPI_PLAIN}};
  call_kind k = kind_of(c, agreed);
  k.placement = agreed->placement;
  t->has_devices |= agreed->devices > 0;
  ghz_tuner_learn(t, &agreed->last);
  int n = c->for_mpi ? 1 : list_variants(c, agreed, list);
  return list[n == 1 ? 0 : ghz_tuner_pick(t, &k, list, n)];
}
