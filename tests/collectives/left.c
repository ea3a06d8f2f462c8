/* left.c: what is left to MPI: calls without a bound, below the threshold, of types and operations
 * that are not ours: MPI's bits, and a report that says so. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "request.h"
#include "suite.h"
#include <string.h>

/* Why MPI makes a call. */
typedef struct reason {
  const char *what;
  MPI_Datatype type;
  MPI_Op op;
  int is_float; /* else any bits */
  enum { ALL, SUMS, MOVES } of;
  ghz_bound bound;
  int64_t threshold;
} reason;

static void multiply_add(void *in, void *inout, int *n, MPI_Datatype *type) {
  (void)type;
  for (int i = 0; i < *n; i++)
    ((float *)inout)[i] = ((float *)inout)[i] * 0.5f + ((float *)in)[i] * 0.5f;
}

/* What lies between the values of the type stays as it is. */
static MPI_Datatype with_gaps(void) {
  MPI_Datatype odd, spread;
  MPI_Type_vector(3, 1, 2, MPI_DOUBLE, &odd);
  MPI_Type_create_resized(odd, 0, 6 * sizeof(double), &spread);
  MPI_Type_commit(&spread);
  MPI_Type_free(&odd);
  return spread;
}

static void prepare(test_request *r, const reason *why, int in_place) {
  MPI_Aint least, each;
  MPI_Type_get_extent(r->type, &least, &each);
  request_buffers(r, (uint64_t)each);
  request_fill(r, why->is_float, mix(here.seed, (uint64_t)here.rank));
  if (in_place) {
    memcpy(r->received.data, r->sent.data, r->sent.size);
    r->send = MPI_IN_PLACE;
  }
}

static void check_report(const ghz_mpi_report *r) {
  check(r->algorithm == GHZ_MPI_NATIVE && r->raw_bytes == 0 && r->sent_bytes == 0 && r->messages == 0 &&
            r->eb == 0 && r->bound == 0 && r->seconds < 60,
        "the report says %s", ghz_mpi_algorithm_name(r->algorithm));
}

/* The same call by both libraries. */
static void leave(const reason *why, collective what, MPI_Count count, int asked) {
  ghz_mpi_report report = {0};
  test_request ours = request_of(what, NULL, NULL, count, why->type, MPI_COMM_WORLD), theirs;
  const int in_place = asked && (what == ALLREDUCE || (what == REDUCE && here.rank == 0));
  suite_case("%s, %s of %lld, %s", why->what, collective_names[what], (long long)count,
             asked ? "in place" : "reported");
  ours.op = why->op;
  ours.root = asked ? 0 : here.ranks - 1; /* in place at another root, MPICH crashes */
  ours.options.bound = why->bound;
  ours.options.threshold = why->threshold;
  ours.options.report = asked ? NULL : &report;
  theirs = ours;
  prepare(&ours, why, in_place);
  prepare(&theirs, why, in_place);
  memset(&report, 0xee, sizeof report);
  const int code =
      request_make(&ours, asked && why->bound.value == 0 && why->bound.kind == GHZ_ABS ? NULL : &ours.options);
  request_make_by_mpi(&theirs);
  check(code == MPI_SUCCESS, "the call returns %d", code);
  check(memcmp(ours.received.data, theirs.received.data, ours.received.size) == 0, "the result is not MPI's");
  check(memcmp(ours.sent.data, theirs.sent.data, ours.sent.size) == 0, "sendbuf has changed");
  if (!asked)
    check_report(&report);
  request_free(&ours);
  request_free(&theirs);
}

int main(int argc, char **argv) {
  enum { FEW = 20, MANY = 30000 };
  MPI_Op own;
  MPI_Datatype pair, spread;
  suite_begin(argc, argv, MPI_THREAD_SINGLE);
  MPI_Op_create(multiply_add, 1, &own);
  MPI_Type_contiguous(2, MPI_FLOAT, &pair);
  MPI_Type_commit(&pair);
  spread = with_gaps();
  const reason reasons[] = {
      {"integers", MPI_INT, MPI_MAX, 0, ALL, {GHZ_ABS, 1e-3}, 0},
      {"integers of 64 bits", MPI_INT64_T, MPI_SUM, 0, ALL, {GHZ_ABS, 1e-3}, 0},
      {"bytes", MPI_UNSIGNED_CHAR, MPI_BXOR, 0, ALL, {GHZ_ABS, 1e-3}, 0},
      {"products of integers", MPI_UNSIGNED_SHORT, MPI_PROD, 0, ALL, {GHZ_ABS, 1e-3}, 0},
      {"products", MPI_DOUBLE, MPI_PROD, 1, SUMS, {GHZ_ABS, 1e-3}, 0},
      {"an operation of the user's", MPI_FLOAT, own, 1, SUMS, {GHZ_ABS, 1e-3}, 0},
      {"long doubles", MPI_LONG_DOUBLE, MPI_SUM, 0, MOVES, {GHZ_ABS, 1e-3}, 0},
      {"a derived type", pair, MPI_SUM, 0, MOVES, {GHZ_ABS, 1e-3}, 0},
      {"a type with gaps", spread, MPI_SUM, 0, MOVES, {GHZ_ABS, 1e-3}, 0},
      {"below the threshold", MPI_FLOAT, MPI_SUM, 1, ALL, {GHZ_ABS, 1e-3}, 1 << 30},
      {"no bound", MPI_FLOAT, MPI_MIN, 1, ALL, {GHZ_ABS, 0}, 0},
      {"the bound of floats, for doubles", MPI_DOUBLE, MPI_SUM, 1, ALL, {GHZ_MPI_FLOAT, 0}, 0},
      {"the bound of sums, for what moves", MPI_FLOAT, MPI_SUM, 1, MOVES, {GHZ_MPI_FLOAT, 0}, 0},
      {"the bound of sums, for extrema", MPI_FLOAT, MPI_MAX, 1, SUMS, {GHZ_MPI_FLOAT, 0}, 0},
  };
  for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
    for (int what = 0; what < COLLECTIVES; what++)
      if (reasons[i].of == ALL || (reasons[i].of == SUMS) == reduces((collective)what))
        for (int asked = 0; asked < 2; asked++) {
          leave(&reasons[i], (collective)what, FEW, asked);
          leave(&reasons[i], (collective)what, MANY, asked);
        }
  MPI_Op_free(&own);
  MPI_Type_free(&pair);
  MPI_Type_free(&spread);
  return suite_end(NULL);
}
