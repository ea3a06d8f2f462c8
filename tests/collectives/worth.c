/* worth.c: what compression is worth nothing to goes uncompressed, and is tried again; where that
 * keeps the bound; on all ranks and in every run alike. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "request.h"
#include "suite.h"
#include <math.h>
#include <string.h>
#include <time.h>

enum { COUNT = 1 << 16, MOST = 4, CALLS = 36, FIRST = 10 };

/* Kinds of data: random bits, NaN and infinities too; noise that fills its range; a wave; noise
 * with zeros, whose signs depend on the rank; a block of noise behind zeros. */
enum { BITS = 'b', NOISE = 'n', WAVE = 'w', ZEROS = 'z', ONE_BLOCK = 'o' };

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
    if (kind == NOISE || kind == ZEROS || kind == ONE_BLOCK)
      x[i] = (float)((double)bits / 4294967296.0 * 2 - 1);
    if (kind == WAVE)
      x[i] = sinf(0.01f * (float)i + (float)here.rank);
    if (kind == ONE_BLOCK && i < COUNT * (here.ranks - 1))
      x[i] = 0;
    if (kind == ZEROS && i % 1024 == 0)
      x[i] = here.rank % 2 ? -0.0f : 0.0f;
  }
}

typedef struct plan {
  const char *name;
  collective what;
  MPI_Op op;
  enum { USUAL, ALWAYS, DOUBLED, FILLED, FILLED_AT_FIRST, ONE_VALUE } how;
  ghz_bound bound;
  const char *kinds; /* of the first calls two, in turn; then of the others */
  const char *modes; /* of the calls: compressed or by MPI; NULL: all compressed */
} plan;

static test_request request_for(const plan *p, MPI_Comm comm, ghz_mpi_report *report) {
  test_request r = request_of(p->what, in, out, p->how == ONE_VALUE ? 1 : COUNT, MPI_FLOAT, comm);
  r.op = p->op;
  r.root = 1;
  r.options.bound = p->bound;
  r.options.mode = p->how == ALWAYS ? GHZ_MPI_HOMOMORPHIC : GHZ_MPI_MODE_AUTO;
  r.options.algorithm = p->how == DOUBLED ? GHZ_MPI_DOUBLING : GHZ_MPI_ALGORITHM_AUTO;
  r.options.threshold = p->how == ONE_VALUE ? 0 : -1;
  r.options.report = report;
  r.options.link = p->how == FILLED_AT_FIRST ? 1e7 : GHZ_MPI_LINK_UNKNOWN; /* else fills are always ours */
  r.options.fill = -999;
  return r;
}

/* What is uncompressed is what MPI makes of it. */
static void check_exact(test_request r) {
  const int blocks = gathers_all(r.what) || r.what == GATHER ? here.ranks : 1;
  memcpy(expected, in, sizeof expected); /* the root's, for a broadcast */
  r.recv = expected;
  request_make_by_mpi(&r);
  check(!gets_result(r.what, here.rank == r.root) ||
            memcmp(out, expected, sizeof *out * (size_t)(r.count * blocks)) == 0,
        "values are not those that were sent");
}

static void one_run(const plan *p, MPI_Comm comm, int hurry, char *text) {
  ghz_mpi_report report;
  test_request r = request_for(p, comm, &report);
  for (int i = 0; i < CALLS; i++) {
    fill(p->kinds[(i >= FIRST) * 2 + i % 2], i, in);
    if (hurry != here.rank && i % 5 == 0)
      nanosleep(&(struct timespec){0, 2000000}, NULL);
    memcpy(out, in, sizeof out); /* for a broadcast */
    r.options.has_fill = p->how == FILLED || (p->how == FILLED_AT_FIRST && i < FIRST);
    if (!check(request_make(&r, &r.options) == MPI_SUCCESS, "call %d fails", i))
      break;
    text[i] = (char)(report.algorithm == GHZ_MPI_NATIVE ? 'p' : 'c');
    if (report.algorithm == GHZ_MPI_NATIVE)
      check_exact(r);
  }
  text[CALLS] = 0;
}

