/* worth.c: what compression is worth nothing to goes uncompressed, and is tried again; where that
 * keeps the bound; on all ranks and in every run alike. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "suite.h"
#include <ghz/mpi.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { COUNT = 1 << 16, MOST = 4, CALLS = 36, FIRST = 10, FILLED = 8, LITTLE = 9, DOUBLED = 10 };

/* Kinds of data: random bits, NaN and infinities too; noise that fills its
 * range; a wave; noise with zeros, whose signs depend on the rank. */
enum { BITS, NOISE, WAVE, ZEROS };

static float in[COUNT * MOST], out[COUNT * MOST], expected[COUNT * MOST];

static uint32_t random_bits(uint32_t *state) {
  uint32_t x = *state += 0x9e3779b9u;
  x = (x ^ x >> 16) * 0x85ebca6bu;
  x = (x ^ x >> 13) * 0xc2b2ae35u;
  return x ^ x >> 16;
}

static void fill(int kind, int seed, float *x) {
  uint32_t state = (uint32_t)(seed * 977 + here.rank * 131 + 7);
  for (int i = 0; i < COUNT * here.ranks; i++) {
    uint32_t bits = random_bits(&state);
    memcpy(&x[i], &bits, sizeof bits);
    if (kind == NOISE || kind == ZEROS)
      x[i] = (float)((double)bits / 4294967296.0 * 2 - 1);
    if (kind == WAVE)
      x[i] = sinf(0.01f * (float)i + (float)here.rank);
    if (kind == ZEROS && i % 1024 == 0)
      x[i] = here.rank % 2 ? -0.0f : 0.0f;
  }
}

typedef struct plan {
  const char *name;
  int call; /* of make() */
  ghz_bound bound;
  ghz_mpi_mode mode;
  int kinds[4];      /* of the first calls two, in turn; then of the others */
  const char *modes; /* of the calls: compressed or plain; NULL: all compressed */
} plan;

static int make(int call, MPI_Comm comm, const ghz_mpi_options *o) {
  switch (call) {
  case 0: return ghz_allreduce(in, out, COUNT, MPI_FLOAT, MPI_SUM, comm, o);
  case 1:
  case DOUBLED: return ghz_allreduce(in, out, COUNT, MPI_FLOAT, MPI_MAX, comm, o);
  case 2: return ghz_reduce(in, out, COUNT, MPI_FLOAT, MPI_MIN, 1, comm, o);
  case 3: return ghz_reduce_scatter(in, out, COUNT, MPI_FLOAT, MPI_MAX, comm, o);
  case 4:
  case FILLED: memcpy(out, in, sizeof(float) * COUNT); return ghz_bcast(out, COUNT, MPI_FLOAT, 1, comm, o);
  case LITTLE: memcpy(out, in, sizeof *in); return ghz_bcast(out, 1, MPI_FLOAT, 1, comm, o);
  case 5: return ghz_allgather(in, out, COUNT, MPI_FLOAT, comm, o);
  case 6: return ghz_scatter(in, out, COUNT, MPI_FLOAT, 0, comm, o);
  default: return ghz_gather(in, out, COUNT, MPI_FLOAT, 1, comm, o);
  }
}

/* What MPI makes of the same data; the values that this rank gets. */
static int reference(int call) {
  MPI_Comm comm = MPI_COMM_WORLD;
  switch (call) {
  case 1: MPI_Allreduce(in, expected, COUNT, MPI_FLOAT, MPI_MAX, comm); return COUNT;
  case 2: MPI_Reduce(in, expected, COUNT, MPI_FLOAT, MPI_MIN, 1, comm); return here.rank == 1 ? COUNT : 0;
  case 3: MPI_Reduce_scatter_block(in, expected, COUNT, MPI_FLOAT, MPI_MAX, comm); return COUNT;
  case 4:
  case FILLED:
    memcpy(expected, in, sizeof(float) * COUNT);
    MPI_Bcast(expected, COUNT, MPI_FLOAT, 1, comm);
    return COUNT;
  case 5: MPI_Allgather(in, COUNT, MPI_FLOAT, expected, COUNT, MPI_FLOAT, comm); return COUNT * here.ranks;
  case 6: MPI_Scatter(in, COUNT, MPI_FLOAT, expected, COUNT, MPI_FLOAT, 0, comm); return COUNT;
  default:
    MPI_Gather(in, COUNT, MPI_FLOAT, expected, COUNT, MPI_FLOAT, 1, comm);
    return here.rank == 1 ? COUNT * here.ranks : 0;
  }
}

/* What is uncompressed is exact. A minimum of NaN and a number is MPI's to choose, and so is that
 * of zeros of both signs; but all ranks have the same bits. */
static void check_exact(const plan *p) {
  int n = reference(p->call), wrong = 0;
  for (int i = 0; i < n; i++)
    wrong += memcmp(&out[i], &expected[i], sizeof out[i]) != 0 &&
             !(p->call < 4 && (out[i] == expected[i] || isnan(out[i]) || isnan(expected[i])));
  check(wrong == 0, "%d of %d values are not those that were sent", wrong, n);
  if (p->call != 1)
    return;
  memcpy(expected, out, sizeof *out * COUNT);
  MPI_Bcast(expected, COUNT, MPI_FLOAT, 0, MPI_COMM_WORLD);
  check(memcmp(expected, out, sizeof *out * COUNT) == 0, "ranks have other bits");
}

