/* measure.c: times of calls by device events. */
#include "gpu_bench.h"

#include <math.h>
#include <string.h>
#include <time.h>

#define SAMPLES_MOST 400
#define SAMPLES_LEAST 9
#define SAMPLE_SECONDS 1e-3 /* short calls are repeated until a sample lasts as long */
#define LEAD_BYTES (256 * MIB)
#define CALLS_PER_LEAD 12 /* which the host queues while the device copies LEAD_BYTES */

/* Copies that go before a sample. They keep the device busy until the host has queued all calls of the sample, so that none
 * waits for the host; and they push what was there out of the L2 cache. */
static struct lead {
  char *memory[2];
  size_t bytes;
} lead;

void measure_open(const options *o) {
  lead.bytes = o->smoke ? 1024 : LEAD_BYTES;
  for (int i = 0; i < 2; i++)
    lead.memory[i] = device_new(lead.bytes);
}

void measure_close(void) {
  for (int i = 0; i < 2; i++)
    device_free(lead.memory[i]);
}

void measure_lead(cudaStream_t stream, int calls) {
  for (int i = 0; i <= calls / CALLS_PER_LEAD; i++)
    must_cuda(cudaMemcpyAsync(lead.memory[1], lead.memory[0], lead.bytes, cudaMemcpyDeviceToDevice, stream),
              "cudaMemcpyAsync");
}

double measure_clock(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double measure_between(cudaEvent_t from, cudaEvent_t to) {
  float milliseconds;
  must_cuda(cudaEventElapsedTime(&milliseconds, from, to), "cudaEventElapsedTime");
  return 1e-3 * (double)milliseconds;
}

/* Seconds per call of a sample. */
static double sample(const work *w, const lane *l, operation op, int sets, int calls,
                     const cudaEvent_t events[2]) {
  work_restore(w, l, op, sets);
  measure_lead(l->stream, calls * (op == OP_SEPARATE ? 4 : 1));
  must_cuda(cudaEventRecord(events[0], l->stream), "cudaEventRecord");
  for (int call = 0; call < calls; call++)
    work_call(w, l, op, call % sets, call);
  must_cuda(cudaEventRecord(events[1], l->stream), "cudaEventRecord");
  must_cuda(cudaEventSynchronize(events[1]), operation_names[op]);
  work_check(w, op, calls);
  return measure_between(events[0], events[1]) / calls;
}

/* Calls in a sample: whole rounds over the sets. An accumulation changes its operand and has one round. */
static int calls_for(operation op, int sets, double seconds) {
  double rounds = op == OP_ACCUMULATE ? 1 : fmax(1, ceil(SAMPLE_SECONDS / (seconds * sets)));
  return sets * (int)fmax(1, fmin(rounds, CALLS_MOST / sets));
}

timing measure(const options *o, const work *w, const lane *l, operation op) {
  static double seconds[SAMPLES_MOST];
  int sets = work_sets(w, op), count = 0;
  int least = o->smoke ? 2 : SAMPLES_LEAST;
  cudaEvent_t events[2];
  for (int i = 0; i < 2; i++)
    must_cuda(cudaEventCreate(&events[i]), "cudaEventCreate");
  sample(w, l, op, sets, sets, events); /* warm-up */
  int calls = calls_for(op, sets, fmax(1e-7, sample(w, l, op, sets, sets, events)));
  double start = measure_clock();
  while (count < least || (count < SAMPLES_MOST && measure_clock() - start < o->seconds))
    seconds[count++] = sample(w, l, op, sets, calls, events);
  for (int i = 0; i < 2; i++)
    must_cuda(cudaEventDestroy(events[i]), "cudaEventDestroy");
  timing t = timing_of(seconds, count);
  t.calls = calls;
  return t;
}

static figure figure_of(const work *w, double bound, operation op, timing t) {
  figure f = {.in = w->v->in,
              .bound = bound,
              .bytes = w->bytes,
              .op = op,
              .time = t,
              .original = work_original(w, op),
              .of_separate = NAN,
              .sets = work_sets(w, op)};
  double packed = 0;
  for (int set = 0; set < f.sets; set++) {
    packed += work_packed(w, op, set) / f.sets;
    f.moved += work_moved(w, op, set) / f.sets;
  }
  f.ratio = (double)w->bytes / packed;
  f.cached = f.moved * f.sets < 2 * (double)device_l2();
  return f;
}

int measure_all(const options *o, const work *w, const lane *l, double bound, figure figures[OPS]) {
  int count = 0;
  double separate = NAN;
  for (int op = 0; op < OPS; op++) {
    if (!work_has(w, (operation)op))
      continue;
    figures[count] = figure_of(w, bound, (operation)op, measure(o, w, l, (operation)op));
    if (op == OP_SEPARATE)
      separate = figures[count].time.median;
    count++;
  }
  for (int i = 0; i < count; i++)
    if (figures[i].op == OP_ADD || figures[i].op == OP_ACCUMULATE)
      figures[i].of_separate = separate / figures[i].time.median;
  return count;
}

double measure_copy(const options *o, const values *v, const lane *l, size_t bytes) {
  work w = {.v = v, .n = bytes / v->value_size, .bytes = bytes, .sets = 1};
  return work_moved(&w, OP_COPY, 0) / measure(o, &w, l, OP_COPY).median;
}
