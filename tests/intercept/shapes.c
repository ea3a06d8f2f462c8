/* shapes.c: a program that uses collectives in all the ways that MPI allows, and checks each
 * result.
 *
 *   mpiexec -n R shapes EB
 *
 * R is at least 3. EB is what a value that was moved may be off by (0: nothing).
 *
 * Data types differ from rank to rank wherever MPI lets them, so that a rank that decided otherwise
 * than the others about a call would hang, or leave wrong values. What cannot be compressed must be
 * exact. */
/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* feenableexcept */
#include <fenv.h>
#include <math.h>
#include <mpi.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 90000, BLOCK = 1000, GAP = -77 };

static double eb;
static int rank, ranks, wrong;
static bool arrays; /* on all ranks: what can be compressed */

static float value(int who, int i) { return (float)(sin(0.001 * i + who) * (1 + 0.1 * who)); }

static bool near(double x, double want, double terms) {
  double limit = terms * eb;
  return limit > 0 ? fabs(x - want) <= limit + 1e-6 * fabs(want) : x == want;
}

/* Values that are not those of `who`. */
static long differ(const float *x, int who, double terms) {
  long bad = 0;
  for (int i = 0; i < N; i++)
    bad += !near((double)x[i], (double)value(who, i), terms);
  return bad;
}

static void report(const char *what, int shift, long bad) {
  if (bad == 0)
    return;
  fprintf(stderr, "shapes: rank %d: %s (%d): %ld values wrong\n", rank, what, shift, bad);
  wrong = 1;
}

static void *memory(size_t bytes) {
  void *m = malloc(bytes);
  if (m)
    return m;
  fputs("shapes: out of memory\n", stderr);
  MPI_Abort(MPI_COMM_WORLD, 1);
  return NULL;
}

/* ---- Layouts: N floats as different datatypes see them in memory ---- */
typedef enum kind { FLAT, NESTED, STRIDED, LAYOUTS } kind;

typedef struct layout {
  kind kind;
  MPI_Datatype type;
  int count;
  size_t span; /* floats from one block of N to the next */
} layout;

/* Value i of a block. */
static size_t place(const layout *l, int i) { return (size_t)(l->kind == STRIDED ? 2 * i : i); }

static MPI_Datatype nested(void) {
  MPI_Datatype copy, type;
  MPI_Type_dup(MPI_FLOAT, &copy);
  MPI_Type_contiguous(BLOCK, copy, &type);
  MPI_Type_free(&copy);
  return type;
}

static layout layout_make(int which) {
  layout l = {.kind = arrays ? FLAT : (kind)(which % LAYOUTS), .type = MPI_FLOAT, .count = 1};
  MPI_Aint low, extent;
  switch (l.kind) {
  case NESTED:
    l.type = nested();
    l.count = N / BLOCK;
    break;
  case STRIDED: MPI_Type_vector(N, 1, 2, MPI_FLOAT, &l.type); break;
  default: l.count = N;
  }
  if (l.kind != FLAT)
    MPI_Type_commit(&l.type);
  MPI_Type_get_extent(l.type, &low, &extent);
  l.span = (size_t)extent / sizeof(float) * (size_t)l.count;
  return l;
}

static void layout_free(layout *l) {
  if (l->kind != FLAT)
    MPI_Type_free(&l->type);
}

static size_t floats(const layout *l, int blocks) { return l->span * (size_t)blocks + 2; }

/* A buffer of so many blocks, with GAP wherever no value lies. */
static float *blank(const layout *l, int blocks) {
  float *x = memory(floats(l, blocks) * sizeof *x);
  for (size_t i = 0; i < floats(l, blocks); i++)
    x[i] = GAP;
  return x;
}

static void fill(const layout *l, float *x, int block, int who) {
  for (int i = 0; i < N; i++)
    x[l->span * (size_t)block + place(l, i)] = value(who, i);
}

/* Takes the values out, so that nothing but GAP must be left. */
static long check(const layout *l, float *x, int block, int who, bool exact) {
  long bad = 0;
  for (int i = 0; i < N; i++) {
    float *y = &x[l->span * (size_t)block + place(l, i)];
    bad += !near((double)*y, (double)value(who, i), exact ? 0 : 1);
    *y = GAP;
  }
  return bad;
}

