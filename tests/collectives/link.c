/* link.c: the choice by the speed of the network: shaped where it is slow, flat, then uncompressed
 * where it is fast; on all ranks and in every run alike, whatever the instruction sets of the
 * ranks. */
/* SPDX-License-Identifier: BSD-3-Clause */
#define _DEFAULT_SOURCE /* mkdtemp */
#include "request.h"
#include "suite.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double ghz_link_of(const char *sys);

enum { SIDE = 64, COUNT = SIDE * SIDE * SIDE, MOST = 8 };

static float in[COUNT * MOST], out[COUNT * MOST];

static double went_by; /* the link that the last call went by */

/* What a call did: 3 with the shape, 1 flat, 0 uncompressed. All ranks did the same. */
static int alloc(collective what, double link, MPI_Comm comm) {
  ghz_mpi_report report;
  ghz_mpi_options o = GHZ_MPI_OPTIONS;
  o.bound = (ghz_bound){GHZ_REL, 1e-4};
  o.shape = (ghz_shape){3, {SIDE, SIDE, SIDE}};
  o.link = link;
  o.report = &report;
  const test_request r = request_of(what, in, out, COUNT, MPI_FLOAT, comm);
  const int code = request_make(&r, &o);
  check(code == MPI_SUCCESS, "the call returns %d", code);
  check((report.algorithm == GHZ_MPI_NATIVE) == (report.dims == 0), "algorithm %s with %d dimensions",
        ghz_mpi_algorithm_name(report.algorithm), report.dims);
  check(all_same((uint64_t)report.dims, comm), "%d dimensions here, others elsewhere", report.dims);
  went_by = report.link;
  return report.dims;
}

/* The choices of so many calls, as text. */
static void history(collective what, double link, int calls, char *text) {
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  for (int i = 0; i < calls; i++) {
    memcpy(out, in, sizeof(float) * COUNT);
    text[i] = (char)('0' + alloc(what, link, comm));
  }
  text[calls] = 0;
  MPI_Comm_free(&comm);
}

static void try_links(collective what) {
  int seen[4] = {0}, last = 3;
  for (double link = 1e5; link < 1e15; link *= 5) {
    char text[2][8];
    suite_case("%s, %g bit/s", collective_names[what], link);
    for (int run = 0; run < 2; run++)
      history(what, link, 6, text[run]);
    check(strcmp(text[0], text[1]) == 0, "%s in one run, %s in another", text[0], text[1]);
    check(text[0][4] == text[0][5], "not settled: %s", text[0]);
    int choice = text[0][5] - '0';
    check(choice <= last, "%d dimensions, and %d where it is slower", choice, last);
    last = choice;
    seen[choice] = 1;
  }
  check(seen[0] && seen[1] && seen[3], "never: %s", !seen[0] ? "plain" : !seen[1] ? "flat" : "shaped");
}

/* From which speed on two ranks do not compress. */
static double first_plain(int a, int b) {
  MPI_Comm pair;
  double link = 1e6;
  MPI_Comm_split(MPI_COMM_WORLD, here.rank == a || here.rank == b ? 0 : MPI_UNDEFINED, 0, &pair);
  for (int choice = 3; pair != MPI_COMM_NULL && choice > 0 && link < 1e15; link *= 1.5)
    for (int i = 0; i < 3; i++)
      choice = alloc(ALLREDUCE, link, pair);
  if (pair != MPI_COMM_NULL)
    MPI_Comm_free(&pair);
  MPI_Bcast(&link, 1, MPI_DOUBLE, a, MPI_COMM_WORLD);
  return link;
}

/* Rank 1 is slow, and so are those that it works with. */
static void try_slowest(void) {
  suite_case("with a slow rank, and without");
  const double fast = first_plain(0, 2), first = first_plain(1, 2), last = first_plain(0, 1);
  if (here.rank == 0 && strcmp(ghz_context_isa(NULL), "scalar") != 0)
    check(1.4 * first < fast && 1.4 * last < fast, "uncompressed from %g on, with the slow rank from %g and %g",
          fast, first, last);
}

