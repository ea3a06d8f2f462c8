/* descriptors.c: the calls of the module ghz_mpi: a descriptor says the kind and the extents. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <ISO_Fortran_binding.h>
#include <ghz/mpi.h>
#include <stdio.h>

typedef const CFI_cdesc_t *array; /* NULL: this rank has none */
typedef struct report {
  int64_t raw_bytes, sent_bytes;
  double seconds, bound, error;
} report;

/* Where the module has its MPI_IN_PLACE, which is a variable. */
static _Atomic(const void *) in_place;
void ghz_fortran_ask_in_place(void); /* of the module: it calls the other one */
void ghz_fortran_tell_in_place(array a) {
  in_place = a->base_addr;
}

static int is_in_place(array a) {
  if (!in_place)
    ghz_fortran_ask_in_place();
  return a->base_addr == in_place;
}

static void *data_of(array a) {
  return is_in_place(a) ? MPI_IN_PLACE : a->base_addr;
}

static MPI_Datatype type_of(array a) {
  return a->type == CFI_type_float            ? MPI_FLOAT
         : a->type == CFI_type_double         ? MPI_DOUBLE
         : a->type == CFI_type_float_Complex  ? MPI_C_FLOAT_COMPLEX
         : a->type == CFI_type_double_Complex ? MPI_C_DOUBLE_COMPLEX
                                              : MPI_DATATYPE_NULL;
}

static int is_assumed_size(array a) {
  return a->rank > 0 && a->dim[a->rank - 1].extent < 0;
}

/* Values, and extents without the slowest one where that counts `blocks`: the first of Fortran's
 * dimensions is the fastest. A complex number is two values of a shape. */
static MPI_Count measure(array a, MPI_Count blocks, ghz_shape *shape) {
  uint64_t extents[CFI_MAX_RANK];
  const int counts = blocks > 1 && a->rank > 0 && a->dim[a->rank - 1].extent == blocks, rank = a->rank - counts;
  const int parts = a->type == CFI_type_float_Complex || a->type == CFI_type_double_Complex ? 2 : 1;
  MPI_Count n = 1;
  for (int i = 0; i < a->rank; i++)
    n *= a->dim[i].extent;
  for (int i = 0; i < rank; i++)
    extents[rank - 1 - i] = (uint64_t)a->dim[i].extent * (uint64_t)(i ? 1 : parts);
  if (rank < 2 || (blocks > 1 && !counts) || ghz_shape_make((size_t)rank, extents, shape) != GHZ_OK)
    *shape = (ghz_shape){.dims = 0};
  return n;
}

/* Of the block `one`, and of `all`, which has so many of them. Returns what is wrong. */
static const char *take_arrays(array one, array all, MPI_Count times, MPI_Count *count, MPI_Datatype *type,
                               ghz_shape *shape) {
  const int stays = is_in_place(one), both = !stays && all && !is_in_place(all);
  array first = stays && all ? all : one;
  ghz_shape other;
  *count = 0;
  *type = MPI_DATATYPE_NULL;
  if (is_assumed_size(one) || (all && is_assumed_size(all)))
    return "an array has no extents, as a(*): name them, as in a(1:n)";
  const MPI_Count blocks = stays ? times : 1, n = measure(first, blocks, shape);
  *type = type_of(first);
  *count = n / blocks;
  if (*type == MPI_DATATYPE_NULL || (both && type_of(all) == MPI_DATATYPE_NULL))
    return "the kind of an array is none of real32, real64 and complex numbers of these";
  if (both && type_of(all) != *type)
    return "its arrays are of two kinds";
  if ((both ? measure(all, 1, &other) : n) != *count * (both ? times : blocks))
    return "an array has not the other's length (in ghz_scatter and ghz_allgather times the ranks)";
  return NULL;
}

enum { ALLREDUCE, REDUCE, BCAST, SCATTER, ALLGATHER };

/* What follows the arrays of every call. */
#define HOW const MPI_Fint *comm, const ghz_bound *bound, report *told, int *ierror
#define AS_IT_IS comm, bound, told, ierror

static void make(int which, array send, array recv, MPI_Op op, const int *root, HOW) {
  static const char *const names[] = {"ghz_allreduce", "ghz_reduce", "ghz_bcast", "ghz_scatter",
                                      "ghz_allgather"};
  const int has_blocks = which == SCATTER || which == ALLGATHER,
            sends_one = which == REDUCE || which == ALLGATHER;
  const MPI_Comm c = MPI_Comm_f2c(*comm);
  ghz_mpi_report did = {.seconds = 0};
  ghz_mpi_options o = GHZ_MPI_OPTIONS;
  MPI_Datatype type;
  MPI_Count n;
  int rank = 0, ranks = 1, from = root ? *root : 0;
  MPI_Comm_rank(c, &rank);
  MPI_Comm_size(c, &ranks);
  array all = root && from != rank ? NULL : sends_one ? recv : send;
  const char *wrong = take_arrays(sends_one ? send : recv, all, has_blocks ? ranks : 1, &n, &type, &o.shape);
  o.bound = bound ? *bound : o.bound;
  o.report = &did;
  if (wrong) {
    fprintf(stderr, "%s on rank %d: %s\n", names[which], rank, wrong);
    type = MPI_DATATYPE_NULL; /* of which the library tells the other ranks */
  }
  const int code = which == ALLREDUCE ? ghz_allreduce(data_of(send), data_of(recv), n, type, op, c, &o)
                   : which == REDUCE  ? ghz_reduce(data_of(send), data_of(recv), n, type, op, from, c, &o)
                   : which == BCAST   ? ghz_bcast(data_of(recv), n, type, from, c, &o)
                   : which == SCATTER ? ghz_scatter(data_of(send), data_of(recv), n, type, from, c, &o)
                                      : ghz_allgather(data_of(send), data_of(recv), n, type, c, &o);
  if (told)
    *told = (report){(int64_t)did.raw_bytes, (int64_t)did.sent_bytes, did.seconds, did.bound, did.error};
  if (ierror)
    *ierror = code;
}

#define CALL GHZ_API void
CALL ghz_fortran_allreduce(array send, array recv, const MPI_Fint *op, HOW) {
  make(ALLREDUCE, send, recv, MPI_Op_f2c(*op), NULL, AS_IT_IS);
}
CALL ghz_fortran_reduce(array send, array recv, const MPI_Fint *op, const int *root, HOW) {
  make(REDUCE, send, recv, MPI_Op_f2c(*op), root, AS_IT_IS);
}
CALL ghz_fortran_bcast(array buffer, const int *root, HOW) {
  make(BCAST, NULL, buffer, MPI_OP_NULL, root, AS_IT_IS);
}
CALL ghz_fortran_scatter(array send, array recv, const int *root, HOW) {
  make(SCATTER, send, recv, MPI_OP_NULL, root, AS_IT_IS);
}
CALL ghz_fortran_allgather(array send, array recv, HOW) {
  make(ALLGATHER, send, recv, MPI_OP_NULL, NULL, AS_IT_IS);
}