static long finish(const layout *l, float *x, int blocks) {
  long bad = 0;
  for (size_t i = 0; i < floats(l, blocks); i++)
    bad += x[i] != GAP;
  free(x);
  return bad;
}

/* ---- Moving data ---- */
static void try_bcast(int shift) {
  layout l = layout_make(rank + shift);
  float *x = blank(&l, 1);
  int root = shift % ranks;
  if (rank == root)
    fill(&l, x, 0, 50);
  MPI_Bcast(x, l.count, l.type, root, MPI_COMM_WORLD);
  long bad = check(&l, x, 0, 50, false);
  report("bcast", shift, bad + finish(&l, x, 1));
  layout_free(&l);
}

/* A block of each rank: what does not matter at a rank is rubbish there. */
static void try_blocks(const char *what, int shift, bool in_place) {
  const bool gathers_all = strcmp(what, "allgather") == 0, scatters = strcmp(what, "scatter") == 0;
  const int root = (shift + 1) % ranks;
  const bool at_root = rank == root, stays = in_place && (gathers_all || at_root), sends = !stays || scatters,
             receives = !stays || !scatters;
  layout from = layout_make(rank + shift), to = layout_make(rank + 2 * shift + 1);
  const int given = !scatters ? 1
                    : at_root ? ranks
                              : 0,
            got = scatters                 ? 1
                  : gathers_all || at_root ? ranks
                                           : 0;
  float *x = blank(&from, given), *y = blank(&to, got), *send = given ? x : NULL, *recv = got ? y : NULL;
  long bad = 0;
  for (int b = 0; b < given; b++)
    fill(&from, x, b, scatters ? b : rank);
  if (stays && !scatters)
    fill(&to, y, rank, rank);
  const void *in = sends ? send : MPI_IN_PLACE;
  void *out = receives ? recv : MPI_IN_PLACE;
  const int n = sends && given ? from.count : -5, m = receives && got ? to.count : -5;
  const MPI_Datatype type = n < 0 ? MPI_DATATYPE_NULL : from.type, types = m < 0 ? MPI_DATATYPE_NULL : to.type;
  if (scatters)
    MPI_Scatter(in, n, type, out, m, types, root, MPI_COMM_WORLD);
  else if (gathers_all)
    MPI_Allgather(in, n, type, out, m, types, MPI_COMM_WORLD);
  else
    MPI_Gather(in, n, type, out, m, types, root, MPI_COMM_WORLD);
  for (int b = 0; b < given; b++)
    bad += check(&from, x, b, scatters ? b : rank, true);
  for (int b = 0; b < got && receives; b++)
    bad += check(&to, y, b, scatters ? rank : b, stays && !gathers_all && b == rank);
  bad += finish(&from, x, given);
  report(what, 10 * shift + in_place, bad + finish(&to, y, got));
  layout_free(&from);
  layout_free(&to);
}

/* Two blocks from the last rank, none from the first, one from each other. They lie in the opposite
 * order of ranks, with room for a block before each. */
static int blocks_of(int r) { return r == ranks - 1 ? 2 : r > 0; }

static int slot_of(int r) {
  int slot = 1;
  for (int other = ranks - 1; other > r; other--)
    slot += blocks_of(other) + 1;
  return slot;
}

static void try_allgatherv(int shift, bool in_place) {
  layout from = layout_make(rank + shift), to = layout_make(rank + 2 * shift + 1);
  int n = blocks_of(rank), all_slots = slot_of(0) + 1, *counts = memory((size_t)ranks * sizeof *counts),
      *displs = memory((size_t)ranks * sizeof *displs);
  float *own = blank(&from, 2), *all = blank(&to, all_slots);
  for (int b = 0; b < n; b++) {
    fill(&from, own, b, 10 * rank + b);
    if (in_place)
      fill(&to, all, slot_of(rank) + b, 10 * rank + b);
  }
  for (int r = 0; r < ranks; r++) {
    counts[r] = blocks_of(r) * to.count;
    displs[r] = slot_of(r) * to.count;
  }
  MPI_Allgatherv(in_place ? MPI_IN_PLACE : own, in_place ? -5 : n * from.count,
                 in_place ? MPI_DATATYPE_NULL : from.type, all, counts, displs, to.type, MPI_COMM_WORLD);
  long bad = 0;
  for (int b = 0; b < n; b++)
    bad += check(&from, own, b, 10 * rank + b, true);
  for (int r = 0; r < ranks; r++)
    for (int b = 0; b < blocks_of(r); b++)
      bad += check(&to, all, slot_of(r) + b, 10 * r + b, false);
  bad += finish(&from, own, 2);
  report(in_place ? "allgatherv in place" : "allgatherv", shift, bad + finish(&to, all, all_slots));
  free(counts);
  free(displs);
  layout_free(&from);
  layout_free(&to);
}

