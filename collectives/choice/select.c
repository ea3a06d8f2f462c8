/* select.c: owns what a call may be made by, and which calls are of one kind; the tuner decides. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "choice/select.h"

#include <string.h>

#include "choice/cost.h"

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

/* Costs within this factor of the least are close: times decide. */
static const double close_cost = 1.1;

/* The bits of the number of values: the same for all calls of a kind. */
static unsigned octave_of(const call *c) {
  return c->count > 0 ? 64 - (unsigned)__builtin_clzll((unsigned long long)c->count) : 0;
}

/* Fewer than four ranks halve as a ring does, and two send the same to each other by any
 * algorithm. */
static int is_another(const call *c, ghz_mpi_algorithm a) {
  return (a != GHZ_MPI_HALVING || c->at.ranks > 3) &&
         (a == c->collective->preferred[0] || c->reduction || c->at.ranks > 2);
}

/* Adds an algorithm to a list in the order of costs, the preferred first among equals. */
static void insert(const call *c, variant v, double *costs, variant *list, int n) {
  const double bytes =
      (double)c->value_size * (double)(UINT64_C(1) << octave_of(c)); /* above by a factor of 2 at most */
  double cost = ghz_cost(c->collective, v.algorithm, c->at.ranks, bytes);
  int i = n;
  for (; i > 0 && costs[i - 1] > cost; i--) {
    costs[i] = costs[i - 1];
    list[i] = list[i - 1];
  }
  costs[i] = cost;
  list[i] = v;
}

/* The algorithms that the tuner may choose among, the likeliest first. Returns the length of the
 * list. All give the same bits. */
static int list_algorithms(const call *c, const record *agreed, variant *list) {
  const ghz_mpi_algorithm *preferred = c->collective->preferred;
  double costs[VARIANTS];
  int n = 0, doubling = prefers_doubling(c, agreed);
  for (int i = 0; preferred[i]; i++)
    if (is_another(c, preferred[i]) && !(doubling && preferred[i] == GHZ_MPI_DOUBLING))
      insert(c, (variant){preferred[i], GHZ_MPI_HOMOMORPHIC, 0}, costs, list, n++);
  while (n > 1 && costs[n - 1] > close_cost * costs[0])
    n--;
  if (doubling) {
    memmove(list + 1, list, (size_t)n++ * sizeof *list);
    list[0] = (variant){GHZ_MPI_DOUBLING, GHZ_MPI_HOMOMORPHIC, 0};
  }
  return n;
}

/* What FASTEST adds: no shape; and the values as they are, by our algorithm or by MPI. */
static int list_others(const call *c, ghz_mpi_algorithm ours, variant *list) {
  int n = 0;
  if (c->shape.dims > 1)
    list[n++] = (variant){ours, GHZ_MPI_HOMOMORPHIC, 1};
  list[n++] = (variant){ours, GHZ_MPI_PLAIN, 0};
  if (c->fits_int && c->set.algorithm == GHZ_MPI_ALGORITHM_AUTO)
    list[n++] = (variant){GHZ_MPI_NATIVE, GHZ_MPI_PLAIN, 0};
  return n;
}

/* One rank moves its values as they are, as MPI does, if their count is too large for MPI. */
static int is_copy(const call *c) {
  const settings *s = &c->set;
  return c->at.ranks == 1 && s->algorithm == GHZ_MPI_ALGORITHM_AUTO && s->mode != GHZ_MPI_HOMOMORPHIC &&
         !ghz_call_reduces_fill(c);
}

static int list_variants(const call *c, const record *agreed, variant *list) {
  const settings *s = &c->set;
  const ghz_mpi_algorithm first = c->collective->preferred[0];
  const ghz_mpi_algorithm ours = s->algorithm == GHZ_MPI_ALGORITHM_AUTO ? first : s->algorithm;
  int n = 1;
  if (s->algorithm == GHZ_MPI_NATIVE)
    list[0] = (variant){c->fits_int ? GHZ_MPI_NATIVE : first, GHZ_MPI_PLAIN, 0};
  else if (is_copy(c))
    list[0] = (variant){ours, GHZ_MPI_PLAIN, 0};
  else if (s->algorithm != GHZ_MPI_ALGORITHM_AUTO)
    list[0] = (variant){ours, s->mode == GHZ_MPI_PLAIN ? GHZ_MPI_PLAIN : GHZ_MPI_HOMOMORPHIC, 0};
  else
    n = list_algorithms(c, agreed, list);
  if (s->mode == GHZ_MPI_PLAIN) { /* no choice by the clock: it would change the bits */
    list[0].mode = GHZ_MPI_PLAIN;
    n = 1;
  }
  if (s->mode == GHZ_MPI_FASTEST && s->algorithm != GHZ_MPI_NATIVE && !is_copy(c) && !ghz_call_reduces_fill(c))
    n += list_others(c, ours, list + n);
  return n;
}

/* ---- Kinds of calls -------------------------------------------------------------------------- */

