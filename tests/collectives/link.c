/* link.c: the choice by the speed of the network: shaped where it is slow, flat, then uncompressed
 * where it is fast; on all ranks and in every run alike, whatever the instruction sets of the
 * ranks. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "request.h"
#include "suite.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 64, COUNT = SIDE * SIDE * SIDE, MOST = 8, CALLS = 70 };

static float in[COUNT * MOST], out[COUNT * MOST];

/* What a call did: 3 with the shape, 1 flat, 0 uncompressed. All ranks did the same. */
static int one_call(collective what, double link, MPI_Comm comm) {
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
  int mine = report.dims, least, most;
  MPI_Allreduce(&mine, &least, 1, MPI_INT, MPI_MIN, comm);
  MPI_Allreduce(&mine, &most, 1, MPI_INT, MPI_MAX, comm);
  check(least == most, "%d dimensions here, from %d to %d elsewhere", mine, least, most);
  return report.dims;
}

/* The choices of so many calls, as text. */
static void history(collective what, double link, int calls, char *text) {
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  for (int i = 0; i < calls; i++) {
    memcpy(out, in, sizeof(float) * COUNT);
    text[i] = (char)('0' + one_call(what, link, comm));
  }
  text[calls] = 0;
  MPI_Comm_free(&comm);
}

static void try_links(collective what) {
  int seen[4] = {0}, last = 3;
  for (double link = 1e5; link < 1e15; link *= 3) {
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
      choice = one_call(ALLREDUCE, link, pair);
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

/* What was dismissed for its bytes is tried again, as data change. */
static void try_other_data(void) {
  char text[CALLS + 1];
  suite_case("data that compress after others that do not");
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  for (int i = 0; i < COUNT; i++) {
    uint32_t bits = (uint32_t)i * 2654435761u ^ (uint32_t)i * 40503u << 7;
    memcpy(&in[i], &bits, sizeof bits);
    in[i] = isfinite(in[i]) && fabsf(in[i]) < 1e30f ? in[i] * 1e-30f : 1e-5f;
  }
  ghz_mpi_options o = GHZ_MPI_OPTIONS;
  ghz_mpi_report report;
  o.bound = (ghz_bound){GHZ_ABS, 1e-35};
  o.shape = (ghz_shape){3, {SIDE, SIDE, SIDE}};
  o.link = 1e9;
  o.report = &report;
  for (int i = 0; i < CALLS; i++) {
    if (i == 8)
      memset(in, 0, sizeof in);
    check(!ghz_allreduce(in, out, COUNT, MPI_FLOAT, MPI_SUM, comm, &o), "an error");
    text[i] = (char)('0' + report.dims);
  }
  text[CALLS] = 0;
  check(text[7] == '0', "what does not compress is compressed: %s", text);
  check(text[CALLS - 1] != '0', "what compresses is not: %s", text);
  MPI_Comm_free(&comm);
}

static void try_wrong(double link, int by) {
  MPI_Comm comm;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length, mine = by < 0 || by == here.rank;
  ghz_mpi_options o = GHZ_MPI_OPTIONS;
  o.bound = (ghz_bound){GHZ_ABS, 1e-3};
  o.link = mine ? link : by < 0 ? 1e9 : GHZ_MPI_LINK_UNKNOWN;
  suite_case("a link of %g, by rank %d", link, by);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  int code = ghz_allreduce(in, out, COUNT, MPI_FLOAT, MPI_SUM, comm, &o);
  if (check(code != MPI_SUCCESS, "the call succeeds")) {
    MPI_Error_string(code, text, &length);
    check(ghz_mpi_error_class(code) == MPI_ERR_ARG, "the class is %d: %s", ghz_mpi_error_class(code), text);
    const char *says = link == 2e9 ? "disagree on the options"
                       : mine      ? "link is no speed"
                                   : "gave a bad argument";
    check(strstr(text, says) && !strchr(text, '\n'), "the sentence is: %s", text);
  }
  MPI_Comm_free(&comm);
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
  for (int by = -1; by < here.ranks; by++) {
    try_wrong(0, by);
    try_wrong(NAN, by);
    try_wrong(-3, by);
    try_wrong(INFINITY, by);
  }
  try_wrong(2e9, 1);
  try_other_data();
  return suite_end(NULL);
}