/* Fortran's name on one rank, C's on the others: the same bytes. */
static void try_names(void) {
  int bytes = 0;
  if (MPI_REAL == MPI_DATATYPE_NULL || MPI_Type_size(MPI_REAL, &bytes) || bytes != sizeof(float))
    return;
  layout l = layout_make(FLAT);
  float *x = blank(&l, 1);
  if (rank == 0)
    fill(&l, x, 0, 3);
  MPI_Bcast(x, N, rank == 1 ? MPI_REAL : MPI_FLOAT, 0, MPI_COMM_WORLD);
  long bad = check(&l, x, 0, 3, false);
  report("MPI_REAL", 0, bad + finish(&l, x, 1));
}

/* ---- Reductions ---- */
static float *mine(int blocks) {
  float *x = memory((size_t)blocks * N * sizeof *x);
  for (int i = 0; i < blocks * N; i++)
    x[i] = value(rank, i);
  return x;
}

static double total(MPI_Op op, int i) {
  double t = (double)value(0, i);
  for (int r = 1; r < ranks; r++) {
    double x = (double)value(r, i);
    t = op == MPI_SUM ? t + x : op == MPI_PROD ? t * x : op == MPI_MAX ? fmax(t, x) : fmin(t, x);
  }
  return t;
}

/* MPI's own result may be rounded otherwise than `total`. */
static long check_total(const float *x, MPI_Op op, int first, int count, double terms) {
  long bad = 0;
  for (int i = 0; i < count; i++)
    bad += fabs((double)x[i] - total(op, first + i)) > terms * eb + 1e-5;
  return bad;
}

static double terms_of(MPI_Op op) { return op == MPI_SUM ? ranks : op == MPI_PROD ? 0 : 1; }

/* Equal blocks, but for what rank 0 leaves to the last one. */
static void try_reduce_scatter(MPI_Op op, int which, int left) {
  int *counts = memory((size_t)ranks * sizeof *counts), first = rank * N - (rank > 0 ? left : 0);
  float *x = mine(ranks), *y = memory(2 * N * sizeof *y);
  for (int r = 0; r < ranks; r++)
    counts[r] = N - (r == 0 ? left : 0) + (r == ranks - 1 ? left : 0);
  MPI_Reduce_scatter(x, y, counts, MPI_FLOAT, op, MPI_COMM_WORLD);
  report("reduce_scatter", which, check_total(y, op, first, counts[rank], terms_of(op)));
  if (eb > 0 && op != MPI_PROD) { /* MPICH 4.0 itself copies blocks onto themselves, and ends */
    MPI_Reduce_scatter(MPI_IN_PLACE, x, counts, MPI_FLOAT, op, MPI_COMM_WORLD);
    report("reduce_scatter in place", which, check_total(x, op, first, counts[rank], terms_of(op)));
  }
  free(counts);
  free(x);
  free(y);
}

