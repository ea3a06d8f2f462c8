/* snapshots.c: owns which snapshots there are, and which rank holds them.
 *
 * Without files, the snapshots are neighbours in time of one wave. Of F files, snapshot s is file s mod F,
 * moved along the rows by `shift` cells for every round through the files, as if the source had moved. Noise is
 * a function of the snapshot's number. So the same snapshots can be spread over any number of ranks.
 */
#include "stacking.h"

#include <random.h>

#include <math.h>
#include <stdlib.h>
#include <time.h>

/* Rank 0 may work for half a minute: a rank that polled all the while would take its processor. */
static int hear(void) {
  int word, done = 0;
  MPI_Request request;
  MPI_Ibcast(&word, 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
  for (;;) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done)
      return word;
    nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
  }
}

static void say(int word) {
  MPI_Request request;
  MPI_Ibcast(&word, 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void widen(const float *x, size_t n, double *min, double *max) {
  for (size_t i = 0; i < n; i++)
    if (isfinite(x[i])) {
      *min = x[i] < *min ? x[i] : *min;
      *max = x[i] > *max ? x[i] : *max;
    }
}

/* What it takes to turn fields into snapshots, on every rank. */
typedef struct filling {
  snapshots *s;
  const options *o;
  float *field; /* the one that came last */
  int fields, next;
} filling;

/* Writes snapshot `number`. */
static void derive(const filling *f, int number, double range, float *to) {
  const snapshots *s = f->s;
  size_t shift = (size_t)(number / f->fields) * f->o->shift % s->size;
  double deviation = f->o->noise * range;
#pragma omp parallel for
  for (size_t i = 0; i < s->n; i++) {
    size_t column = i % s->size, from = i - column + (column + s->size - shift) % s->size;
    double noise = deviation > 0 ? deviation * random_normal((uint64_t)number, i) : 0;
    to[i] = (float)((double)f->field[from] + noise);
  }
}

/* Gets the next field to everyone, who make their snapshots of it. */
static void spread(filling *f) {
  snapshots *s = f->s;
  double min = INFINITY, max = -INFINITY;
  MPI_Bcast(f->field, (int)s->n, MPI_FLOAT, 0, MPI_COMM_WORLD);
  widen(f->field, s->n, &min, &max);
  for (int i = 0; i < s->count; i++)
    if ((s->first + i) % f->fields == f->next)
      derive(f, s->first + i, max > min ? max - min : 0, s->values + (size_t)i * s->n);
  f->next++;
}

/* On rank 0, for every field. */
static void take_field(void *taker, const float *values) {
  filling *f = taker;
  for (size_t i = 0; i < f->s->n; i++)
    f->field[i] = values[i];
  say(1);
  spread(f);
}

static bool fill(filling *f, const inputs *in) {
  bool good = true;
  snapshots *s = f->s;
  if (my_rank() == 0) {
    good = inputs_each(in, take_field, f);
    if (f->next < f->fields)
      say(0);
  } else {
    while (f->next < f->fields && (good = hear()))
      spread(f);
  }
  widen(s->values, (size_t)s->count * s->n, &s->min, &s->max);
  MPI_Allreduce(MPI_IN_PLACE, &s->min, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &s->max, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return all_true(good);
}

/* Rank 0 looks at the inputs and tells everyone the size and number of the fields; 0: said why. */
static size_t agree_on_size(inputs *in, const options *o, int total) {
  uint64_t facts[2] = {0, 0};
  if (my_rank() == 0 && inputs_open(in, o, total)) {
    facts[0] = in->size;
    facts[1] = (uint64_t)in->count;
  }
  MPI_Bcast(facts, 2, MPI_UINT64_T, 0, MPI_COMM_WORLD);
  in->count = (int)facts[1];
  return (size_t)facts[0];
}

bool snapshots_make(snapshots *s, const options *o) {
  inputs in;
  long total = o->total > 0 ? o->total : (long)o->per_rank * ranks(), rank = my_rank();
  size_t size = agree_on_size(&in, o, (int)total);
  if (size == 0)
    return false;
  *s = (snapshots){
      .size = size, .n = size * size * size, .total = (int)total, .min = INFINITY, .max = -INFINITY};
  s->first = (int)(total * rank / ranks());
  s->count = (int)(total * (rank + 1) / ranks()) - s->first;
  size_t values = (size_t)(s->count > 0 ? s->count : 1) * s->n;
  filling f = {.s = s, .o = o, .fields = in.count};
  s->values = malloc(values * sizeof *s->values);
  f.field = malloc(s->n * sizeof *f.field);
  bool good = (s->values && f.field) || complain("rank %ld: out of memory for %d snapshots", rank, s->count);
  good = all_true(good) && fill(&f, &in);
  free(f.field);
  if (!good)
    free(s->values);
  return good;
}
