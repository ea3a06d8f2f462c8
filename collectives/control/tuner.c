/* tuner.c: tries what may be good, and then does what was best.
 *
 * A way that compresses is tried first: it tells how long the network alone was busy, and so how long the same bytes
 * uncompressed would take at least; ways that this rules out are never tried. Those that remain are tried twice, those not
 * far from the best four times, the close ones RECENT times; then the best is kept. Every REVISIT calls the next best gets
 * another chance, since data and networks change; and if the best becomes much slower than it was, all begins again.
 *
 * Where MPI itself is the best, and so fast that agreeing costs a noticeable part of it, most calls need not agree.
 */

#include "control/tuner.h"

#include <math.h>
#include <string.h>

enum { REVISIT = 64, BYPASSES = 31 };

static const double hopeless = 1.5; /* times the best: not tried again */
static const double close_call = 1.25;
static const double worse = 2;         /* times what it was: the world has changed */
static const double noticeable = 0.01; /* of what the call takes without agreement */

static int compresses(variant c) {
  return c.algorithm != GHZ_MPI_NATIVE && c.mode != GHZ_MPI_PLAIN;
}

static call_kind *find(tuner *c, uint64_t key) {
  for (int i = 0; i < KINDS; i++)
    if (c->kinds[i].last_use && c->kinds[i].key == key)
      return &c->kinds[i];
  return NULL;
}

int ghz_tuner_bypasses(tuner *c, uint64_t key) {
  call_kind *k = find(c, key);
  if (!k || !k->bypasses)
    return 0;
  k->bypasses--;
  return 1;
}

static call_kind *oldest(tuner *c) {
  call_kind *k = &c->kinds[0];
  for (int i = 1; i < KINDS; i++)
    if (c->kinds[i].last_use < k->last_use)
      k = &c->kinds[i];
  return k;
}

static call_kind *kind_of(tuner *c, uint64_t key, const variant *variants, int n) {
  call_kind *k = find(c, key);
  if (!k) {
    k = oldest(c);
    *k = (call_kind){.key = key, .count = n};
    memcpy(k->variants, variants, (size_t)n * sizeof *variants);
  }
  k->last_use = ++c->clock;
  return k;
}

/* The second least of the last times (the least of two): one lucky or unlucky call does not decide. */
static double typical(const timings *e) {
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

static double best_time(const call_kind *k, int *best) {
  double least = INFINITY;
  *best = 0;
  for (int i = 0; i < k->count; i++)
    if (typical(&k->timings[i]) < least) {
      least = typical(&k->timings[i]);
      *best = i;
    }
  return least;
}

/* Whether variant i deserves another trial. */
static int worth_exploring(const call_kind *k, int i, double best) {
  const timings *e = &k->timings[i];
  if (e->trials == 0)
    return compresses(k->variants[i]) || !(k->plain_seconds > hopeless * best);
  if (typical(e) > hopeless * best)
    return 0;
  return e->trials < 4 || (e->trials < RECENT && typical(e) < close_call * best);
}

/* Of those that deserve another trial the one that had the fewest; -1: none. */
static int next_to_explore(const call_kind *k, double best) {
  int most = -1;
  for (int i = 0; i < k->count; i++)
    if (worth_exploring(k, i, best) && (most < 0 || k->timings[i].trials < k->timings[most].trials))
      most = i;
  return most;
}

static int runner_up(const call_kind *k, int best) {
  int second = best;
  double least = INFINITY;
  for (int i = 0; i < k->count; i++)
    if (i != best && typical(&k->timings[i]) < least) {
      least = typical(&k->timings[i]);
      second = i;
    }
  return second;
}

int ghz_tuner_pick(tuner *c, uint64_t key, const variant *variants, int n) {
  call_kind *k = kind_of(c, key, variants, n);
  int choice;
  double best = best_time(k, &choice);
  k->calls++;
  int trial = next_to_explore(k, best), was_best = 0;
  if (k->calls % REVISIT == 0)
    choice = runner_up(k, choice);
  else if (trial >= 0)
    choice = trial;
  else
    was_best = 1;
  c->was_best = was_best;
  c->pending = k;
  c->pending_variant = choice;
  return choice;
}

void ghz_tuner_record(tuner *c, double seconds, double agreeing, double plain_seconds) {
  call_kind *k = c->pending;
  c->pending = NULL;
  if (!k || !(seconds > 0) || !isfinite(seconds))
    return;
  int native = k->variants[c->pending_variant].algorithm == GHZ_MPI_NATIVE;
  timings *e = &k->timings[c->pending_variant];
  if (!native && agreeing > 0 && isfinite(agreeing))
    seconds += agreeing; /* which MPI does not need */
  if (e->trials >= RECENT && seconds > worse * typical(e)) {
    variant kept[VARIANTS];
    memcpy(kept, k->variants, sizeof kept);
    *k = (call_kind){.key = k->key, .last_use = k->last_use, .count = k->count};
    memcpy(k->variants, kept, sizeof kept);
  }
  e->recent[e->trials++ % RECENT] = seconds;
  if (c->was_best && k->variants[c->pending_variant].algorithm == GHZ_MPI_NATIVE &&
      agreeing > noticeable * seconds)
    k->bypasses = BYPASSES;
  if (isfinite(plain_seconds) && plain_seconds > 0)
    k->plain_seconds = plain_seconds;
}
