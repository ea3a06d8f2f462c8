/* collective.h: what the collectives have in common. Each describes itself;
 * ghz_collective_run makes the call. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_MPI_COLLECTIVE_H
#define GHZ_MPI_COLLECTIVE_H

#include "engine/plan.h"
#include "payload/device.h"

#include <stddef.h>

typedef struct collective collective;

/* The collectives, in the order of ghz_collectives. */
typedef enum call_id {
  ALLREDUCE,
  REDUCE,
  BCAST,
  SCATTER,
  GATHER,
  ALLGATHER,
  ALLGATHERV,
  REDUCE_SCATTER_BLOCK,
  REDUCE_SCATTER,
  CALLS
} call_id;

/* ---- settings.c: what the options of a call and the environment ask for ---------------------- */

enum { THRESHOLD_DEFAULT = 256 * 1024 /* bytes */, CHECK_UNSET = -1, EXTENTS_LISTED = 64 };

/* The variables GHZ_MPI_...; from SHARED on those that each rank has for itself. */
typedef enum setting {
  SET_BOUND,
  SET_CALLS,
  SET_EXTENTS,
  SET_REPORT,
  SET_ALGORITHM,
  SET_MODE,
  SET_NODE,
  SET_CHECK,
  SET_THRESHOLD,
  SET_LINK,
  SET_FILL,
  SHARED,
  SET_THREADS = SHARED,
  SET_CUDA_AWARE,
  SET_INIT_TIMEOUT,
  SETTINGS
} setting;

typedef struct wish {
  ghz_bound bound;
  int of_result;
} wish;

/* What the environment says, as numbers: a text could be read in several ways. */
typedef struct environment {
  wish wishes[CALLS + 1];               /* of each collective by name, and of all others */
  ghz_shape shapes[EXTENTS_LISTED + 1]; /* one without dims ends them */
  unsigned calls;                       /* that GHZ_MPI_CALLS names, by bits; 0: it is not set */
  int refused;                          /* it is set, and wrong */
  int asks;                             /* for what MPI does not do: an algorithm, a mode, a fill */
  double value[SETTINGS];               /* of the fill: NAN: there is none */
} environment;

/* Bytes that all ranks must have alike, for who copies rank 0's to the others before their first
 * call. */
enum { ENVIRONMENT_SHARED = offsetof(environment, value) + SHARED * sizeof(double) };

/* The environment, once it is read. Thread-safe. */
environment *ghz_settings_environment(void);

/* The text of a variable; NULL: it is not set, or empty. */
const char *ghz_settings_text(setting i);

/* The options of a call, and in place of those that it does not give, the environment's; `check`
 * may be CHECK_UNSET. */
typedef ghz_mpi_options settings;

/* Merges both into *s. Returns NULL, or what is wrong with the options, and then *s is that of
 * default options. Thread-safe. */
const char *ghz_settings_make(const ghz_mpi_options *options, const collective *what, settings *s);

/* The shape of a call of so many values: that of the options, or the environment's. Thread-safe. */
ghz_shape ghz_settings_shape(const settings *s, uint64_t count);

/* Whether a call of so many bytes goes straight to MPI: it is small, and nothing is asked for that
 * would need us. Costs next to nothing. Thread-safe. */
int ghz_settings_are_small(const ghz_mpi_options *options, uint64_t bytes);

/* Tells on stderr, on rank 0 of MPI_COMM_WORLD. */
__attribute__((format(printf, 1, 2))) void ghz_settings_note(const char *format, ...);

/* ---- A call ---------------------------------------------------------------------------------- */

/* What is wrong travels up as a value, and is raised once, at the end of the call: see errors.c. */
typedef enum error_origin {
  ERROR_OURS,   /* code is an error class; the sentence is text */
  ERROR_OF_MPI, /* code came from MPI on our own communicator, whose handler only returns */
  ERROR_RAISED  /* code came from MPI on the user's communicator, whose handler has been called */
} error_origin;

