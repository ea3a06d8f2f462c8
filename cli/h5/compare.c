/* compare.c: owns the comparison of attributes and data sets of two HDF5 files. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "compare.h"

#include <hdf5/parameters.h>
#include <stdlib.h>
#include <string.h>

#include "elements.h"

enum { PIECE_BYTES = 4 << 20 }; /* of values that are read at once, unless a row has more */

/* ---- Values ---------------------------------------------------------------------------------- */

typedef struct kind {
  hid_t type, space;
} kind;

static bool extents_same(hid_t a, hid_t b) {
  hsize_t one[GHZ_H5_RANK_MAX] = {0}, two[GHZ_H5_RANK_MAX] = {0};
  const int rank = H5(H5Sget_simple_extent_ndims)(a);
  return rank >= 0 && rank <= GHZ_H5_RANK_MAX && H5(H5Sget_simple_extent_ndims)(b) == rank &&
         H5(H5Sget_simple_extent_type)(a) == H5(H5Sget_simple_extent_type)(b) &&
         H5(H5Sget_simple_extent_dims)(a, one, NULL) == rank &&
         H5(H5Sget_simple_extent_dims)(b, two, NULL) == rank && memcmp(one, two, sizeof one) == 0;
}

static bool kinds_same(const kind *a, const kind *b) {
  return a->type >= 0 && b->type >= 0 && a->space >= 0 && b->space >= 0 && H5(H5Tequal)(a->type, b->type) > 0 &&
         extents_same(a->space, b->space);
}

static bool texts_same(const unsigned char *a, const unsigned char *b, size_t count) {
  for (size_t i = 0; i < count; i++) {
    const char *one, *two;
    memcpy(&one, a + i * sizeof one, sizeof one);
    memcpy(&two, b + i * sizeof two, sizeof two);
    if (strcmp(one ? one : "", two ? two : "") != 0)
      return false;
  }
  return true;
}

static bool elements_same(hid_t type, unsigned char *a, unsigned char *b, size_t count, void *user) {
  (void)user;
  return H5(H5Tis_variable_str)(type) > 0 ? texts_same(a, b, count)
                                          : memcmp(a, b, count * H5(H5Tget_size)(type)) == 0;
}

/* What fills the gaps of compounds is no value. */
static bool values_same(hid_t type, unsigned char *a, unsigned char *b, size_t count) {
  return (!type_has_any_length(type) && memcmp(a, b, count * H5(H5Tget_size)(type)) == 0) ||
         elements_each(type, a, b, count, elements_same, NULL);
}

/* Reads values. Returns whether it could. */
typedef bool value_reader(hid_t from, hid_t type, void *values, void *user);

static htri_t read_and_compare(hid_t a, hid_t b, hid_t type, hid_t space, size_t count, value_reader *read,
                               void *user) {
  const size_t size = H5(H5Tget_size)(type);
  if (count == 0)
    return 1;
  if (size == 0 || count > SIZE_MAX / size)
    return -1;
  unsigned char *one = calloc(count, size), *two = calloc(count, size);
  const bool first = one && two && read(a, type, one, user), second = first && read(b, type, two, user);
  const htri_t same = second ? values_same(type, one, two, count) : -1;
  if (first)
    H5(H5Dvlen_reclaim)(type, space, H5P_DEFAULT, one);
  if (second)
    H5(H5Dvlen_reclaim)(type, space, H5P_DEFAULT, two);
  free(one);
  free(two);
  return same;
}

/* ---- Attributes ------------------------------------------------------------------------------ */

static bool read_attribute(hid_t attribute, hid_t type, void *values, void *user) {
  (void)user;
  return H5(H5Aread)(attribute, type, values) >= 0;
}

static bool opened_attributes_same(hid_t a, hid_t b) {
  const kind one = {H5(H5Aget_type)(a), H5(H5Aget_space)(a)}, two = {H5(H5Aget_type)(b), H5(H5Aget_space)(b)};
  bool same;
  if (one.type >= 0 && H5(H5Tdetect_class)(one.type, H5T_REFERENCE) > 0)
    same = true;
  else
    same = kinds_same(&one, &two) &&
           (H5(H5Sget_simple_extent_type)(one.space) == H5S_NULL ||
            read_and_compare(a, b, one.type, one.space, (size_t)H5(H5Sget_simple_extent_npoints)(one.space),
                             read_attribute, NULL) > 0);
  h5_close(one.type, one.space, two.type, two.space);
  return same;
}

