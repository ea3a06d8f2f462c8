/* overlap.c: owns the timing of calls on several streams at once, and of single calls. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cuda.h"

#include <math.h>

#define SHARED_CALLS 64
#define STREAM_SAMPLES 31
#define SINGLES 200
#define PLAIN_SLOTS 8 /* decompressed arrays of a slot, so that they do not stay in the L2 cache */

/* ---- Several streams ------------------------------------------------------------------------- */

typedef struct slots {
  slot slot[MAX_STREAMS];
  cudaEvent_t start, end[MAX_STREAMS], whole;
} slots;

static void slots_open(slots *all, const work *w) {
  for (int i = 0; i < MAX_STREAMS; i++) {
    slot_open(&all->slot[i], PLAIN_SLOTS * w->n, w->v->value_size);
    all->end[i] = event_new();
  }
  all->start = event_new();
  all->whole = event_new();
}

static void slots_close(slots *all) {
  for (int i = 0; i < MAX_STREAMS; i++) {
    slot_close(&all->slot[i]);
    event_free(all->end[i]);
  }
  event_free(all->start);
  event_free(all->whole);
}

/* Seconds per call where streams take turns, from the first event until all have ended. */
static double shared_sample(slots *all, const work *w, operation op, int streams, int calls) {
  cudaStream_t first = all->slot[0].stream;
  measure_lead(first, 2 * calls);
  must_cuda(cudaEventRecord(all->start, first), "cudaEventRecord");
  for (int i = 1; i < streams; i++)
    must_cuda(cudaStreamWaitEvent(all->slot[i].stream, all->start, 0), "cudaStreamWaitEvent");
  for (int call = 0; call < calls; call++)
    work_call(w, &all->slot[call % streams], op, call % w->sets, call);
  for (int i = 1; i < streams; i++) {
    must_cuda(cudaEventRecord(all->end[i], all->slot[i].stream), "cudaEventRecord");
    must_cuda(cudaStreamWaitEvent(first, all->end[i], 0), "cudaStreamWaitEvent");
  }
  must_cuda(cudaEventRecord(all->whole, first), "cudaEventRecord");
  must_cuda(cudaEventSynchronize(all->whole), cuda_operations[op]);
  work_must(w, op, calls);
  return measure_between(all->start, all->whole) / calls;
}

void measure_streams(const options *o, const work *w, stream_figure figures[STREAM_FIGURES]) {
  static const operation operations[] = {OP_COMPRESS, OP_DECOMPRESS, OP_ADD};
  double seconds[STREAM_SAMPLES];
  int count = 0, samples = o->quick ? 2 : STREAM_SAMPLES, calls = o->quick ? 8 : SHARED_CALLS;
  slots all;
  slots_open(&all, w);
  for (int i = 0; i < 3; i++)
    for (int streams = 1; streams <= MAX_STREAMS; streams *= 2) {
      shared_sample(&all, w, operations[i], streams, calls); /* warm-up */
      for (int k = 0; k < samples; k++)
        seconds[k] = shared_sample(&all, w, operations[i], streams, calls);
      figures[count++] = (stream_figure){.op = operations[i],
                                         .streams = streams,
                                         .time = timing_of(seconds, samples),
                                         .original = work_original(w, operations[i])};
    }
  slots_close(&all);
}

/* ---- Single calls ---------------------------------------------------------------------------- */

/* One compression on an idle stream, between two events. */
static double single_device(const work *w, const slot *s, int set, const cudaEvent_t events[2]) {
  must_cuda(cudaStreamSynchronize(s->stream), "cudaStreamSynchronize");
  must_cuda(cudaEventRecord(events[0], s->stream), "cudaEventRecord");
  work_call(w, s, OP_COMPRESS, set, 0);
  must_cuda(cudaEventRecord(events[1], s->stream), "cudaEventRecord");
  must_cuda(cudaEventSynchronize(events[1]), "compress");
  return measure_between(events[0], events[1]);
}

/* The same by the host's clock: until the call returned, and until the outcome had arrived. */
static void single_host(const work *w, const slot *s, int set, double *call, double *whole) {
  double start = clock_seconds();
  work_call(w, s, OP_COMPRESS, set, 0);
  *call = clock_seconds() - start;
  must_cuda(cudaStreamSynchronize(s->stream), "compress");
  *whole = clock_seconds() - start;
  work_must(w, OP_COMPRESS, 1);
}

latency_figure measure_latency(const options *o, const work *w, const slot *s) {
  static double device[SINGLES], call[SINGLES], host[SINGLES];
  int count = o->quick ? 3 : SINGLES;
  cudaEvent_t events[2] = {event_new(), event_new()};
  single_device(w, s, 0, events); /* warm-up */
  for (int i = 0; i < count; i++)
    device[i] = single_device(w, s, i % w->sets, events);
  for (int i = 0; i < count; i++)
    single_host(w, s, i % w->sets, &call[i], &host[i]);
  event_free(events[0]);
  event_free(events[1]);
  return (latency_figure){.bytes = w->bytes,
                          .device = timing_of(device, count),
                          .host = timing_of(host, count),
                          .call = timing_of(call, count),
                          .queued = measure_calls(o, w, s, OP_COMPRESS)};
}
