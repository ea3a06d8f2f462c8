/* overlap.c: calls on several streams at once, and single calls from beginning to end. */
#include "gpu_bench.h"

#include <math.h>

#define SHARED_CALLS 64
#define STREAM_SAMPLES 31
#define SINGLES 200
#define PLAIN_SLOTS 8 /* decompressed arrays of a lane, so that they do not stay in the L2 cache */

/* ---- Several streams ----------------------------------------------------------------------------------- */

typedef struct lanes {
  lane lane[LANES_MOST];
  cudaEvent_t start, end[LANES_MOST], whole;
} lanes;

static void lanes_open(lanes *all, const work *w) {
  for (int i = 0; i < LANES_MOST; i++) {
    lane_open(&all->lane[i], PLAIN_SLOTS * w->n, w->v->value_size);
    must_cuda(cudaEventCreate(&all->end[i]), "cudaEventCreate");
  }
  must_cuda(cudaEventCreate(&all->start), "cudaEventCreate");
  must_cuda(cudaEventCreate(&all->whole), "cudaEventCreate");
}

static void lanes_close(lanes *all) {
  for (int i = 0; i < LANES_MOST; i++) {
    lane_close(&all->lane[i]);
    must_cuda(cudaEventDestroy(all->end[i]), "cudaEventDestroy");
  }
  must_cuda(cudaEventDestroy(all->start), "cudaEventDestroy");
  must_cuda(cudaEventDestroy(all->whole), "cudaEventDestroy");
}

/* Seconds per call where `streams` streams take turns; from the first one's event to when all have ended. */
static double shared_sample(lanes *all, const work *w, operation op, int streams, int calls) {
  cudaStream_t first = all->lane[0].stream;
  measure_lead(first, 2 * calls);
  must_cuda(cudaEventRecord(all->start, first), "cudaEventRecord");
  for (int i = 1; i < streams; i++)
    must_cuda(cudaStreamWaitEvent(all->lane[i].stream, all->start, 0), "cudaStreamWaitEvent");
  for (int call = 0; call < calls; call++)
    work_call(w, &all->lane[call % streams], op, call % w->sets, call);
  for (int i = 1; i < streams; i++) {
    must_cuda(cudaEventRecord(all->end[i], all->lane[i].stream), "cudaEventRecord");
    must_cuda(cudaStreamWaitEvent(first, all->end[i], 0), "cudaStreamWaitEvent");
  }
  must_cuda(cudaEventRecord(all->whole, first), "cudaEventRecord");
  must_cuda(cudaEventSynchronize(all->whole), operation_names[op]);
  work_check(w, op, calls);
  return measure_between(all->start, all->whole) / calls;
}

int measure_streams(const options *o, const work *w, stream_figure figures[STREAM_FIGURES]) {
  static const operation operations[] = {OP_COMPRESS, OP_DECOMPRESS, OP_ADD};
  double seconds[STREAM_SAMPLES];
  int count = 0, samples = o->smoke ? 2 : STREAM_SAMPLES, calls = o->smoke ? 8 : SHARED_CALLS;
  lanes all;
  lanes_open(&all, w);
  for (int i = 0; i < (w->v->in->b ? 3 : 2); i++)
    for (int streams = 1; streams <= LANES_MOST; streams *= 2) {
      shared_sample(&all, w, operations[i], streams, calls); /* warm-up */
      for (int k = 0; k < samples; k++)
        seconds[k] = shared_sample(&all, w, operations[i], streams, calls);
      figures[count++] = (stream_figure){.op = operations[i],
                                         .streams = streams,
                                         .time = timing_of(seconds, samples),
                                         .original = work_original(w, operations[i])};
    }
  lanes_close(&all);
  return count;
}

/* ---- Single calls ---------------------------------------------------------------------------------------- */

/* One compression on an idle stream, between two events. */
static double single_device(const work *w, const lane *l, int set, const cudaEvent_t events[2]) {
  must_cuda(cudaStreamSynchronize(l->stream), "cudaStreamSynchronize");
  must_cuda(cudaEventRecord(events[0], l->stream), "cudaEventRecord");
  work_call(w, l, OP_COMPRESS, set, 0);
  must_cuda(cudaEventRecord(events[1], l->stream), "cudaEventRecord");
  must_cuda(cudaEventSynchronize(events[1]), "compress");
  return measure_between(events[0], events[1]);
}

/* The same by the host's clock: until the call returned, and until the outcome was there. */
static void single_host(const work *w, const lane *l, int set, double *call, double *whole) {
  double start = measure_clock();
  work_call(w, l, OP_COMPRESS, set, 0);
  *call = measure_clock() - start;
  must_cuda(cudaStreamSynchronize(l->stream), "compress");
  *whole = measure_clock() - start;
  work_check(w, OP_COMPRESS, 1);
}

latency_figure measure_latency(const options *o, const work *w, const lane *l) {
  static double device[SINGLES], call[SINGLES], host[SINGLES];
  int count = o->smoke ? 3 : SINGLES;
  cudaEvent_t events[2];
  for (int i = 0; i < 2; i++)
    must_cuda(cudaEventCreate(&events[i]), "cudaEventCreate");
  single_device(w, l, 0, events); /* warm-up */
  for (int i = 0; i < count; i++)
    device[i] = single_device(w, l, i % w->sets, events);
  for (int i = 0; i < count; i++)
    single_host(w, l, i % w->sets, &call[i], &host[i]);
  for (int i = 0; i < 2; i++)
    must_cuda(cudaEventDestroy(events[i]), "cudaEventDestroy");
  return (latency_figure){.bytes = w->bytes,
                          .device = timing_of(device, count),
                          .host = timing_of(host, count),
                          .call = timing_of(call, count),
                          .queued = measure(o, w, l, OP_COMPRESS)};
}
