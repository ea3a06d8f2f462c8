/* main.c: owns the options and the table of ghz_simulate: the engine, the schedules, the cutting
 * and the choice of the library, with a codec that only takes time. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "simulate.h"

#include "control/control.h"
#include "engine/internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../common/options.h"
#include "../common/support.h"

static const char usage[] =
    "Usage: ghz_simulate [OPTION...]\n"
    "A SIMULATION, no measurement: a collective on a cluster, by each algorithm of the library, and by the "
    "best\n"
    "of them without compression. Not simulated: agreement and planning, networks that are congested above\n"
    "the nodes, cores of a node that share its memory while they compress.\n\n";

static const char *name = "allreduce";
static number_list ranks = {{16, 64}, 2}, nodes = {{1, 8, 64}, 3}, gbits = {{1, 10, 25, 100}, 4};
static number_list sizes = {{256 << 10, 1 << 20, 16 << 20}, 3};
static double threads = 1;
static bool plans;

static const option_row rows[] = {
    {"collective", 0, &option_text, &name, "NAME", NULL, "(allreduce)"},
    {"ranks", 0, &option_wholes, &ranks, "LIST", "2:1024", "(16,64)"},
    {"per-node", 0, &option_wholes, &nodes, "LIST", "1:1024", "ranks of a node, no more than all (1,8,64)"},
    {"gbits", 0, &option_numbers, &gbits, "LIST", NULL, "Gbit/s of a node's link, each way (1,10,25,100)"},
    {"sizes", 0, &option_sizes, &sizes, "LIST", "4096:1e10", "bytes of the larger buffer (256k,1M,16M)"},
    {"threads", 0, &option_number, &threads, "N", NULL, "times as fast as a core of AVX2 is the codec (1)"},
    {"plans", 0, &option_flag, &plans, NULL, NULL,
     "in place of times: MiB that a rank reserves for messages as long as their values,\n"
     "and ms of this machine for the plan of a call"},
};

/* ---- The codec ------------------------------------------------------------------------------- */

/* Bytes per second of a core of AVX2; bytes of a message as a part of its values', in one term, and
 * what a doubling of the terms adds. The first adds values and copies them. */
static const struct codec {
  const char *name;
  double compress, decompress, add, part, growth;
} codecs[] = {{"plain", INFINITY, INFINITY, 10e9, 1, 0},
              {"shaped", 2.5e9, 6e9, 18e9, 1 / 45.0, 0.6 / 32},
              {"flat", 8e9, 8e9, 20e9, 1 / 13.0, 0.6 / 32},
              {"rough", 8e9, 8e9, 20e9, 1 / 1.5, 0}},
  *codec;

static double bytes_of(const piece *p) {
  return sizeof(float) * (double)ghz_piece_values(p);
}

/* A message says of how many terms it is the sum. */
static double terms_of(const buffer *b) {
  double terms;
  memcpy(&terms, b->data, sizeof terms);
  return terms;
}

static ghz_status fill(const piece *p, buffer *out, double terms, double seconds) {
  memcpy(out->memory, &terms, sizeof terms);
  out->size = GHZ_SLICE_HEADER + (size_t)(bytes_of(p) * fmin(codec->part + codec->growth * log2(terms), 1.05));
  simulated_work(codec == codecs ? seconds : seconds / threads);
  return GHZ_OK;
}

static size_t capacity(const payload_job *job, uint64_t tiles) {
  (void)job, (void)tiles;
  return GHZ_SLICE_HEADER;
}

static ghz_status encode(payload_job *job, const piece *p, buffer *out) {
  (void)job;
  return fill(p, out, 1, bytes_of(p) / codec->compress);
}

static ghz_status validate(payload_job *job, const piece *p, buffer *in) {
  (void)job, (void)p, (void)in;
  return GHZ_OK;
}

static ghz_status reduce(payload_job *job, const piece *p, const buffer *mine, const buffer *theirs,
                         buffer *out) {
  (void)job;
  return fill(p, out, (mine ? terms_of(mine) : 1) + terms_of(theirs),
              bytes_of(p) / codec->add + (mine ? 0 : bytes_of(p) / codec->compress));
}

static ghz_status decode(payload_job *job, const piece *p, const buffer *result) {
  (void)job, (void)result;
  simulated_work(bytes_of(p) / codec->decompress / threads);
  return GHZ_OK;
}

static const payload made_up = {.capacity = capacity,
                                .encode = encode,
                                .validate = validate,
                                .reduce = reduce,
                                .decode = decode,
                                .scratch = 3};

/* ---- What is compared ------------------------------------------------------------------------ */

static machine cluster;
static const collective *what;
static const algorithm *by;
static double bytes;

static uint8_t *buffer_of(holders h, int block) {
  static uint8_t somewhere;
  return h == BY_ALL || simulated_rank() == (h == BY_OWNER ? block : 0) ? &somewhere : NULL;
}

