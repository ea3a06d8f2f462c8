/* tuner.c: tries the variants that may be fast, and keeps the fastest.
 *
 * A variant that compresses is tried first. It tells for how long the network alone was busy, and
 * so how long the same bytes would take at least without compression; variants that this rules out
 * are never tried. Of the rest, those with the fewest trials come first; then the best is kept.
 * The runner-up is tried again from time to time, since data and networks change. If the best
 * becomes much slower than it was, all begins again. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "choice/tuner.h"

#include <math.h>
#include <string.h>

/* A variant that took this many times the best is not tried again. The times of one variant differ
 * by less, even on machines that other programs use. */
static const double hopeless = 1.5;
/* Variants within this factor of the best are told apart by RECENT trials, others by FEW_TRIALS. */
static const double close_call = 1.25;
/* If a variant takes this many times what it used to, the data or the network have changed: what
 * was learnt is forgotten. */
static const double changed = 2;
/* The part of a call above which its agreement is worth avoiding. */
static const double noticeable = 0.01;
/* Compression to more than this part of the bytes is worth nothing. */
static const double useless = 15.0 / 16;

enum {
  /* Trials of a variant that is not close to the best. `typical` takes the second least of four
   * times, so that one lucky or two unlucky calls do not decide. */
  FEW_TRIALS = 4,
  /* Every so many calls the runner-up is tried. Where that just escapes being hopeless, it costs
   * 0.8 %. */
  REVISIT = 64,
  /* Calls that bypass the agreement after one that does not: together they pay 1/32 of it each. */
  BYPASSES = 31,
  /* Calls that go uncompressed after one that compression was worth nothing to. With that one they
   * are 17, a prime: programs that send several arrays in turn compress each of them at times. */
  SPARED = 16,
  /* The same after so many on end, where others of the kind are worth compressing: what these gain
   * on a slow network is more than what those lose on a fast one. */
  USELESS_AMONG_OTHERS = 8
};

static int compresses(variant v) {
  return v.algorithm != GHZ_MPI_NATIVE && v.mode != GHZ_MPI_PLAIN;
}

/* ---- Histories ------------------------------------------------------------------------------- */

static int index_of(const tuner *t, const call_kind *k) {
  int i = 0;
  while (i < KINDS && !(t->histories[i].last_use && memcmp(&t->histories[i].kind, k, sizeof *k) == 0))
    i++;
  return i;
}

static history *find(tuner *t, const call_kind *k) {
  int i = index_of(t, k);
  return i < KINDS ? &t->histories[i] : NULL;
}

static history *oldest(tuner *t) {
  history *h = &t->histories[0];
  for (int i = 1; i < KINDS; i++)
    if (t->histories[i].last_use < h->last_use)
      h = &t->histories[i];
  return h;
}

/* Calls of one kind always have the same variants. */
static history *history_of(tuner *t, const call_kind *k, const variant *variants, int n) {
  history *h = find(t, k);
  if (!h) {
    h = oldest(t);
    *h = (history){.kind = *k, .count = n};
    memcpy(h->variants, variants, (size_t)n * sizeof *variants);
  }
  h->last_use = ++t->clock;
  return h;
}

/* ---- Experience ------------------------------------------------------------------------------ */

/* The second least of the last times (the least of two): one lucky or unlucky call does not
 * decide. */
static double typical(const experience *e) {
  double first = INFINITY, second = INFINITY;
  unsigned n = e->trials < RECENT ? e->trials : RECENT;
  for (unsigned i = 0; i < n; i++) {
    double t = e->recent[i];
    if (t < first) {
      second = first;
      first = t;
    } else if (t < second)
      second = t;
  }
  return n > 2 ? second : first;
}

/* The fastest variant but for `skipped`; that one if there is no other experience. */
static int fastest(const history *h, int skipped) {
  double least = INFINITY;
  int best = skipped < 0 ? 0 : skipped;
  for (int i = 0; i < h->count; i++)
    if (i != skipped && typical(&h->experience[i]) < least) {
      least = typical(&h->experience[i]);
      best = i;
    }
  return best;
}

