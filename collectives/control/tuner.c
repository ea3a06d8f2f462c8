/* tuner.c: has MPI make a kind of calls for a while, where compression was worth nothing to them,
 * and tries again: after 16 calls, then after twice as many each time. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "control/tuner.h"

#include <math.h>
#include <string.h>

/* Compression to more than this part of the bytes is worth nothing on any network. */
static const double useless = 15.0 / 16;

enum {
  /* With the call that was tried they are 17, a prime: programs that send several arrays in turn
   * try each of them at times. */
  REST_LEAST = 16,
  REST_MOST = 256,
  /* So many calls on end have to fail where others of the kind are worth compressing: what these
   * gain on a slow network is more than what those lose on a fast one. */
  FAILS_AMONG_OTHERS = 8,
  /* Every so many calls all ways are tried again, since data change. */
  REVISIT = 64
};

/* ---- Histories ------------------------------------------------------------------------------- */

/* NULL: there is none. *oldest: the one that a new one replaces. */
static history *find(tuner *t, const call_kind *k, history **oldest) {
  *oldest = t->histories;
  for (history *h = t->histories; h < t->histories + KINDS; h++) {
    if (h->last_use && memcmp(&h->kind, k, sizeof *k) == 0)
      return h;
    if (h->last_use < (*oldest)->last_use)
      *oldest = h;
  }
  return NULL;
}

static history *history_of(tuner *t, const call_kind *k) {
  history *oldest, *h = find(t, k, &oldest);
  if (!h)
    *(h = oldest) = (history){.kind = *k};
  h->last_use = ++t->uses;
  return h;
}

/* ---- Choosing -------------------------------------------------------------------------------- */

static double cost_of(const history *h, int way, const double *codec, double network, double alone) {
  const double seconds = network > 0 ? codec[way] / network : 0, part = h->part[way];
  return codec[way] < 0 ? INFINITY : fmax(seconds, part) + alone * fmin(seconds, part);
}

static int rest(history *h) {
  h->rest = h->rest == 0 ? REST_LEAST : h->rest < REST_MOST ? 2 * h->rest : REST_MOST;
  h->left = h->rest - 1; /* this call is one of them */
  memset(h->part, 0, sizeof h->part);
  return BY_MPI;
}

int ghz_tuner_pick(tuner *t, const call_kind *k, const double codec[WAYS], double network, double alone) {
  history *h = history_of(t, k);
  if (++h->calls % REVISIT == 0 && codec[FLAT] >= 0)
    memset(h->part, 0, sizeof h->part);
  const double shaped = cost_of(h, SHAPED, codec, network, alone),
               flat = cost_of(h, FLAT, codec, network, alone);
  t->limit = network > 0 ? 1 : useless;
  if (fmin(shaped, flat) >= t->limit && !(h->mixed && h->useless < FAILS_AMONG_OTHERS))
    return rest(h);
  t->pending = h;
  return t->way = flat < shaped ? FLAT : SHAPED;
}

int ghz_tuner_rests(tuner *t, const call_kind *k) {
  history *oldest, *h = find(t, k, &oldest);
  if (!h || h->left == 0)
    return 0;
  h->last_use = ++t->uses;
  h->left--;
  return 1;
}

void ghz_tuner_learn(tuner *t, const result_bytes *last) {
  history *h = t->pending;
  t->pending = NULL;
  if (!h || last->values == 0)
    return;
  h->part[t->way] = (double)last->compressed / (double)last->values;
  h->useless++;
  if (h->part[t->way] < t->limit) {
    h->mixed = 1;
    h->useless = h->rest = 0;
  }
}
