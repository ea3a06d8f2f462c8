/* choose.c: tries what may be good, and then does what was best.
 *
 * A way that compresses is tried first: it tells how long the network alone was busy, and so how long the same bytes
 * uncompressed would take at least; ways that this rules out are never tried. Those that remain are tried twice, those not
 * far from the best four times, the close ones RECENT times; then the best is kept. Every REVISIT calls the next best gets
 * another chance, since data and networks change; and if the best becomes much slower than it was, all begins again.
 *
 * Where MPI itself is the best, and so fast that agreeing costs a noticeable part of it, most calls need not agree.
 */

#include "choose.h"

#include <math.h>
#include <string.h>

enum { REVISIT = 64, STRAIGHT = 31 };

static const double hopeless = 1.5; /* times the best: not tried again */
static const double close_call = 1.25;
static const double worse = 2;         /* times what it was: the world has changed */
static const double noticeable = 0.01; /* of what the call takes without agreement */

static int compresses(candidate c) {
  return c.algorithm != GHZ_MPI_NATIVE && c.mode != GHZ_MPI_PLAIN;
}

static call_class *find(choices *c, uint64_t key) {
  for (int i = 0; i < CLASSES; i++)
    if (c->classes[i].last_use && c->classes[i].key == key)
      return &c->classes[i];
  return NULL;
}

int ghz_choice_is_straight(choices *c, uint64_t key) {
  call_class *k = find(c, key);
  if (!k || !k->straight)
    return 0;
  k->straight--;
  return 1;
}

static call_class *oldest(choices *c) {
  call_class *k = &c->classes[0];
  for (int i = 1; i < CLASSES; i++)
    if (c->classes[i].last_use < k->last_use)
      k = &c->classes[i];
  return k;
}

static call_class *class_of(choices *c, uint64_t key, const candidate *candidates, int n) {
  call_class *k = find(c, key);
  if (!k) {
    k = oldest(c);
    *k = (call_class){.key = key, .count = n};
    memcpy(k->candidates, candidates, (size_t)n * sizeof *candidates);
  }
  k->last_use = ++c->clock;
  return k;
}

/* The second least of the last times (the least of two): one lucky or unlucky call does not decide. */
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

static double best_time(const call_class *k, int *best) {
  double least = INFINITY;
  *best = 0;
  for (int i = 0; i < k->count; i++)
    if (typical(&k->experience[i]) < least) {
      least = typical(&k->experience[i]);
      *best = i;
    }
  return least;
}

/* Whether candidate i deserves another trial. */
static int curious(const call_class *k, int i, double best) {
  const experience *e = &k->experience[i];
  if (e->trials == 0)
    return compresses(k->candidates[i]) || !(k->plain_seconds > hopeless * best);
  if (typical(e) > hopeless * best)
    return 0;
  return e->trials < 4 || (e->trials < RECENT && typical(e) < close_call * best);
}

/* Of those that deserve another trial the one that had the fewest; -1: none. */
static int most_curious(const call_class *k, double best) {
  int most = -1;
  for (int i = 0; i < k->count; i++)
    if (curious(k, i, best) && (most < 0 || k->experience[i].trials < k->experience[most].trials))
      most = i;
  return most;
}

static int runner_up(const call_class *k, int best) {
  int second = best;
  double least = INFINITY;
  for (int i = 0; i < k->count; i++)
    if (i != best && typical(&k->experience[i]) < least) {
      least = typical(&k->experience[i]);
      second = i;
    }
  return second;
}

int ghz_choose(choices *c, uint64_t key, const candidate *candidates, int n) {
  call_class *k = class_of(c, key, candidates, n);
  int choice;
  double best = best_time(k, &choice);
  k->calls++;
  int trial = most_curious(k, best), settled = 0;
  if (k->calls % REVISIT == 0)
    choice = runner_up(k, choice);
  else if (trial >= 0)
    choice = trial;
  else
    settled = 1;
  c->settled = settled;
  c->pending = k;
  c->pending_candidate = choice;
  return choice;
}

void ghz_choice_took(choices *c, double seconds, double agreeing, double plain_seconds) {
  call_class *k = c->pending;
  c->pending = NULL;
  if (!k || !(seconds > 0) || !isfinite(seconds))
    return;
  int native = k->candidates[c->pending_candidate].algorithm == GHZ_MPI_NATIVE;
  experience *e = &k->experience[c->pending_candidate];
  if (!native && agreeing > 0 && isfinite(agreeing))
    seconds += agreeing; /* which MPI does not need */
  if (e->trials >= RECENT && seconds > worse * typical(e)) {
    candidate kept[CANDIDATES];
    memcpy(kept, k->candidates, sizeof kept);
    *k = (call_class){.key = k->key, .last_use = k->last_use, .count = k->count};
    memcpy(k->candidates, kept, sizeof kept);
  }
  e->recent[e->trials++ % RECENT] = seconds;
  if (c->settled && k->candidates[c->pending_candidate].algorithm == GHZ_MPI_NATIVE &&
      agreeing > noticeable * seconds)
    k->straight = STRAIGHT;
  if (isfinite(plain_seconds) && plain_seconds > 0)
    k->plain_seconds = plain_seconds;
}
