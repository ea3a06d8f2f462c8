/* main.c: owns the options and the table of ghz_simulate: the engine, the schedules, the cutting and
 * the choice of the library, with a codec that only takes time. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "simulate.h"

#include "control/control.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../common/options.h"
#include "../common/support.h"

static const char usage[] =
    "Usage: ghz_simulate [OPTION...]\n"
    "A SIMULATION, no measurement: a collective on a cluster, by each algorithm of the library and by the "
    "best\n"
    "that MPI could do: a pipelined ring, Rabenseifner's halving, rings inside and between nodes; for others\n"
    "the library's own schedules. Not simulated: agreement and planning, networks that are congested\n"
    "above the nodes, cores of a node that share its memory while they compress.\n\n";

static const char *name = "allreduce";
static number_list ranks = {{16, 64}, 2}, nodes = {{1, 8, 64}, 3}, gbits = {{1, 10, 25, 100}, 4};
static number_list sizes = {{256 << 10, 1 << 20, 16 << 20}, 3};
static word_list data = {{"shaped", "flat", "rough"}, 3};
static double memory = 100, threads = 1;
static int most = 1 << 30;
static double worst_allowed = 1e9;

static const option_row rows[] = {
    {"collective", 0, &option_text, &name, "NAME", NULL, "(allreduce)"},
    {"ranks", 0, &option_wholes, &ranks, "LIST", "2:1024", "(16,64)"},
    {"per-node", 0, &option_wholes, &nodes, "LIST", "1:1024",
     "ranks of a node; no more than there are (1,8,64)"},
    {"gbits", 0, &option_numbers, &gbits, "LIST", NULL, "Gbit/s of a node's link, each way (1,10,25,100)"},
    {"sizes", 0, &option_sizes, &sizes, "LIST", "4096:1e10", "bytes of the larger buffer (256k,1M,16M)"},
    {"data", 0, &option_words, &data, "LIST", NULL,
     "shaped: ratio 45 in one term, 0.6 bits a value more a doubling; flat: 13; rough: 1.5, flat"},
    {"memory", 0, &option_number, &memory, "GB/S", NULL, "of a node, for messages inside it (100)"},
    {"threads", 0, &option_number, &threads, "N", NULL, "times as fast as a core of AVX2 is the codec (1)"},
    {"most", 0, &option_whole, &most, "N", "0:1000000",
     "fail if the choice is worse than 1.1 of our best more often"},
    {"worst", 0, &option_number, &worst_allowed, "X", NULL, "fail if it is worse than X of our best"},
};

/* ---- The codec ------------------------------------------------------------------------------- */

/* Bytes per second of a core, flat and with a shape; adding is copying and adding where nothing is
 * compressed. */
static struct { double compress, decompress, add, ratio, growth, header; } codec;

static void set_codec(const char *kind) {
  const int shaped = kind[0] == 's', plain = kind[0] == 'p';
  codec.compress = threads * (shaped ? 2.5e9 : 8e9);
  codec.decompress = threads * (shaped ? 6e9 : 8e9);
  codec.add = threads * (shaped ? 18e9 : 20e9);
  codec.ratio = shaped ? 45 : kind[0] == 'f' ? 13 : plain ? 1 : 1.5;
  codec.growth = shaped || kind[0] == 'f' ? 0.6 / 32 : 0;
  codec.header = plain ? 0 : GHZ_SLICE_HEADER;
  if (plain) {
    codec.compress = codec.decompress = INFINITY;
    codec.add = 10e9;
  }
}

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
  out->size = (size_t)(codec.header + bytes_of(p) * fmin(1 / codec.ratio + codec.growth * log2(terms), 1.05));
  simulated_work(seconds);
  return GHZ_OK;
}

static size_t capacity(const payload_job *job, uint64_t tiles) {
  (void)job, (void)tiles;
  return GHZ_SLICE_HEADER;
}

static ghz_status encode(payload_job *job, const piece *p, buffer *out) {
  (void)job;
  return fill(p, out, 1, bytes_of(p) / codec.compress);
}

static ghz_status validate(payload_job *job, const piece *p, buffer *in) {
  (void)job, (void)p, (void)in;
  return GHZ_OK;
}

static ghz_status reduce(payload_job *job, const piece *p, const buffer *mine, const buffer *theirs,
                         buffer *out) {
  (void)job;
  return fill(p, out, (mine ? terms_of(mine) : 1) + terms_of(theirs),
              bytes_of(p) / codec.add + (mine ? 0 : bytes_of(p) / codec.compress));
}