static void one_run(const plan *p, MPI_Comm comm, int hurry, char *text) {
  ghz_mpi_report report;
  ghz_mpi_options o = GHZ_MPI_OPTIONS;
  o.bound = p->bound;
  o.mode = p->mode;
  o.algorithm = p->call == DOUBLED ? GHZ_MPI_DOUBLING : GHZ_MPI_ALGORITHM_AUTO;
  o.threshold = p->call == LITTLE ? 0 : -1;
  o.report = &report;
  o.has_fill = p->call == FILLED;
  o.fill = -999;
  for (int i = 0; i < CALLS; i++) {
    fill(p->kinds[(i >= FIRST) * 2 + i % 2], i, in);
    if (hurry != here.rank && i % 5 == 0)
      nanosleep(&(struct timespec){0, 2000000}, NULL);
    if (!check(make(p->call, comm, &o) == MPI_SUCCESS, "call %d fails", i))
      break;
    text[i] = (char)(report.algorithm == GHZ_MPI_NATIVE ? 'p' : 'c');
    if (report.algorithm == GHZ_MPI_NATIVE)
      check_exact(p);
  }
  text[CALLS] = 0;
}

static void try_plan(const plan *p) {
  char text[2][CALLS + 1] = {{0}}, first[CALLS + 1];
  suite_case("%s", p->name);
  for (int run = 0; run < 2; run++) {
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    one_run(p, comm, run, text[run]);
    MPI_Comm_free(&comm);
  }
  memcpy(first, text[0], sizeof first);
  MPI_Bcast(first, sizeof first, MPI_CHAR, 0, MPI_COMM_WORLD);
  check(strcmp(text[0], first) == 0, "%s here, %s on rank 0", text[0], first);
  check(strcmp(text[0], text[1]) == 0, "%s in one run, %s in another", text[0], text[1]);
  const char *modes = p->modes ? p->modes : "cccccccccccccccccccccccccccccccccccc";
  check(strcmp(text[0], modes) == 0, "%s, not %s", text[0], modes);
}

/* What calls with a fill learn tells nothing of those without. */
static void fills_are_another_kind(void) {
  ghz_mpi_report report;
  ghz_mpi_options o = GHZ_MPI_OPTIONS;
  MPI_Comm comm;
  suite_case("a call without a fill, after some with one that did not compress");
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  o.bound = (ghz_bound){GHZ_ABS, 1e-3};
  o.link = 1e7;
  o.report = &report;
  for (int i = 0; i < 6; i++) {
    o.has_fill = i < 5;
    fill(BITS, i, in);
    check(make(4, comm, &o) == MPI_SUCCESS, "call %d fails", i);
    check((report.algorithm == GHZ_MPI_NATIVE) == (i % 5 > 0), "call %d goes by %s", i,
          ghz_mpi_algorithm_name(report.algorithm));
  }
  MPI_Comm_free(&comm);
}

static const char spared[] = "cppppppppppppppppcpppppppppppppppppp";

int main(int argc, char **argv) {
  suite_begin(argc, argv, MPI_THREAD_SINGLE);
  const ghz_bound rel = {GHZ_REL, 1e-4}, tight = {GHZ_REL, 1e-10};
  const plan plans[] = {
      {"sums of random bits", 0, rel, 0, {BITS, BITS, BITS, BITS}, NULL},
      {"sums of noise", 0, tight, 0, {NOISE, NOISE, NOISE, NOISE}, NULL},
      {"zeros of both signs", 1, tight, 0, {ZEROS, ZEROS, ZEROS, ZEROS}, NULL},
      {"zeros of both signs by doubling", DOUBLED, tight, 0, {ZEROS, ZEROS, ZEROS, ZEROS}, NULL},
      {"a broadcast of one value", LITTLE, rel, 0, {BITS, BITS, BITS, BITS}, NULL},
      {"maxima", 1, tight, 0, {NOISE, NOISE, NOISE, NOISE}, NULL},
      {"minima on one rank", 2, tight, 0, {NOISE, NOISE, NOISE, NOISE}, NULL},
      {"maxima in blocks", 3, tight, 0, {NOISE, NOISE, NOISE, NOISE}, NULL},
      {"a broadcast", 4, rel, 0, {BITS, BITS, BITS, BITS}, spared},
      {"an allgather", 5, tight, 0, {NOISE, NOISE, NOISE, NOISE}, spared},
      {"a scatter", 6, rel, 0, {BITS, BITS, BITS, BITS}, spared},
      {"a gather", 7, rel, 0, {BITS, BITS, BITS, BITS}, spared},
      {"a mode that compresses", 4, rel, GHZ_MPI_HOMOMORPHIC, {BITS, BITS, BITS, BITS}, NULL},
      {"a broadcast with a fill", FILLED, rel, 0, {BITS, BITS, BITS, BITS}, NULL},
      {"noise that compresses", 4, rel, 0, {NOISE, NOISE, NOISE, NOISE}, NULL},
      {"noise, then waves", 4, rel, 0, {BITS, BITS, WAVE, WAVE}, "cppppppppppppppppccccccccccccccccccc"},
      {"waves, then noise", 4, rel, 0, {WAVE, WAVE, BITS, BITS}, "ccccccccccccccccccppppppppppppppppcp"},
      {"waves and noise in turn", 4, rel, 0, {WAVE, BITS, WAVE, BITS}, NULL},
      {"noise and waves in turn", 4, rel, 0, {BITS, WAVE, BITS, WAVE}, "cppppppppppppppppccccccccccccccccccc"},
  };
  for (size_t i = 0; i < sizeof plans / sizeof *plans; i++)
    try_plan(&plans[i]);
  fills_are_another_kind();
  return suite_end(NULL);
}
