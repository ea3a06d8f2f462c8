/* count.c: one call on flat arrays of real values, in the interpreter of PTX, so that PTX_COUNTS
 * says how often its kernel's instructions run for a tile; scripts/gpu_instructions.sh maps that to
 * machine code.
 *
 *   ghz_count_ptx compress|decompress|add BOUND TILES A.f32 [B.f32]
 *
 * TILES tiles from the middle of each file; the bound is relative to the range of both. The
 * operands come from the CPU, and the result must be what the CPU makes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpu_support.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is asked for. */
static char what;
static double bound;
static size_t n;
static int count;
static char **paths;

/* The values in the middle of a file. */
static void *values_of(const char *path) {
  float *x = scratch(n * sizeof *x);
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

static void call_once(trial *t) {
  void *x[2] = {NULL, NULL};
  ref_bytes s[2];
  ghz_lattice l;
  for (int i = 0; i < count; i++)
    x[i] = values_of(paths[i]);
  need(ghz_lattice_for(t->cpu, GHZ_F32, (ghz_bound){GHZ_REL, bound}, NULL, (size_t)count,
                       (const void *const *)x, n, &l),
       "lattice");
  for (int i = 0; i < count; i++)
    s[i] = compress(t->cpu, &l, GHZ_ORDER_BEST, x[i], n);
  operation o = {.kind = COMPRESS, .lattice = l, .order = GHZ_ORDER_BEST, .x = x[0], .n = n};
  if (what == 'a')
    o = (operation){.kind = ADD, .lattice = l, .n = n, .k = 2, .operands = s};
  const reading r = {.type = GHZ_F32, .n = n, .source = s[0], .out = GHZ_F32, .kind = DECOMPRESS};
  if (what == 'd')
    agree_values(t, &r, "decompress");
  else
    same_bytes(t, gpu_make(t, &o, room_for(&o), "the call").bytes, cpu_make(t, &o).bytes, "the call");
  printf("%zu tiles, %zu bytes of an operand\n", n / GHZ_TILE, s[0].size);
}

int main(int argc, char **argv) {
  what = argc > 1 ? argv[1][0] : 0;
  count = argc - 4;
  if (!what || !strchr("cda", what) || count < 1 + (what == 'a') || count > 2) {
    fputs("usage: ghz_count_ptx compress|decompress|add BOUND TILES A.f32 [B.f32]\n", stderr);
    return 2;
  }
  bound = strtod(argv[2], NULL);
  n = strtoull(argv[3], NULL, 10) * GHZ_TILE;
  paths = argv + 4;
  return run_check(argv[1], call_once, QUICK) != 0;
}