static void try_reductions(MPI_Op op, int which) {
  bool at_root = rank == 0;
  float *x = mine(1), *y = memory(N * sizeof *y);
  MPI_Allreduce(x, y, N, MPI_FLOAT, op, MPI_COMM_WORLD);
  report("allreduce", which, check_total(y, op, 0, N, terms_of(op)));
  memcpy(y, x, N * sizeof *y);
  MPI_Allreduce(MPI_IN_PLACE, y, N, MPI_FLOAT, op, MPI_COMM_WORLD);
  report("allreduce in place", which, check_total(y, op, 0, N, terms_of(op)));
  memcpy(y, x, N * sizeof *y);
  MPI_Reduce(at_root ? MPI_IN_PLACE : x, at_root ? y : NULL, N, MPI_FLOAT, op, 0, MPI_COMM_WORLD);
  report("reduce in place", which, at_root ? check_total(y, op, 0, N, terms_of(op)) : 0);
  MPI_Reduce(x, y, N, MPI_FLOAT, op, ranks - 1, MPI_COMM_WORLD);
  report("reduce", which, rank == ranks - 1 ? check_total(y, op, 0, N, terms_of(op)) : 0);
  free(x);
  x = mine(ranks);
  MPI_Reduce_scatter_block(x, y, N, MPI_FLOAT, op, MPI_COMM_WORLD);
  report("reduce_scatter_block", which, check_total(y, op, rank * N, N, terms_of(op)));
  MPI_Reduce_scatter_block(MPI_IN_PLACE, x, N, MPI_FLOAT, op, MPI_COMM_WORLD);
  report("reduce_scatter_block in place", which, check_total(x, op, rank * N, N, terms_of(op)));
  if (eb > 0 && op != MPI_PROD) { /* MPICH itself overwrites them */
    float *given = mine(ranks);
    report("what is behind the result", which,
           memcmp(x + N, given + N, (size_t)(ranks - 1) * N * sizeof *x) != 0);
    free(given);
  }
  free(x);
  free(y);
  try_reduce_scatter(op, which, 0);
  try_reduce_scatter(op, which, N);
  try_reduce_scatter(op, which, 1234);
}

static void add(void *in, void *inout, int *count, MPI_Datatype *type) {
  (void)type;
  for (int i = 0; i < *count; i++)
    ((float *)inout)[i] += ((float *)in)[i];
}