typedef struct error {
  int code; /* MPI_SUCCESS: there is none */
  error_origin origin;
  char text[208];
} error;

/* One of ours: a class, and a sentence. */
__attribute__((format(printf, 2, 3))) error ghz_error(int error_class, const char *format, ...);

/* What the last use of a device on this thread returned: no error for GHZ_OK. */
error ghz_error_of_device(ghz_status status);

/* Calls the error handler of comm, or that of MPI_COMM_WORLD for MPI_COMM_NULL, unless MPI has done
 * so. An error of ours gets a code that MPI_Error_string explains as "name: text". Returns the
 * code. Thread-safe as far as MPI is. */
int ghz_error_raise(MPI_Comm comm, const char *name, const error *e);

/* How many values of its buffers a call uses on this rank, from the first one to the last. */
typedef struct used_values {
  uint64_t send, recv;
  int reads_recv; /* recv holds input, too */
} used_values;

/* A call. The user's arguments come first; ghz_call_read derives the rest from them. */
typedef struct call {
  const collective *collective;
  const void *send;
  void *recv;
  MPI_Count count; /* of an array, or of a block; of all blocks where these have counts[] */
  MPI_Datatype type;
  MPI_Op op;
  int root;
  MPI_Comm comm;

  settings set;
  int asks_mode; /* the options name it, not the environment */
  int unasked;   /* MPI makes it, without agreement; all ranks find so alike */
  position at;
  int is_real;         /* the type is float or double: */
  ghz_type real;       /* which */
  size_t value_size;   /* of any type; 0: unknown */
  reduction reduction; /* REDUCE_NONE also for the operations that are MPI's alone */
  ghz_shape shape;     /* of the array that `count` counts, or the largest of counts[] */
  /* Of blocks with counts of their own, by rank: values, and where they begin. NULL: there are
   * none. */
  uint64_t *counts, *places;
  int *int_counts; /* both as MPI's call takes them, if fits_int */
  used_values used;
  int fits_int;       /* counts and offsets fit the int of MPI's calls */
  const char *by_mpi; /* why only MPI can make it; all ranks find so alike. NULL: we can */
  buffer_location on; /* of the buffers that this rank uses */
  void *spare;        /* memory on the host that the collective asks for */
} call;

/* How an algorithm does a collective. */
typedef struct algorithm {
  ghz_mpi_algorithm name; /* 0 ends a list */
  schedule_builder build;
  int (*segments)(int ranks, uint64_t tiles); /* of a part; NULL: 1 */
  int columns_first;                          /* as in layout */
} algorithm;

/* Which ranks have a block (the array, where there are none) in their buffers. */
typedef enum holders { BY_ALL, BY_OWNER, BY_ROOT } holders;

struct collective {
  const char *name, *mpi_name; /* of the function */
  holders gives, gets;
  int reduces; /* has an operation */
  int counted; /* its blocks have counts of their own */
  const algorithm *algorithms;
  int (*by_mpi)(const call *c); /* MPI's call of the same name, for counts that fit an int */
};

extern const collective ghz_collectives[CALLS]; /* see calls.c */

/* Makes the call of these arguments, of which some have no meaning to some collectives: `counts`
 * and `places` are of blocks with counts of their own, and where each begins; places NULL: behind
 * the one before. Returns an error code, for which the error handler has been called. */
int ghz_collective_run(call_id what, const void *send, void *recv, MPI_Count count, const MPI_Count *counts,
                       const MPI_Count *places, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm,
                       const ghz_mpi_options *options);

/* ---- What a call is like --------------------------------------------------------------------- */

/* NULL: the collective has none of this name. */
static inline const algorithm *collective_algorithm(const collective *what, ghz_mpi_algorithm name) {
  const algorithm *a = what->algorithms;
  while (a->name && a->name != name)
    a++;
  return a->name ? a : NULL;
}

