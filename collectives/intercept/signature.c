/* signature.c: the type signature of a datatype.
 *
 * MPI requires the same signature on all processes, and not the same datatype: one process may
 * broadcast an array of floats that others receive as columns of a matrix. Whether a call is
 * intercepted therefore follows from the signature alone. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "intercept/intercept.h"

#include <stdio.h>
#include <stdlib.h>

#include "request/types.h"

enum { NAMED = 16 };

static struct {
  MPI_Datatype type;
  value_kind kind;
  int values;
  bool number; /* real or complex; else a pair of a value and an index */
} named[NAMED];
static int named_count;

static int key = MPI_KEYVAL_INVALID;
static const signature table[KINDS][2] = {{{KIND_EMPTY, false}, {KIND_EMPTY, true}},
                                          {{KIND_FLOAT, false}, {KIND_FLOAT, true}},
                                          {{KIND_DOUBLE, false}, {KIND_DOUBLE, true}},
                                          {{KIND_OTHER, false}, {KIND_OTHER, true}}};

static value_kind kind_of_bytes(int bytes) {
  return bytes == sizeof(float) ? KIND_FLOAT : bytes == sizeof(double) ? KIND_DOUBLE : KIND_OTHER;
}

/* Fortran's types may have other sizes, or be missing. */
static void add(MPI_Datatype type, int values, bool number) {
  int bytes = 0;
  if (type == MPI_DATATYPE_NULL)
    return;
  PMPI_Type_size(type, &bytes);
  named[named_count].type = type;
  named[named_count].kind = kind_of_bytes(bytes / values);
  named[named_count].values = values;
  named[named_count++].number = number;
}

void signature_start(void) {
  PMPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &key, NULL);
  const MPI_Datatype reals[] = {GHZ_MPI_REALS}, complexes[] = {GHZ_MPI_COMPLEXES};
  for (size_t i = 0; i < sizeof reals / sizeof *reals; i++)
    add(reals[i], 1, true);
  for (size_t i = 0; i < sizeof complexes / sizeof *complexes; i++)
    add(complexes[i], 2, true);
  add(MPI_2REAL, 2, false);
  add(MPI_2DOUBLE_PRECISION, 2, false);
}

void signature_stop(void) {
  PMPI_Type_free_keyval(&key);
}

value_kind signature_number(MPI_Datatype type, int *values) {
  for (int i = 0; i < named_count; i++)
    if (named[i].type == type && named[i].number) {
      *values = named[i].values;
      return named[i].kind;
    }
  *values = 1;
  return KIND_OTHER;
}

MPI_Datatype signature_basic(value_kind k) {
  return k == KIND_DOUBLE ? MPI_DOUBLE : MPI_FLOAT;
}

int signature_bytes(value_kind k) {
  return k == KIND_DOUBLE ? (int)sizeof(double) : (int)sizeof(float);
}

/* ---- Derived types ---- */

/* How a datatype was made: from how many elements (in `large` for large counts) of which
 * datatypes. */
#if MPI_VERSION >= 4
typedef MPI_Count number;
#else
typedef int number;
#endif

typedef struct recipe {
  int combiner;
  number integers, addresses, larges, types;
  int *integer;
  MPI_Count *large;
  MPI_Datatype *type;
  void *address; /* MPI returns it; not used here */
} recipe;

static void *list_of(number count, size_t bytes) {
  void *list = calloc((size_t)count + 1, bytes);
  if (list)
    return list;
  fputs("ghzmpi_intercept: out of memory: cannot determine what a datatype holds\n", stderr);
  PMPI_Abort(MPI_COMM_WORLD, 1);
  return NULL;
}

static int recipe_combiner(MPI_Datatype type, recipe *r) {
#if MPI_VERSION >= 4
  PMPI_Type_get_envelope_c(type, &r->integers, &r->addresses, &r->larges, &r->types, &r->combiner);
#else
  PMPI_Type_get_envelope(type, &r->integers, &r->addresses, &r->types, &r->combiner);
#endif
  return r->combiner;
}

static void recipe_read(MPI_Datatype type, recipe *r) {
  r->integer = list_of(r->integers, sizeof *r->integer);
  r->address = list_of(r->addresses, sizeof(MPI_Aint));
  r->large = list_of(r->larges, sizeof *r->large);
  r->type = list_of(r->types, sizeof(MPI_Datatype));
#if MPI_VERSION >= 4
  PMPI_Type_get_contents_c(type, r->integers, r->addresses, r->larges, r->types, r->integer, r->address,
                           r->large, r->type);
#else
  PMPI_Type_get_contents(type, r->integers, r->addresses, r->types, r->integer, r->address, r->type);
#endif
}

static bool is_predefined(int combiner) {
  return combiner == MPI_COMBINER_NAMED || combiner == MPI_COMBINER_F90_REAL ||
         combiner == MPI_COMBINER_F90_COMPLEX || combiner == MPI_COMBINER_F90_INTEGER;
}

/* MPI returns references to derived datatypes, which have to be freed. */
static void recipe_free(recipe *r) {
  for (number i = 0; i < r->types; i++) {
    recipe inner = {0};
    if (!is_predefined(recipe_combiner(r->type[i], &inner)))
      PMPI_Type_free(&r->type[i]);
  }
  free(r->integer);
  free(r->address);
  free(r->large);
  free(r->type);
}

/* Blocks of length 0 of a struct are not part of the signature. */
static bool holds(const recipe *r, number i) {
  if (r->combiner != MPI_COMBINER_STRUCT)
    return true;
  return r->larges > 0 ? r->large[1 + i] > 0 : r->integer[1 + i] > 0;
}

static const signature *signature_derived(MPI_Datatype type, recipe *r) {
  signature s = {KIND_EMPTY, false};
  recipe_read(type, r);
  for (number i = 0; i < r->types; i++) {
    if (!holds(r, i))
      continue;
    const signature *inner = signature_of(r->type[i]);
    if (inner->kind != KIND_EMPTY && s.kind != inner->kind)
      s.kind = s.kind == KIND_EMPTY ? inner->kind : KIND_OTHER;
    s.flat = inner->flat && (r->combiner == MPI_COMBINER_DUP || r->combiner == MPI_COMBINER_CONTIGUOUS);
  }
  recipe_free(r);
  return &table[s.kind][s.flat];
}

static const signature *signature_named(MPI_Datatype type, int combiner) {
  int bytes = 0;
  for (int i = 0; i < named_count; i++)
    if (named[i].type == type)
      return &table[named[i].kind][true];
  if (combiner != MPI_COMBINER_F90_REAL)
    return &table[KIND_OTHER][true];
  PMPI_Type_size(type, &bytes);
  return &table[kind_of_bytes(bytes)][true];
}

/* The answer is an attribute of a derived datatype. */
const signature *signature_of(MPI_Datatype type) {
  recipe r = {0};
  MPI_Count bytes = 0;
  void *known;
  int found = 0;
  if (is_predefined(recipe_combiner(type, &r)))
    return signature_named(type, r.combiner);
  PMPI_Type_get_attr(type, key, &known, &found);
  if (found)
    return known;
  PMPI_Type_size_x(type, &bytes);
  const signature *s = bytes ? signature_derived(type, &r) : &table[KIND_EMPTY][false];
  PMPI_Type_set_attr(type, key, (void *)s);
  return s;
}