static void try_plan(const plan *p) {
  char text[2][CALLS + 1] = {{0}};
  suite_case("%s", p->name);
  for (int run = 0; run < 2; run++) {
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    one_run(p, comm, run, text[run]);
    MPI_Comm_free(&comm);
  }
  check(all_same(hash_bytes(text[0], CALLS), MPI_COMM_WORLD), "%s here, not everywhere", text[0]);
  check(strcmp(text[0], text[1]) == 0, "%s in one run, %s in another", text[0], text[1]);
  const char *modes = p->modes ? p->modes : "cccccccccccccccccccccccccccccccccccc";
  check(strcmp(text[0], modes) == 0, "%s, not %s", text[0], modes);
}

static const char spared[] = "cppppppppppppppppcpppppppppppppppppp";

int main(int argc, char **argv) {
  suite_begin(argc, argv, MPI_THREAD_SINGLE);
  const ghz_bound rel = {GHZ_REL, 1e-4}, tight = {GHZ_REL, 1e-10};
  const plan plans[] = {
      {"sums of random bits", ALLREDUCE, MPI_SUM, USUAL, rel, "bbbb", NULL},
      {"sums of noise", ALLREDUCE, MPI_SUM, USUAL, tight, "nnnn", NULL},
      {"zeros of both signs", ALLREDUCE, MPI_MAX, USUAL, tight, "zzzz", NULL},
      {"zeros of both signs by doubling", ALLREDUCE, MPI_MAX, DOUBLED, tight, "zzzz", NULL},
      {"a broadcast of one value", BCAST, MPI_SUM, ONE_VALUE, rel, "bbbb", NULL},
      {"maxima", ALLREDUCE, MPI_MAX, USUAL, tight, "nnnn", NULL},
      {"minima on one rank", REDUCE, MPI_MIN, USUAL, tight, "nnnn", NULL},
      {"maxima in blocks", REDUCE_SCATTER, MPI_MAX, USUAL, tight, "nnnn", NULL},
      {"a broadcast", BCAST, MPI_SUM, USUAL, rel, "bbbb", spared},
      {"an allgather", ALLGATHER, MPI_SUM, USUAL, tight, "nnnn", spared},
      {"a scatter", SCATTER, MPI_SUM, USUAL, rel, "bbbb", spared},
      {"a scatter with one block of noise", SCATTER, MPI_SUM, USUAL, tight, "oooo", NULL},
      {"a gather", GATHER, MPI_SUM, USUAL, rel, "bbbb", spared},
      {"a mode that compresses", BCAST, MPI_SUM, ALWAYS, rel, "bbbb", NULL},
      {"a broadcast with a fill", BCAST, MPI_SUM, FILLED, rel, "bbbb", NULL},
      {"calls without a fill, another kind", BCAST, MPI_SUM, FILLED_AT_FIRST, rel, "bbww",
       "cpppppppppcccccccccccccccccccccccccc"},
      {"noise that compresses", BCAST, MPI_SUM, USUAL, rel, "nnnn", NULL},
      {"noise, then waves", BCAST, MPI_SUM, USUAL, rel, "bbww", "cppppppppppppppppccccccccccccccccccc"},
      {"waves, then noise", BCAST, MPI_SUM, USUAL, rel, "wwbb", "ccccccccccccccccccppppppppppppppppcp"},
      {"waves and noise in turn", BCAST, MPI_SUM, USUAL, rel, "wbwb", NULL},
      {"noise and waves in turn", BCAST, MPI_SUM, USUAL, rel, "bwbw", "cppppppppppppppppccccccccccccccccccc"},
  };
  for (size_t i = 0; i < sizeof plans / sizeof *plans; i++)
    try_plan(&plans[i]);
  return suite_end(NULL);
}
