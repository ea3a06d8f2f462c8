/* simulate.c: ghz_scale_simulate: runs the collectives on SimGrid's SMPI, and prints the times of the simulated
 * machine.
 *
 * usage: smpirun ... ghz_scale_simulate PARAMETERS GBITS LATENCY THREADS EFFICIENCY BYTES,... ALGORITHM,... MODE,...
 * GBITS and LATENCY are those of the platform: they are only printed. The lines are those of ghz_scale_model.
 */
#include "cargo_model.h"

#include <ghz_mpi.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LIST_MOST = 16 };

typedef struct experiment {
  const char *gbits, *latency, *threads;
  double bytes[LIST_MOST];
  int n_bytes, rank, ranks;
  ghz_mpi_algorithm algorithms[LIST_MOST];
  int n_algorithms;
  ghz_mpi_mode modes[LIST_MOST];
  int n_modes;
  parameters codec;
} experiment;

typedef struct result {
  double seconds, sent, codec;
} result;

/* The arrays of all ranks are the same few pages: nobody looks at the values. */
static result run_once(double bytes, ghz_mpi_algorithm algorithm, ghz_mpi_mode mode) {
  void *x = SMPI_SHARED_MALLOC((size_t)bytes), *y = SMPI_SHARED_MALLOC((size_t)bytes);
  ghz_mpi_report report = {.seconds = 0};
  ghz_mpi_options o = GHZ_MPI_OPTIONS;
  o.bound = (ghz_bound){GHZ_REL, 1e-4};
  o.algorithm = algorithm;
  o.mode = mode;
  o.report = &report;
  MPI_Barrier(MPI_COMM_WORLD);
  double start = MPI_Wtime();
  int code = ghz_allreduce(x, y, (MPI_Count)(bytes / sizeof(float)), MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &o);
  double mine = MPI_Wtime() - start;
  /* Whoever does not compress needs no agreement: MPI itself has none. */
  if (mode == GHZ_MPI_PLAIN)
    mine -= report.agree;
  result r = {.sent = (double)report.sent_bytes, .codec = report.compress + report.combine + report.decompress};
  if (code != MPI_SUCCESS)
    MPI_Abort(MPI_COMM_WORLD, 1);
  MPI_Allreduce(&mine, &r.seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  SMPI_SHARED_FREE(x);
  SMPI_SHARED_FREE(y);
  return r;
}

/* What it is held against is left to the caller, who knows of more. */
static void print(const experiment *e, double bytes, ghz_mpi_algorithm a, ghz_mpi_mode mode, result r) {
  if (e->rank != 0)
    return;
  printf("smpi,%d,%s,%s,%.0f,%s,%s,%s,%.6e,,,%.0f,,%.6e\n", e->ranks, e->gbits, e->latency, bytes, e->threads,
         ghz_mpi_algorithm_name(a), ghz_mpi_mode_name(mode), r.seconds, r.sent, r.codec);
  fflush(stdout);
}

static void run_size(const experiment *e, double bytes) {
  for (int a = 0; a < e->n_algorithms; a++)
    for (int m = 0; m < e->n_modes; m++)
      print(e, bytes, e->algorithms[a], e->modes[m], run_once(bytes, e->algorithms[a], e->modes[m]));
}

static bool take_bytes(experiment *e, char *list) {
  for (char *item = strtok(list, ","); item; item = strtok(NULL, ",")) {
    char *end;
    double value = strtod(item, &end);
    if (*end || !(value >= 4096 && value <= 1e12) || e->n_bytes == LIST_MOST)
      return false;
    e->bytes[e->n_bytes++] = floor(value / sizeof(float)) * sizeof(float);
  }
  return e->n_bytes > 0;
}

static bool take_algorithms(experiment *e, char *list) {
  for (char *item = strtok(list, ","); item; item = strtok(NULL, ",")) {
    ghz_mpi_algorithm a = GHZ_MPI_RING;
    while (a < GHZ_MPI_TREE && strcmp(item, ghz_mpi_algorithm_name(a)) != 0)
      a++;
    if (a == GHZ_MPI_TREE || e->n_algorithms == LIST_MOST)
      return false;
    e->algorithms[e->n_algorithms++] = a;
  }
  return e->n_algorithms > 0;
}

static bool take_modes(experiment *e, char *list) {
  for (char *item = strtok(list, ","); item; item = strtok(NULL, ",")) {
    ghz_mpi_mode m = GHZ_MPI_HOMOMORPHIC;
    while (m <= GHZ_MPI_PLAIN && strcmp(item, ghz_mpi_mode_name(m)) != 0)
      m++;
    if (m > GHZ_MPI_PLAIN || e->n_modes == LIST_MOST)
      return false;
    e->modes[e->n_modes++] = m;
  }
  return e->n_modes > 0;
}

static bool take_arguments(experiment *e, int argc, char **argv) {
  if (argc != 9 || !parameters_read(&e->codec, argv[1]))
    return false;
  e->gbits = argv[2];
  e->latency = argv[3];
  e->threads = argv[4];
  e->codec.threads = strtod(argv[4], NULL);
  e->codec.efficiency = strtod(argv[5], NULL);
  return e->codec.threads >= 1 && e->codec.efficiency > 0 && take_bytes(e, argv[6]) &&
         take_algorithms(e, argv[7]) && take_modes(e, argv[8]);
}

int main(int argc, char **argv) {
  static experiment e;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &e.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &e.ranks);
  bool good = take_arguments(&e, argc, argv);
  if (!good && e.rank == 0)
    fprintf(stderr, "ghz_scale_simulate: bad arguments, see simulate.c\n");
  cargo_model_use(&e.codec);
  for (int i = 0; good && i < e.n_bytes; i++)
    run_size(&e, e.bytes[i]);
  MPI_Finalize();
  return good ? EXIT_SUCCESS : 2;
}