/* ---- What systems say ---- */

static double said[MOST]; /* by rank */

double __real_ghz_link_of(const char *sys);
double __wrap_ghz_link_of(const char *sys);
double __wrap_ghz_link_of(const char *sys) {
  return strcmp(sys, "/sys") == 0 ? said[here.rank] : __real_ghz_link_of(sys);
}

static void try_auto(double first, double second, double third, double least, int dims) {
  MPI_Comm comm;
  suite_case("nodes that say %g, %g and %g", first, second, third);
  said[0] = first, said[1] = second, said[2] = third;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  for (int i = 0; i < 3; i++) {
    const int did = alloc(ALLREDUCE, GHZ_MPI_LINK_AUTO, comm);
    check(i < 2 || did == dims, "%d dimensions, not %d", did, dims);
    check(i > 0 || went_by == least, "the report says %g, not %g", went_by, least);
  }
  MPI_Comm_free(&comm);
}

/* What a system says more and more of, and the link that this makes; -1: not asked for. */
static const struct {
  const char *path, *text;
  double link;
} says[] = {
    {"class/net/veth0/speed", "40000", 0}, /* no hardware */
    {"class/net/eth0/speed", "-1", -1},
    {"class/net/eth0/device/uevent", "DRIVER=one", 0},
    {"class/net/eth1/speed", "10000", -1},
    {"class/net/eth1/device/uevent", "DRIVER=two", 1e10},
    {"class/infiniband/mlx/ports/1/rate", "200 Gb/sec (4X HDR)", -1},
    {"class/infiniband/mlx/ports/1/state", "1: DOWN", 1e10},
    {"class/infiniband/mlx/ports/2/rate", "2.5 Gb/sec (1X SDR)", -1},
    {"class/infiniband/mlx/ports/2/state", "4: ACTIVE", 2.5e9},
};

static void try_systems(void) {
  char root[] = "/tmp/ghz-link-XXXXXX", command[300];
  suite_case("systems that say something of their links, or nothing");
  if (here.rank || !check(mkdtemp(root) != NULL, "no folder"))
    return;
  check(ghz_link_of(root) == 0, "%g of nothing", ghz_link_of(root));
  for (size_t i = 0; i < sizeof says / sizeof *says; i++) {
    snprintf(command, sizeof command, "f=%s/%s; mkdir -p ${f%%/*} && echo '%s' >$f", root, says[i].path,
             says[i].text);
    check(system(command) == 0, "cannot write %s", says[i].path);
    check(says[i].link < 0 || ghz_link_of(root) == says[i].link, "%g behind %s", ghz_link_of(root),
          says[i].path);
  }
  snprintf(command, sizeof command, "rm -r %s", root);
  check(system(command) == 0, "cannot remove %s", root);
}

int main(int argc, char **argv) {
  suite_begin(argc, argv, MPI_THREAD_SINGLE);
  if (here.rank == 1) /* before the library looks */
    setenv("GHZ_ISA", "scalar", 1);
  for (int i = 0; i < COUNT * here.ranks; i++)
    in[i] = sinf(0.05f * (float)(i % SIDE)) + sinf(0.04f * (float)(i / SIDE % SIDE) + (float)here.rank) +
            cosf(0.03f * (float)(i / SIDE / SIDE));
  const collective calls[] = {ALLREDUCE, BCAST, ALLGATHER, REDUCE_SCATTER};
  for (int i = 0; i < 4; i++)
    try_links(calls[i]);
  try_slowest();
  try_auto(1e12, 0, 1e6, 1e6, 3);
  try_auto(1e15, 2e15, 1e15, 1e15, 0);
  try_auto(0, 0, 0, 0, 3);
  try_systems();
  return suite_end(NULL);
}
