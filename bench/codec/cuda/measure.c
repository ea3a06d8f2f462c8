/* measure.c: owns the timing of calls by device events. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cuda.h"

#include <math.h>

#define MAX_SAMPLES 400
#define MIN_SAMPLES 9
#define SAMPLE_SECONDS 1e-3 /* short calls are repeated until a sample lasts as long */
#define LEAD_BYTES (256 * MIB)
#define CALLS_PER_LEAD 12 /* which the host queues while the device copies LEAD_BYTES */

/* Copies that go before a sample. They keep the device busy until the host has queued all calls of
 * the sample, so that none waits for the host, and they evict what was in the L2 cache. */
static struct lead {
  char *memory[2];
  size_t bytes;
} lead;

void measure_open(bool quick) {
  lead.bytes = quick ? 1024 : LEAD_BYTES;
  for (int i = 0; i < 2; i++)
    lead.memory[i] = device_new(lead.bytes);
}

void measure_close(void) {
  for (int i = 0; i < 2; i++)
    device_free(lead.memory[i]);
}

static void put_lead(cudaStream_t stream, int calls) {
  for (int i = 0; i <= calls / CALLS_PER_LEAD; i++)
    must_cuda(cudaMemcpyAsync(lead.memory[1], lead.memory[0], lead.bytes, cudaMemcpyDeviceToDevice, stream),
              "cudaMemcpyAsync");
}

static timing timing_of(double *seconds, int count) {
  double middle = median(seconds, count);
  double quartiles = quantile(seconds, count, 0.75) - quantile(seconds, count, 0.25);
  return (timing){middle, seconds[0], middle > 0 ? quartiles / middle : 0, count};
}

/* Seconds per call of a sample. */
static double sample(const work *w, const slot *s, operation op, int sets, int calls,
                     const cudaEvent_t events[2]) {
  float milliseconds;
  put_lead(s->stream, calls * (op == OP_SEPARATE ? 4 : 1));
  must_cuda(cudaEventRecord(events[0], s->stream), "cudaEventRecord");
  for (int call = 0; call < calls; call++)
    work_call(w, s, op, call % sets, call);
  must_cuda(cudaEventRecord(events[1], s->stream), "cudaEventRecord");
  must_cuda(cudaEventSynchronize(events[1]), cuda_operations[op]);
  work_must(w, op, calls);
  must_cuda(cudaEventElapsedTime(&milliseconds, events[0], events[1]), "cudaEventElapsedTime");
  return 1e-3 * (double)milliseconds / calls;
}

/* Calls in a sample: whole rounds over the sets. */
static int calls_for(int sets, double seconds) {
  double rounds = fmax(1, ceil(SAMPLE_SECONDS / (seconds * sets)));
  return sets * (int)fmax(1, fmin(rounds, MAX_CALLS / sets));
}

static timing measure_calls(const options *o, const work *w, const slot *s, operation op) {
  static double seconds[MAX_SAMPLES];
  int sets = work_round_sets(w, op), count = 0;
  int least = o->quick ? 2 : MIN_SAMPLES;
  cudaEvent_t events[2];
  for (int i = 0; i < 2; i++)
    must_cuda(cudaEventCreate(&events[i]), "cudaEventCreate");
  sample(w, s, op, sets, sets, events); /* warm-up */
  int calls = calls_for(sets, fmax(1e-7, sample(w, s, op, sets, sets, events)));
  double start = clock_seconds();
  while (count < least || (count < MAX_SAMPLES && clock_seconds() - start < o->seconds))
    seconds[count++] = sample(w, s, op, sets, calls, events);
  for (int i = 0; i < 2; i++)
    must_cuda(cudaEventDestroy(events[i]), "cudaEventDestroy");
  return timing_of(seconds, count);
}

static figure figure_of(const work *w, double bound, operation op, timing t) {
  figure f = {.pair = w->v->pair,
              .bound = bound,
              .bytes = w->bytes,
              .shape = w->shape,
              .op = op,
              .time = t,
              .of_separate = NAN,
              .sets = work_round_sets(w, op)};
  double packed = 0;
  for (int set = 0; set < f.sets; set++) {
    packed += work_packed(w, op, set) / f.sets;
    f.moved += work_moved(w, op, set) / f.sets;
  }
  f.ratio = (double)w->bytes / packed;
  f.cached = f.moved * f.sets < 2 * (double)device_l2();
  return f;
}

void measure_all(const options *o, const work *w, const slot *s, double bound, figure figures[OPS]) {
  for (int op = 0; op < OPS; op++)
    figures[op] = figure_of(w, bound, (operation)op, measure_calls(o, w, s, (operation)op));
  figures[OP_ADD].of_separate = figures[OP_SEPARATE].time.median / figures[OP_ADD].time.median;
}

double measure_copy(const options *o, const values *v, const slot *s, size_t bytes) {
  work w = {.v = v, .n = bytes / v->value_size, .bytes = bytes, .sets = 1};
  return work_moved(&w, OP_COPY, 0) / measure_calls(o, &w, s, OP_COPY).median;
}
