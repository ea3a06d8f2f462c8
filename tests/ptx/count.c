/* count.c: one call on flat arrays of real values, in the interpreter of PTX, so that PTX_COUNTS
 * says how often its kernel's instructions run for a tile; scripts/gpu_instructions.sh maps that to
 * machine code.
 *
 *   ghz_count_ptx compress|decompress|add BOUND TILES A.f32 [B.f32]
 *
 * TILES tiles from the middle of each file; the bound is relative to the range of both. The
 * operands come from the CPU, and the result must be what the CPU makes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <ghz/cuda.h>

#include <cuda_runtime_api.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ghz_cuda *gpu;

static void *kept(size_t bytes) {
  void *p = calloc(1, bytes);
  if (!p) {
    fputs("ghz_count_ptx: no memory\n", stderr);
    exit(1);
  }
  return p;
}

static void must(int status, const char *what) {
  if (status) {
    fprintf(stderr, "ghz_count_ptx: %s: %d (%s)\n", what, status, gpu ? ghz_cuda_message(gpu) : "no context");
    exit(1);
  }
}

/* n values from the middle of a file. */
static float *values_of(const char *path, size_t n) {
  float *x = kept(n * sizeof *x);
  FILE *file = fopen(path, "rb");
  long bytes;
  if (!file || fseek(file, 0, SEEK_END) || (bytes = ftell(file)) < (long)(n * sizeof *x) ||
      fseek(file, (bytes - (long)(n * sizeof *x)) / 8 * 4, SEEK_SET) || fread(x, sizeof *x, n, file) != n) {
    fprintf(stderr, "ghz_count_ptx: %s has no %zu values\n", path, n);
    exit(1);
  }
  fclose(file);
  return x;
}

static void *on_device(const void *bytes, size_t size) {
  void *p = NULL;
  must(cudaMalloc(&p, size), "cudaMalloc");
  if (bytes)
    must(cudaMemcpy(p, bytes, size, cudaMemcpyDefault), "cudaMemcpy");
  return p;
}

typedef struct operands {
  size_t n, room, size[2];
  float *x[2];
  void *stream[2];
  ghz_lattice lattice;
} operands;

static void compress_on_cpu(operands *o, ghz_context *cpu, int count, double bound) {
  double low = INFINITY, high = -INFINITY;
  for (int i = 0; i < count; i++)
    for (size_t k = 0; k < o->n; k++) {
      low = fmin(low, o->x[i][k]);
      high = fmax(high, o->x[i][k]);
    }
  must(ghz_lattice_make(GHZ_F32, (ghz_bound){GHZ_ABS, bound * (high - low)}, low, high, &o->lattice),
       "lattice");
  for (int i = 0; i < count; i++) {
    o->stream[i] = kept(o->room);
    must(ghz_compress(cpu, &o->lattice, GHZ_ORDER_BEST, o->x[i], o->n, o->stream[i], o->room, &o->size[i]),
         "compress");
  }
}

/* The result on the CPU. Returns its bytes. */
static size_t expected(const operands *o, ghz_context *cpu, char operation, void *result) {
  size_t size = o->size[0];
  if (operation == 'c')
    memcpy(result, o->stream[0], size);
  if (operation == 'd') {
    size = o->n * sizeof(float);
    must(ghz_decompress(cpu, (ghz_bytes){o->stream[0], o->size[0]}, GHZ_F32, result, o->n), "decompress");
  }
  if (operation == 'a')
    must(ghz_add(cpu, (ghz_bytes){o->stream[0], o->size[0]}, (ghz_bytes){o->stream[1], o->size[1]}, result,
                 o->room, &size),
         "add");
  return size;
}

/* The same on the device. */
static size_t run(const operands *o, char operation, void *result) {
  const ghz_shape shape = ghz_flat(o->n);
  void *to = on_device(NULL, o->room), *from[2] = {NULL, NULL};
  ghz_cuda_outcome *outcome = NULL, ended;
  must(cudaMallocHost((void **)&outcome, sizeof *outcome), "cudaMallocHost");
  for (int i = 0; i < 2; i++)
    from[i] = o->stream[i] ? on_device(o->stream[i], o->size[i]) : NULL;
  const ghz_bytes a = {from[0], o->size[0]}, b = {from[1], o->size[1]};
  if (operation == 'c')
    must(ghz_cuda_compress(gpu, &o->lattice, GHZ_ORDER_BEST, on_device(o->x[0], o->n * sizeof(float)), shape,
                           to, o->room, outcome, NULL),
         "compress");
  if (operation == 'd')
    must(ghz_cuda_decompress(gpu, GHZ_F32, shape, a, GHZ_F32, to, outcome, NULL), "decompress");
  if (operation == 'a')
    must(ghz_cuda_add(gpu, GHZ_F32, shape, a, b, to, o->room, outcome, NULL), "add");
  must(ghz_cuda_wait(gpu, outcome, &ended, NULL), "the call");
  must(cudaMemcpy(result, to, ended.size, cudaMemcpyDefault), "cudaMemcpy");
  return ended.size;
}

int main(int argc, char **argv) {
  operands o = {0};
  ghz_context *cpu = NULL;
  const char operation = argc > 1 ? argv[1][0] : 0;
  const int count = argc - 4;
  if (!operation || !strchr("cda", operation) || count < 1 + (operation == 'a') || count > 2) {
    fputs("usage: ghz_count_ptx compress|decompress|add BOUND TILES A.f32 [B.f32]\n", stderr);
    return 2;
  }
  o.n = strtoull(argv[3], NULL, 10) * GHZ_TILE;
  o.room = ghz_size_bound(o.n, GHZ_F32, 2);
  o.room = o.room > 4 * o.n ? o.room : 4 * o.n;
  for (int i = 0; i < count; i++)
    o.x[i] = values_of(argv[4 + i], o.n);
  must(ghz_context_create(&cpu, 1), "context");
  must(ghz_cuda_create(&gpu, o.n, 2), "context of the device");
  compress_on_cpu(&o, cpu, count, strtod(argv[2], NULL));
  void *right = kept(o.room), *result = kept(o.room);
  const size_t size = expected(&o, cpu, operation, right);
  const int same = run(&o, operation, result) == size && memcmp(result, right, size) == 0;
  printf("%s: %zu tiles, %zu bytes of an operand, %zu of the result, %s the CPU's\n", argv[1], o.n / GHZ_TILE,
         o.size[0], size, same ? "equal to" : "not");
  ghz_cuda_free(gpu);
  ghz_context_free(cpu);
  return !same;
}