bool attributes_same(hid_t a, hid_t b, const char *name) {
  const htri_t in_a = H5(H5Aexists)(a, name), in_b = H5(H5Aexists)(b, name);
  if (in_a <= 0 || in_b <= 0)
    return in_a == 0 && in_b == 0;
  const hid_t one = H5(H5Aopen)(a, name, H5P_DEFAULT), two = H5(H5Aopen)(b, name, H5P_DEFAULT);
  const bool same = one >= 0 && two >= 0 && opened_attributes_same(one, two);
  h5_close(two, one);
  return same;
}

/* ---- Data sets ------------------------------------------------------------------------------- */

/* A piece of a data set, and the memory that it goes to. */
typedef struct piece {
  hid_t file_space, memory_space;
} piece;

static bool read_piece(hid_t set, hid_t type, void *values, void *user) {
  const piece *p = user;
  return H5(H5Dread)(set, type, p->memory_space, p->file_space, H5P_DEFAULT, values) >= 0;
}

static htri_t piece_same(hid_t a, hid_t b, const kind *k, const hsize_t *start, const hsize_t *count,
                         int rank) {
  hsize_t points = 1;
  for (int i = 0; i < rank; i++)
    points *= count[i];
  const piece p = {k->space, H5(H5Screate_simple)(rank, count, NULL)};
  const bool ok =
      p.memory_space >= 0 && H5(H5Sselect_hyperslab)(k->space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0;
  const htri_t same =
      ok ? read_and_compare(a, b, k->type, p.memory_space, (size_t)points, read_piece, (void *)&p) : -1;
  h5_close(p.memory_space);
  return same;
}

/* A number of rows at a time. */
static htri_t rows_same(hid_t a, hid_t b, const kind *k, int rank) {
  hsize_t start[GHZ_H5_RANK_MAX] = {0}, count[GHZ_H5_RANK_MAX];
  hsize_t row = H5(H5Tget_size)(k->type);
  H5(H5Sget_simple_extent_dims)(k->space, count, NULL);
  for (int i = 1; i < rank; i++)
    row *= count[i];
  const hsize_t all = count[0], most = row && row < PIECE_BYTES ? PIECE_BYTES / row : 1;
  htri_t same = 1;
  for (; same > 0 && row && start[0] < all; start[0] += count[0]) {
    count[0] = all - start[0] < most ? all - start[0] : most;
    same = piece_same(a, b, k, start, count, rank);
  }
  return same;
}

/* A virtual data set is what it is made of: where that is the same, its values are those of what
 * else the files differ in. */
static bool virtual_same(hid_t a, hid_t b) {
  const hid_t one = H5(H5Dget_create_plist)(a), two = H5(H5Dget_create_plist)(b);
  const bool same = one >= 0 && two >= 0 && H5(H5Pget_layout)(one) == H5D_VIRTUAL && H5(H5Pequal)(one, two) > 0;
  h5_close(two, one);
  return same;
}

static htri_t sets_same(hid_t a, hid_t b) {
  const kind one = {H5(H5Dget_type)(a), H5(H5Dget_space)(a)}, two = {H5(H5Dget_type)(b), H5(H5Dget_space)(b)};
  htri_t same = kinds_same(&one, &two);
  if (same > 0 && H5(H5Tdetect_class)(one.type, H5T_REFERENCE) == 0 && !virtual_same(a, b)) {
    const int rank = H5(H5Sget_simple_extent_ndims)(one.space);
    piece all = {H5S_ALL, H5S_ALL};
    if (rank > 0)
      same = rows_same(a, b, &one, rank);
    else if (H5(H5Sget_simple_extent_type)(one.space) != H5S_NULL)
      same = read_and_compare(a, b, one.type, one.space, 1, read_piece, &all);
  }
  h5_close(one.type, one.space, two.type, two.space);
  return same;
}

htri_t objects_same(hid_t a, hid_t b) {
  const H5I_type_t type = H5(H5Iget_type)(a);
  return type == H5(H5Iget_type)(b) ? type != H5I_DATASET ? 1 : sets_same(a, b) : 0;
}