static inline int collective_is_rooted(const collective *what) {
  return what->gives == BY_ROOT || what->gets == BY_ROOT;
}

/* Whether it moves an array per rank, all of one size. */
static inline int collective_has_blocks(const collective *what) {
  return !what->counted && (what->gives == BY_OWNER || what->gets == BY_OWNER);
}

/* Arrays of `count` values in the larger of the buffers. */
static inline int call_blocks(const call *c) {
  return collective_has_blocks(c->collective) ? c->at.ranks : 1;
}

/* The bytes of the larger buffer. A double, as they may be too many for an integer. */
static inline double call_bytes(const call *c) {
  return (double)c->count * (double)c->value_size * call_blocks(c);
}

/* Whether values that stand for "missing" would be added or compared. */
static inline int ghz_call_reduces_fill(const call *c) {
  return c->set.has_fill && c->is_real && c->reduction != REDUCE_NONE;
}

/* Whether a call is certain to need the range of all values: all ranks find so alike. Then the
 * first agreement brings it, unless a rank has device buffers. */
static inline int call_range_is_early(const call *c) {
  const settings *s = &c->set;
  return !c->by_mpi && (s->bound.kind == GHZ_REL || s->bound.kind == GHZ_PSNR);
}

/* ---- Its buffers ----------------------------------------------------------------------------- */

/* Values of this rank's block, and of all blocks from the first to the last (of the array, where
 * there are no blocks). */
static inline uint64_t call_own(const call *c) {
  return c->counts ? c->counts[c->at.rank] : (uint64_t)c->count;
}

static inline uint64_t call_all(const call *c) {
  uint64_t end = 0;
  for (int b = 0; c->counts && b < c->at.ranks; b++)
    end = c->places[b] + c->counts[b] > end ? c->places[b] + c->counts[b] : end;
  return c->counts ? end : (uint64_t)c->count * (uint64_t)call_blocks(c);
}

static inline int call_is_in_place(const call *c) {
  return c->send == MPI_IN_PLACE;
}

static inline int call_is_root(const call *c) {
  return c->at.rank == c->root;
}

/* Where a block of a buffer begins. */
static inline size_t call_place(const call *c, int block) {
  return (c->counts ? c->places[block] : (uint64_t)block * (uint64_t)c->count) * c->value_size;
}

/* NULL of an array that is NULL, as one without values may be. */
static inline const uint8_t *call_block(const call *c, const void *array, int block) {
  return array ? (const uint8_t *)array + call_place(c, block) : NULL;
}

/* ---- arguments.c ----------------------------------------------------------------------------- */

/* The bytes of a float or double, if a type is one of their names, or of complex numbers of them,
 * which have two parts; else 0. */
int ghz_type_real(MPI_Datatype type, int *parts);

/* Fills in what follows from the user's arguments, and makes the device of the buffers the current
 * one. Returns what is wrong as far as this rank can tell. `counts` and `places` are those of
 * blocks with counts of their own, else NULL. ghz_call_leave undoes it. */
error ghz_call_read(call *c, const MPI_Count *counts, const MPI_Count *places, const ghz_mpi_options *options);

void ghz_call_leave(call *c);

/* ---- buffers.c: what a call reads and writes on this rank ------------------------------------ */

/* Whether a buffer that this rank uses is missing. */
int ghz_buffers_lack(const call *c);

used_values ghz_buffers_used(const call *c);

/* All values that this rank gives, which lie in a row. */
const void *ghz_buffers_input(const call *c, uint64_t *values);

/* Bytes of spare memory that this rank needs beside its buffers. */
size_t ghz_buffers_spare(const call *c);

/* Sets where the parts lie on this rank. */
void ghz_buffers_arrange(const call *c, part *parts, int count);

/* Takes the result from spare memory to where it belongs. */
void ghz_buffers_finish(const call *c);

#endif