/* Not ours: an operation of the user's, integers, pairs. */
static void try_others(void) {
  MPI_Op own;
  float *x = mine(1), *y = memory(N * sizeof *y);
  int *k = memory(N * sizeof *k);
  MPI_Op_create(add, 1, &own);
  MPI_Allreduce(x, y, N, MPI_FLOAT, own, MPI_COMM_WORLD);
  report("an operation of the user's", 0, check_total(y, MPI_SUM, 0, N, 0));
  MPI_Op_free(&own);
  for (int i = 0; i < N; i++)
    k[i] = i + rank;
  MPI_Allreduce(MPI_IN_PLACE, k, N, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  long bad = 0;
  for (int i = 0; i < N; i++)
    bad += k[i] != i + ranks - 1;
  report("integers", 0, bad);
  MPI_Allreduce(x, y, N / 2, MPI_2REAL, MPI_MAXLOC, MPI_COMM_WORLD);
  bad = 0;
  for (int i = 0; i < N; i += 2)
    bad += (double)y[i] != total(MPI_MAX, i);
  report("pairs", 0, bad);
  free(x);
  free(y);
  free(k);
}

/* ---- Communicators ---- */
static void try_self(void) {
  float *x = mine(1);
  MPI_Bcast(x, N, MPI_FLOAT, 0, MPI_COMM_SELF);
  report("MPI_COMM_SELF", 0, differ(x, rank, 0));
  free(x);
}

/* All but rank 0. */
static void try_part(void) {
  MPI_Comm part;
  float *x = mine(1);
  MPI_Comm_split(MPI_COMM_WORLD, rank > 0, 0, &part);
  MPI_Bcast(x, N, MPI_FLOAT, 0, part);
  report("part of the ranks", 0, differ(x, rank > 0, rank > 0));
  MPI_Comm_free(&part);
  free(x);
}

/* From rank 0 to the others as another group, whose members but the root have nothing to say. */
static void try_between(void) {
  MPI_Comm part, between;
  float *x = mine(1), *y = memory(N * sizeof *y);
  MPI_Comm_split(MPI_COMM_WORLD, rank > 0, 0, &part);
  MPI_Intercomm_create(part, 0, MPI_COMM_WORLD, rank > 0 ? 0 : 1, 5, &between);
#ifdef __GLIBC__ /* as programs in Fortran do */
  feenableexcept(FE_INVALID | FE_DIVBYZERO);
#endif
  MPI_Bcast(x, N, MPI_FLOAT, rank > 0 ? 0 : MPI_ROOT, between);
  if (rank < 2) /* from rank 1; the others of its group have no part in it */
    MPI_Bcast(x, N, MPI_FLOAT, rank == 0 ? 0 : MPI_ROOT, between);
  else
    MPI_Bcast(NULL, 0, MPI_BYTE, MPI_PROC_NULL, between);
  MPI_Allreduce(x, y, N, MPI_FLOAT, MPI_MAX, between);
#ifdef __GLIBC__
  fedisableexcept(FE_ALL_EXCEPT);
#endif
  report("between groups", 0, differ(x, 0, 0) + differ(y, 0, 0));
  MPI_Comm_free(&between);
  MPI_Comm_free(&part);
  free(x);
  free(y);
}

/* A process that was started by this program shares no settings with it. */
static void meet(MPI_Comm between, int high) {
  MPI_Comm all;
  int size;
  float *x = mine(1), *y = memory(N * sizeof *y);
  MPI_Intercomm_merge(between, high, &all);
  MPI_Comm_size(all, &size);
  for (int i = 0; i < N; i++)
    x[i] = value(0, i);
  MPI_Allreduce(x, y, N, MPI_FLOAT, MPI_MAX, all);
  report("with a process of another world", size, differ(y, 0, 0));
  MPI_Comm_free(&all);
  MPI_Comm_disconnect(&between);
  free(x);
  free(y);
}

/* Some builds of MPI cannot. */
static void try_spawn(char *program) {
  char *arguments[] = {"child", NULL};
  MPI_Comm between;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  int code =
      MPI_Comm_spawn(program, arguments, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &between, MPI_ERRCODES_IGNORE);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  if (code == MPI_SUCCESS)
    meet(between, 0);
  else if (rank == 0)
    puts("shapes: this MPI starts no processes");
}

/* ---- Threads, large counts, errors ---- */
typedef struct worker {
  MPI_Comm comm;
  int number;
  long bad;
} worker;

static void *work(void *argument) {
  worker *w = argument;
  for (int round = 0; round < 5; round++) {
    layout l = layout_make(FLAT);
    float *x = blank(&l, 1);
    if (rank == 0)
      fill(&l, x, 0, w->number);
    MPI_Bcast(x, l.count, l.type, 0, w->comm);
    w->bad += check(&l, x, 0, w->number, false) + finish(&l, x, 1);
    layout_free(&l);
  }
  return NULL;
}

static void try_threads(int level) {
  worker w[2] = {{.number = 1}, {.number = 2}};
  pthread_t other;
  MPI_Comm_dup(MPI_COMM_WORLD, &w[0].comm);
  MPI_Comm_dup(MPI_COMM_WORLD, &w[1].comm);
  bool both = level == MPI_THREAD_MULTIPLE && pthread_create(&other, NULL, work, &w[1]) == 0;
  work(&w[0]);
  if (both)
    pthread_join(other, NULL);
  else
    work(&w[1]);
  report("threads", both, w[0].bad + w[1].bad);
  MPI_Comm_free(&w[0].comm);
  MPI_Comm_free(&w[1].comm);
}

static void try_large_counts(void) {
#if MPI_VERSION >= 4
  MPI_Datatype type;
  float *x = mine(1), *y = memory(N * sizeof *y), *z = memory(2 * N * sizeof *z);
  long bad = 0;
  MPI_Allreduce_c(x, y, N, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
  report("allreduce_c", 0, check_total(y, MPI_SUM, 0, N, ranks));
  MPI_Type_vector_c(N, 1, 2, MPI_FLOAT, &type);
  MPI_Type_commit(&type);
  for (int i = 0; i < N; i++)
    z[2 * i] = value(0, i);
  if (rank == 0)
    MPI_Bcast_c(z, 1, type, 0, MPI_COMM_WORLD);
  else
    MPI_Bcast_c(z, N, MPI_FLOAT, 0, MPI_COMM_WORLD);
  for (int i = 0; i < N; i++)
    bad += !near((double)z[rank == 0 ? 2 * i : i], (double)value(0, i), 1);
  report("bcast_c", 0, bad);
  MPI_Count *counts = memory((size_t)ranks * sizeof *counts);
  MPI_Aint *displs = memory((size_t)ranks * sizeof *displs);
  for (int r = 0; r < ranks; r++) {
    counts[r] = r == 0 ? N : 0;
    displs[r] = r == 0 ? N / 2 : 0;
  }
  MPI_Reduce_scatter_c(x, y, counts, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
  report("reduce_scatter_c", 0, rank == 0 ? check_total(y, MPI_SUM, 0, N, ranks) : 0);
  MPI_Allgatherv_c(x, counts[rank], MPI_FLOAT, z, counts, displs, MPI_FLOAT, MPI_COMM_WORLD);
  report("allgatherv_c", 0, differ(z + N / 2, 0, 1));
  free(counts);
  free(displs);
  MPI_Type_free(&type);
  free(x);
  free(y);
  free(z);
#endif
}

/* What MPI itself may not notice: counts that differ, a rank that sends another number than is
 * expected of it, a displacement in front of the buffer. */
static void try_wrong_blocks(MPI_Comm comm) {
  int *counts = memory((size_t)ranks * sizeof *counts), *displs = memory((size_t)ranks * sizeof *displs);
  float *x = mine(ranks), *y = memory((size_t)ranks * N * sizeof *y);
  for (int r = 0; r < ranks; r++)
    counts[r] = N, displs[r] = r * N;
  counts[0] -= rank == 1;
  counts[2] += rank == 1;
  report("other counts", 0, MPI_Reduce_scatter(x, y, counts, MPI_FLOAT, MPI_SUM, comm) == MPI_SUCCESS);
  report("other counts", 1,
         MPI_Allgatherv(x, counts[rank], MPI_FLOAT, y, counts, displs, MPI_FLOAT, comm) == MPI_SUCCESS);
  counts[0] = counts[2] = N;
  report("another number", 0,
         MPI_Allgatherv(x, N - (rank == 1), MPI_FLOAT, y, counts, displs, MPI_FLOAT, comm) == MPI_SUCCESS);
  displs[1] = rank == 2 ? -1 : N;
  report("a displacement", 0,
         MPI_Allgatherv(x, N, MPI_FLOAT, y, counts, displs, MPI_FLOAT, comm) == MPI_SUCCESS);
  displs[1] = N;
  report("right blocks", 0, MPI_Allgatherv(x, N, MPI_FLOAT, y, counts, displs, MPI_FLOAT, comm) != MPI_SUCCESS);
  free(counts);
  free(displs);
  free(x);
  free(y);
}

static void try_errors(void) {
  MPI_Comm comm;
  float *x = mine(1);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  report("a root that there is not", 0, MPI_Bcast(x, N, MPI_FLOAT, ranks, comm) == MPI_SUCCESS);
  report("a negative count", 0, MPI_Bcast(x, -1, MPI_FLOAT, 0, comm) == MPI_SUCCESS);
  report("no datatype", 0, MPI_Bcast(x, N, MPI_DATATYPE_NULL, 0, comm) == MPI_SUCCESS);
  if (eb > 0)
    try_wrong_blocks(comm);
  report("a call after errors", 0, MPI_Bcast(x, N, MPI_FLOAT, 0, comm) != MPI_SUCCESS);
  MPI_Comm_free(&comm);
  free(x);
}

static void try_moves(int shift) {
  try_bcast(shift);
  for (int in_place = 0; in_place < 2; in_place++) {
    try_blocks("scatter", shift, in_place);
    try_blocks("gather", shift, in_place);
    try_blocks("allgather", shift, in_place);
    if (arrays) /* else Open MPI 4.1 itself hangs: ranks choose algorithms by their own datatypes */
      try_allgatherv(shift, in_place);
  }
}

static void try_all(int level) {
  MPI_Op ops[] = {MPI_SUM, MPI_MIN, MPI_MAX, MPI_PROD};
  for (int shift = 0; shift < LAYOUTS; shift++)
    try_moves(shift);
  arrays = true;
  try_moves(1);
  try_names();
  for (int i = 0; i < 4; i++)
    try_reductions(ops[i], i);
  try_others();
  try_self();
  try_part();
  try_between();
  try_threads(level);
  try_large_counts();
  try_errors();
}

int main(int argc, char **argv) {
  MPI_Comm parent;
  int level, any;
  char *end = NULL;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_get_parent(&parent);
  if (parent == MPI_COMM_NULL) {
    eb = argc == 2 ? strtod(argv[1], &end) : -1;
    if (!end || *end || !(eb >= 0) || ranks < 3) {
      fputs("usage: mpiexec -n R shapes EB (R >= 3)\n", stderr);
      MPI_Abort(MPI_COMM_WORLD, 2);
    }
    try_all(level);
    try_spawn(argv[0]);
  } else {
    meet(parent, 1);
  }
  MPI_Allreduce(&wrong, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return any;
}