/* Flat arrays, planes and cubes are apart: they compress to other sizes. All ranks find the same
 * kind, but for the placement of device buffers, which only an agreement brings. */
static call_kind kind_of(const call *c, const record *r) {
  return (call_kind){.call = r->identity[SAME_CALL],
                     .operation = r->identity[SAME_OPERATION],
                     .bound = r->identity[SAME_BOUND],
                     .options = r->identity[SAME_OPTIONS] ^ r->identity[SAME_FILL],
                     .size = (uint64_t)c->shape.dims << 32 | (uint64_t)c->value_size << 16 |
                             (uint64_t)octave_of(c) << 8 | (uint64_t)c->fits_int};
}

/* ---- By bytes -------------------------------------------------------------------------------- */

/* Whether bytes decide if a call is compressed. The promises of GHZ_MPI_FLOAT and of fills need
 * compression, and a GPU's speeds are not known. */
static int goes_by_bytes(const call *c, const record *agreed) {
  const settings *s = &c->set;
  return s->mode == GHZ_MPI_MODE_AUTO && s->algorithm != GHZ_MPI_NATIVE && c->at.ranks > 1 && !c->for_mpi &&
         s->bound.kind != GHZ_MPI_FLOAT && !ghz_call_reduces_fill(c) && !agreed->devices;
}

/* Whether a call may go uncompressed because those before did not compress. A sum of floats does
 * not keep a bound, and one value beyond the lattice does not free the others of theirs. Values
 * that move keep what compression does to a fill: NaN arrives as the fill. By doubling each rank
 * makes all values, so of a NaN, or of zeros of both signs, ranks could have other bits. Small
 * arrays, which have more header than values, are compressed if somebody asks for it. */
static int may_spare(const call *c, const record *agreed) {
  return goes_by_bytes(c, agreed) && c->set.link == 0 && !c->set.has_fill && c->reduction != REDUCE_SUM &&
         !(c->reduction && c->set.algorithm == GHZ_MPI_DOUBLING) && call_bytes(c) >= THRESHOLD_DEFAULT;
}

static variant uncompressed(ghz_mpi_algorithm cheapest) {
  return (variant){cheapest == GHZ_MPI_DOUBLING ? GHZ_MPI_RING : cheapest, GHZ_MPI_PLAIN, 0};
}

/* ---- By the speed of the network ------------------------------------------------------------- */

/* With the shape, flat, or not at all; by the algorithm that should cost least. */
static variant pick_by_link(tuner *t, const call *c, const record *agreed, const call_kind *k,
                            ghz_mpi_algorithm a) {
  const double bytes = call_bytes(c) / call_blocks(c),
               network = 8 * ghz_cost(c->collective, a, c->at.ranks, bytes) / c->set.link;
  variant list[3];
  double codec[3];
  int n = 0;
  for (int flat = c->shape.dims < 2; flat < 2; flat++) {
    codec[n] = ghz_cost_codec(c, agreed->isa, flat);
    list[n++] = (variant){a, GHZ_MPI_HOMOMORPHIC, flat};
  }
  codec[n] = 0;
  list[n++] = (variant){a, GHZ_MPI_PLAIN, 0};
  return list[ghz_tuner_pick_by_bytes(t, k, list, n, codec, network)];
}

/* ---- Selecting ------------------------------------------------------------------------------- */

/* Only FASTEST lets calls through. Once a communicator has seen device buffers, all its calls
 * agree: no rank knows which of the others have some. */
int ghz_select_bypass(tuner *t, const call *c, const record *own) {
  if (c->set.mode != GHZ_MPI_FASTEST || ghz_call_reduces_fill(c))
    return 0;
  const call_kind k = kind_of(c, own);
  return !t->has_devices && ghz_tuner_bypasses(t, &k);
}

int ghz_select_spares(const tuner *t, const call *c, const record *own) {
  const call_kind k = kind_of(c, own);
  return may_spare(c, own) && ghz_tuner_spares(t, &k);
}

variant ghz_select(tuner *t, const call *c, const record *agreed) {
  variant list[VARIANTS] = {{GHZ_MPI_NATIVE, GHZ_MPI_PLAIN, 0}};
  call_kind k = kind_of(c, agreed);
  k.placement = agreed->placement;
  t->has_devices |= agreed->devices > 0;
  ghz_tuner_learn(t, &agreed->last);
  int n = c->for_mpi ? 1 : list_variants(c, agreed, list);
  if (may_spare(c, agreed) && ghz_tuner_spares(t, &k)) {
    ghz_tuner_spare(t, &k);
    return uncompressed(list[0].algorithm);
  }
  if (c->set.link > 0 && goes_by_bytes(c, agreed))
    return pick_by_link(t, c, agreed, &k, list[0].algorithm);
  int is_settled = n == 1 && !may_spare(c, agreed); /* there is nothing to learn */
  return list[is_settled ? 0 : ghz_tuner_pick(t, &k, list, n)];
}