static void make_plan(plan *p) {
  const int n = cluster.ranks, parts = collective_has_blocks(what) ? n : 1;
  const ghz_shape flat = ghz_flat((uint64_t)bytes / sizeof(float) / (uint64_t)parts);
  const layout l = ghz_layout_of(by, n, &flat, GHZ_F32, parts, 0);
  if (!ghz_plan_cut(p, &l, NULL, NULL, (position){.rank = simulated_rank(), .ranks = n}, by->build))
    die("a rank", "no memory");
  for (int b = 0; b < parts; b++)
    part_lies(&p->parts[b], buffer_of(what->gives, b), buffer_of(what->gets, b));
  if (!ghz_plan_order(p))
    die("a rank", "no memory");
}

static void print_plans(void) {
  for (by = what->algorithms; by->name; by++) {
    plan p = {0};
    const clock_t start = clock();
    make_plan(&p);
    const double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    int32_t *change = touched((p.event_count + 2) * sizeof *change);
    printf(" %9.1f %8.3f",
           (double)(ghz_window_buffers(&p, &made_up, change) * p.piece_tiles * GHZ_TILE * 4) / MIB,
           1e3 * seconds);
    ghz_plan_free(&p);
    free(change);
  }
  putchar('\n');
}

static void make_call(void) {
  buffer_pool pool = {0};
  plan p = {0};
  engine_space space = {0};
  ghz_mpi_report report = {0};
  payload_job job = {.pool = &pool, .plan = &p, .value_size = sizeof(float), .report = &report};
  make_plan(&p);
  if (!ghz_engine_prepare(&space, &p, &made_up, &job))
    die("a rank", "no memory");
  const failure f = ghz_engine_run(&p, &made_up, &job, &space, MPI_COMM_WORLD);
  if (failure_is(&f))
    die("a rank", "failed");
  ghz_buffer_pool_free(&pool);
  ghz_plan_free(&p);
  ghz_engine_free(&space);
}

/* The best of all algorithms, and in *chosen the one that the library chooses. */
static double best_of(const struct codec *with, double *chosen, int prints) {
  const int all = (cluster.ranks + cluster.per_node - 1) / cluster.per_node;
  const ghz_mpi_algorithm choice =
      ghz_cost_least(what, cluster.ranks, all, bytes / (collective_has_blocks(what) ? cluster.ranks : 1));
  double best = INFINITY;
  codec = with;
  for (by = what->algorithms; by->name; by++) {
    const double seconds = simulated(&cluster, make_call);
    best = fmin(best, seconds);
    *chosen = by->name == choice ? seconds : *chosen;
    if (prints)
      printf(" %9.3f%c", 1e3 * seconds, by->name == choice ? '*' : ' ');
  }
  return best;
}

static int settings_made, misses;
static double worst = 1;

static void print_rows(int n, int per_node, double gbit) {
  cluster = (machine){n, per_node, gbit * 1e9 / 8, gbit > 50 ? 5e-6 : gbit > 5 ? 15e-6 : 30e-6};
  for (int b = 0; b < sizes.n; b++) {
    double chosen = 0;
    bytes = sizes.x[b];
    if (plans) {
      printf("%5d %6d %6g %8g  plans  ", n, per_node, gbit, bytes / (double)MIB);
      print_plans();
      continue;
    }
    const double plain = best_of(codecs, &chosen, 0);
    for (size_t i = 1; i < sizeof codecs / sizeof *codecs; i++, settings_made++) {
      printf("%5d %6d %6g %8g  %-7s", n, per_node, gbit, bytes / (double)MIB, codecs[i].name);
      const double best = best_of(&codecs[i], &chosen, 1);
      printf(" %9.3f %7.2f %6.2f\n", 1e3 * plain, plain / chosen, chosen / best);
      misses += chosen > 1.1 * best;
      worst = fmax(worst, chosen / best);
    }
  }
}

int main(int argc, char **argv) {
  const command c = {"ghz_simulate", usage, rows, sizeof rows / sizeof *rows, false};
  int operands, status = options_read(&c, argc, argv, &operands), at = 0;
  if (status != OPTIONS_OK)
    return status;
  program_begin(c.name, NULL);
  while (ghz_collectives[at] && strcmp(ghz_collectives[at]->name + strlen("ghz_"), name) != 0)
    at++;
  if (operands < argc || !(what = ghz_collectives[at]) || what->counted)
    die("wrong arguments", "there are no operands, and --collective is one with equal blocks");
  printf("SIMULATION of %s; *: the choice\nranks a node Gbit/s      MiB  data   ", what->name);
  for (const algorithm *a = what->algorithms; a->name; a++)
    printf(" %6s ms ", ghz_mpi_algorithm_name(a->name));
  printf("  plain ms    gain   miss\n");
  for (int r = 0; r < ranks.n; r++)
    for (int n = 0; n < nodes.n && nodes.x[n] <= ranks.x[r]; n++)
      for (int g = 0; g < (nodes.x[n] < ranks.x[r] ? gbits.n : 1); g++) /* a node alone has no link */
        print_rows((int)ranks.x[r], (int)nodes.x[n], gbits.x[g]);
  printf("%d settings, %d beyond 1.1 of our best, the worst %.2f\n", settings_made, misses, worst);
  return fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
