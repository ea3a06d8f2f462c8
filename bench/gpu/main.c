/* main.c: the order of a run of ghz_gpu_bench. */
#include "gpu_bench.h"

#include <stdlib.h>

#define STREAM_BYTES (16 * MIB)

/* Values that arrays need at least, so that they are typical of the field. */
static size_t values_needed(const options *o) {
  size_t most = o->sizes[o->n_sizes - 1] / ghz_type_size(o->type), cube = o->edge * o->edge * o->edge;
  return most > cube ? most : cube;
}

static void run_input(results *r, const input *in, const lane *l) {
  const options *o = r->options;
  values v = values_make(o, in, values_needed(o));
  if (r->copy <= 0) {
    r->copy = measure_copy(o, &v, l, o->sizes[o->n_sizes - 1]);
    report_head(r);
  }
  for (int b = 0; b < o->n_bounds; b++)
    for (int s = 0; s < o->n_sizes; s++) {
      work w = work_make(o, &v, l, o->bounds[b], o->sizes[s] / v.value_size);
      int first = r->n_figures;
      r->n_figures += measure_all(o, &w, l, o->bounds[b], r->figures + first);
      report_figures(r, first);
      if (o->csv) /* so far, in case the run does not end */
        report_csv(r);
      work_free(&w);
    }
  values_free(&v);
}

/* Several streams at once, and single calls, one after the other. */
static void run_overlap(results *r, const input *in, const lane *l) {
  static const size_t sizes[] = {4 * 1024, 256 * 1024, MIB};
  const options *o = r->options;
  values v = values_make(o, in, values_needed(o));
  r->overlap_input = in;
  r->overlap_bound = o->bounds[0];
  r->stream_bytes = STREAM_BYTES < v.n * v.value_size / 2 ? STREAM_BYTES : o->sizes[0];
  work w = work_make(o, &v, l, r->overlap_bound, r->stream_bytes / v.value_size);
  r->n_streams = measure_streams(o, &w, r->streams);
  work_free(&w);
  report_streams(r);
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    if (sizes[i] > v.n * v.value_size)
      continue;
    w = work_make(o, &v, l, r->overlap_bound, sizes[i] / v.value_size);
    r->latencies[r->n_latencies++] = measure_latency(o, &w, l);
    work_free(&w);
  }
  report_latencies(r);
  values_free(&v);
}

/* The input of those: the first pair, or else the first of all. */
static const input *pick(const input *inputs, int count) {
  for (int i = 0; i < count; i++)
    if (inputs[i].b)
      return &inputs[i];
  return &inputs[0];
}

int main(int argc, char **argv) {
  options o = options_read(argc, argv);
  input inputs[MAX_INPUTS];
  int count = inputs_find(&o, inputs), devices = 0;
  if (!ghz_cuda_built() || cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0)
    die("no CUDA device", ghz_cuda_built() ? "" : "libghz was built without CUDA");
  fields_make(&o, inputs, count);
  results r = {.options = &o};
  r.figures = calloc((size_t)(count * o.n_bounds * o.n_sizes) * OPS, sizeof *r.figures);
  if (!r.figures)
    die("out of memory", "");
  lane l;
  lane_open(&l, values_needed(&o), ghz_type_size(o.type));
  measure_open(&o);
  for (int i = 0; i < count; i++)
    run_input(&r, &inputs[i], &l);
  run_overlap(&r, pick(inputs, count), &l);
  if (o.csv)
    report_csv(&r);
  measure_close();
  lane_close(&l);
  check_close();
  fields_free();
  free(r.figures);
  return 0;
}
