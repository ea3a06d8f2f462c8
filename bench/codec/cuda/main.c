/* main.c: owns the order of a run on a CUDA device. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cuda.h"

#include <stdlib.h>

/* Values that arrays need at least, so that they are typical of the field. */
static size_t values_needed(const options *o, const pair *p) {
  size_t max = (size_t)o->sizes.x[o->sizes.n - 1] / (o->type ? sizeof(double) : sizeof(float));
  return max > p->a.n ? max : p->a.n;
}

static values load(const options *o, ghz_context *cpu, pair *p) {
  pair_load(p);
  values v = values_make(cpu, o->type ? GHZ_F64 : GHZ_F32, p, values_needed(o, p));
  pair_free(p);
  return v;
}

/* Every call has run once, so that the sizes of all results are known. */
static work open_sized(const results *r, const values *v, const slot *s, double bound, const ghz_shape *shape) {
  work w = work_open(v, s, bound, shape, r->options->quick);
  for (int op = 0; op < OPS; op++)
    for (int set = 0; set < work_usable_sets(&w, (operation)op); set++)
      work_run(&w, s, (operation)op, set);
  work_fit(&w);
  return w;
}

static void run_shape(results *r, const values *v, const slot *s, double bound, const ghz_shape *shape) {
  const options *o = r->options;
  work w = open_sized(r, v, s, bound, shape);
  measure_all(o, &w, s, bound, r->figures + r->n_figures);
  r->n_figures += OPS;
  cuda_report_figures(r, r->n_figures - OPS);
  if (o->csv) /* so far, in case the run does not end */
    cuda_report_csv(r);
  work_close(&w);
}

/* Flat, and as bricks where the field has them. */
static void run_size(results *r, const values *v, const slot *s, double bound, size_t bytes) {
  const size_t n = bytes / v->value_size;
  const ghz_shape shapes[2] = {ghz_flat(n), work_bricks(v->pair, n)};
  for (int i = 0; i < 1 + (shapes[1].dims > 1); i++)
    run_shape(r, v, s, bound, &shapes[i]);
}

static void run_pair(results *r, ghz_context *cpu, pair *p) {
  const options *o = r->options;
  values v = load(o, cpu, p);
  slot s;
  slot_open(&s, v.n, v.value_size);
  if (r->copy <= 0) {
    r->copy = measure_copy(o, &v, &s, (size_t)o->sizes.x[o->sizes.n - 1]);
    cuda_report_begin(r);
  }
  for (int b = 0; b < o->bounds.n; b++)
    for (int i = 0; i < o->sizes.n; i++)
      run_size(r, &v, &s, o->bounds.x[b], (size_t)o->sizes.x[i]);
  slot_close(&s);
  values_free(&v);
}

void cuda_run(const options *o, pair *pairs, int n_pairs) {
  int devices = 0;
  ghz_context *cpu;
  if (!ghz_cuda_built() || cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0)
    die("no CUDA device", ghz_cuda_built() ? "" : "libghz was built without CUDA");
  if (ghz_context_create(&cpu, 0) != GHZ_OK)
    die("ghz_context_create", "");
  results r = {.options = o};
  r.figures = touched((size_t)(2 * n_pairs * o->bounds.n * o->sizes.n * OPS) * sizeof *r.figures);
  measure_open(o->quick);
  for (int i = 0; i < n_pairs; i++)
    run_pair(&r, cpu, &pairs[i]);
  measure_close();
  ghz_context_free(cpu);
  free(r.figures);
}