static int deserves_trial(const history *h, int i, double best) {
  const experience *e = &h->experience[i];
  if (e->trials == 0)
    return compresses(h->variants[i]) || !(h->plain_seconds > hopeless * best);
  if (typical(e) > hopeless * best)
    return 0;
  return e->trials < FEW_TRIALS || (e->trials < RECENT && typical(e) < close_call * best);
}

/* Of the variants that deserve a trial the one that had the fewest; -1: there is none. */
static int next_trial(const history *h, double best) {
  int next = -1;
  for (int i = 0; i < h->count; i++)
    if (deserves_trial(h, i, best) && (next < 0 || h->experience[i].trials < h->experience[next].trials))
      next = i;
  return next;
}

int ghz_tuner_pick(tuner *t, const call_kind *k, const variant *variants, int n) {
  history *h = history_of(t, k, variants, n);
  int choice = fastest(h, -1), trial = next_trial(h, typical(&h->experience[choice])), settled = 0;
  if (++h->calls % REVISIT == 0)
    choice = fastest(h, choice);
  else if (trial >= 0)
    choice = trial;
  else
    settled = 1;
  t->settled = settled;
  t->by_bytes = 0;
  t->pending = h;
  t->pending_variant = choice;
  return choice;
}

int ghz_tuner_pick_by_bytes(tuner *t, const call_kind *k, const variant *variants, int n, const double *codec,
                            double network) {
  history *h = history_of(t, k, variants, n);
  double least = INFINITY;
  if (++h->calls % REVISIT == 0)
    memset(h->ratio, 0, sizeof h->ratio);
  for (int i = 0; i < n; i++) {
    double ratio = compresses(variants[i]) ? h->ratio[i] : 1,
           seconds = fmax(codec[i], ratio > 0 ? network / ratio : 0);
    if (seconds < least) {
      least = seconds;
      t->pending_variant = i;
    }
  }
  t->pending = h;
  t->by_bytes = 1;
  return t->pending_variant;
}

/* ---- What compression is worth --------------------------------------------------------------- */

static void learn_worth(worth *w, const timing *took) {
  if (took->result == 0)
    return;
  if ((double)took->result_compressed < useless * (double)took->result)
    *w = (worth){.mixed = 1};
  else if (++w->useless >= (w->mixed ? USELESS_AMONG_OTHERS : 1))
    w->spared = SPARED;
}

int ghz_tuner_spares(const tuner *t, const call_kind *k) {
  int i = index_of(t, k);
  return i < KINDS && t->histories[i].worth.spared > 0;
}

void ghz_tuner_spare(tuner *t, const call_kind *k) {
  history *h = find(t, k);
  h->last_use = ++t->clock;
  h->worth.spared--;
}

/* ---- Learning -------------------------------------------------------------------------------- */

/* All that the clock taught. */
static void forget(history *h) {
  history fresh = {.kind = h->kind, .last_use = h->last_use, .count = h->count, .worth = h->worth};
  memcpy(fresh.variants, h->variants, sizeof fresh.variants);
  *h = fresh;
}

void ghz_tuner_learn(tuner *t, const timing *took) {
  history *h = t->pending;
  double seconds = took->seconds;
  t->pending = NULL;
  if (h)
    learn_worth(&h->worth, took);
  if (h && t->by_bytes)
    h->ratio[t->pending_variant] = took->sent ? (double)took->raw / (double)took->sent : 0;
  if (!h || t->by_bytes || !(seconds > 0) || !isfinite(seconds))
    return;
  int native = h->variants[t->pending_variant].algorithm == GHZ_MPI_NATIVE;
  experience *e = &h->experience[t->pending_variant];
  if (!native && took->agreeing > 0 && isfinite(took->agreeing))
    seconds += took->agreeing; /* MPI needs no agreement */
  if (e->trials >= RECENT && seconds > changed * typical(e))
    forget(h);
  e->recent[e->trials++ % RECENT] = seconds;
  if (t->settled && native && took->agreeing > noticeable * seconds)
    h->bypasses = BYPASSES;
  if (isfinite(took->plain_seconds) && took->plain_seconds > 0)
    h->plain_seconds = took->plain_seconds;
}

int ghz_tuner_bypasses(tuner *t, const call_kind *k) {
  history *h = find(t, k);
  if (!h || !h->bypasses)
    return 0;
  h->bypasses--;
  return 1;
}