static ghz_status decode(payload_job *job, const piece *p, const buffer *result) {
  (void)job, (void)result;
  simulated_work(bytes_of(p) / codec.decompress);
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

static int has(holders h, int block) {
  return h == BY_ALL || (h == BY_OWNER ? simulated_rank() == block : simulated_rank() == 0);
}

static void make_call(void) {
  static uint8_t somewhere[8];
  const int parts = collective_has_blocks(what) ? cluster.ranks : 1;
  const ghz_shape flat = ghz_flat((uint64_t)bytes / sizeof(float) / (uint64_t)parts);
  const layout l = ghz_layout_of(by, cluster.ranks, &flat, GHZ_F32, parts, 0);
  buffer_pool pool = {0};
  plan p = {0};
  engine_space space = {0};
  ghz_mpi_report report = {0};
  payload_job job = {.pool = &pool,
                     .plan = &p,
                     .reduction = what->reduces ? REDUCE_SUM : REDUCE_NONE,
                     .contributions = 1,
                     .total_contributions = (uint64_t)cluster.ranks,
                     .value_size = sizeof(float),
                     .report = &report};
  int ok =
      ghz_plan_cut(&p, &l, NULL, NULL, (position){.rank = simulated_rank(), .ranks = cluster.ranks}, by->build);
  for (int b = 0; b < parts && ok; b++)
    part_lies(&p.parts[b], has(what->gives, b) ? somewhere : NULL, has(what->gets, b) ? somewhere : NULL);
  if (!ok || !ghz_plan_order(&p) || !ghz_engine_prepare(&space, &p, &made_up, &job))
    die("a rank", "no memory");
  const failure f = ghz_engine_run(&p, &made_up, &job, &space, MPI_COMM_WORLD);
  if (failure_is(&f))
    die("a rank", "failed");
  ghz_buffer_pool_free(&pool);
  ghz_plan_free(&p);
  ghz_engine_free(&space);
}

static double seconds_by(const algorithm *a) {
  by = a;
  return simulated(&cluster, make_call);
}

/* By the same schedules without compression, the best of them. */
static double best_plain(void) {
  double best = INFINITY;
  set_codec("plain");
  for (const algorithm *a = what->algorithms; a->name; a++)
    best = fmin(best, seconds_by(a));
  return best;
}

static int rows_printed, misses;
static double worst = 1;

static void print_row(double gbit, const char *kind, double plain) {
  const int parts = collective_has_blocks(what) ? cluster.ranks : 1;
  const ghz_mpi_algorithm choice = ghz_cost_least(
      what, cluster.ranks, (cluster.ranks + cluster.per_node - 1) / cluster.per_node, bytes / parts);
  double best = INFINITY, chosen = 0;
  printf("%5d %6d %6g %8g  %-7s", cluster.ranks, cluster.per_node, gbit, bytes / (double)MIB, kind);
  set_codec(kind);
  for (const algorithm *a = what->algorithms; a->name; a++) {
    const double seconds = seconds_by(a);
    best = fmin(best, seconds);
    chosen = a->name == choice ? seconds : chosen;
    printf(" %9.3f", 1e3 * seconds);
  }
  printf(" %9.3f %-8s %7.2f %6.2f\n", 1e3 * plain, ghz_mpi_algorithm_name(choice), plain / chosen,
         chosen / best);
  fflush(stdout);
  rows_printed++;
  misses += chosen > 1.1 * best;
  worst = fmax(worst, chosen / best);
}

static void print_title(void) {
  printf("SIMULATION of %s, one thread a rank\n%5s %6s %6s %8s  %-7s", what->name, "ranks", "a node", "Gbit/s",
         "MiB", "data");
  for (const algorithm *a = what->algorithms; a->name; a++)
    printf(" %6s ms", ghz_mpi_algorithm_name(a->name));
  printf(" %9s %-8s %7s %6s\n", "plain ms", "choice", "gain", "miss");
}

/* A node alone has no link: one speed is enough. */
static void print_rows(int n, int per_node) {
  for (int g = 0; g < (per_node < n ? gbits.n : 1); g++)
    for (int b = 0; b < sizes.n; b++) {
      const double gbit = gbits.x[g], latency = gbit > 50 ? 5e-6 : gbit > 5 ? 15e-6 : 30e-6;
      cluster = (machine){n, per_node, gbit * 1e9 / 8, memory * 1e9, 10e9, latency, 1.5e-6};
      bytes = sizes.x[b];
      const double plain = best_plain();
      for (int d = 0; d < data.n; d++)
        print_row(gbit, data.word[d], plain);
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
  print_title();
  for (int r = 0; r < ranks.n; r++)
    for (int n = 0; n < nodes.n; n++)
      if (nodes.x[n] <= ranks.x[r])
        print_rows((int)ranks.x[r], (int)nodes.x[n]);
  printf("%d settings, %d beyond 1.1 of our best, the worst %.2f\n", rows_printed, misses, worst);
  return misses > most || worst > worst_allowed;
}
