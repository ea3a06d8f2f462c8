/* parameters.c: owns reading and writing the numbers of the HDF5 filter, and what they mean. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "parameters.h"

#include <math.h>
#include <string.h>

static double double_of(const unsigned *words) {
  const uint64_t bits = (uint64_t)words[1] << 32 | words[0];
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static void put(uint64_t bits, unsigned *words) {
  words[0] = (unsigned)bits;
  words[1] = (unsigned)(bits >> 32);
}

static void put_double(double value, unsigned *words) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  put(bits, words);
}

static const char *read_user(size_t n, const unsigned *words, ghz_h5_parameters *p) {
  memset(p, 0, sizeof *p);
  if (n == 0)
    return "no bound is given: " GHZ_H5_HINT;
  if (words[0] != GHZ_H5_VERSION)
    return "the first number is not 1, the version that this filter knows: " GHZ_H5_HINT;
  if (n < 4 || n == 5)
    return "four or six numbers are needed: " GHZ_H5_HINT;
  const unsigned kind = words[1] & 255;
  p->fill = words[1] & ~255U;
  if ((kind > GHZ_REL && kind != GHZ_STEP) || (p->fill & (p->fill - 1)) != 0 || p->fill > GHZ_H5_FILL_FOUND)
    return "the second number is neither 0 (abs) nor 1 (rel) nor 3 (step), nor that plus 256: " GHZ_H5_HINT;
  p->bound = (ghz_bound){(ghz_bound_kind)kind, double_of(words + 2)};
  if (!isfinite(p->bound.value) || p->bound.value <= 0)
    return "the bound is not a positive, finite number: " GHZ_H5_HINT;
  if (n == 4)
    return p->fill ? "the second number announces a fill value, but none is given" : NULL;
  p->fill_value = double_of(words + 4);
  return p->fill && !isfinite(p->fill_value) ? "the fill value is not finite" : NULL;
}

int ghz_h5_takes(ghz_type type) {
  return type <= GHZ_U32 && type != GHZ_I64;
}

int ghz_h5_integers(ghz_type type) {
  return ghz_h5_takes(type) && type != GHZ_F32 && type != GHZ_F64;
}

const char *ghz_h5_read(size_t n, const unsigned *words, ghz_h5_parameters *p) {
  const char *wrong = read_user(n, words, p);
  if (wrong || n <= GHZ_H5_WORDS_USER)
    return wrong;
  if (n < 10 || words[7] == 0 || words[7] > GHZ_H5_RANK_MAX || n != 8 + 2 * (size_t)words[7] ||
      !ghz_h5_takes((ghz_type)words[6]))
    return "type, rank and number of the numbers disagree";
  if (ghz_h5_integers((ghz_type)words[6]) && (p->bound.kind != GHZ_STEP || p->bound.value != 1))
    return "integers are compressed without loss alone: give the numbers that `ghz h5args --lossless` prints";
  p->rank = words[7];
  p->type = (ghz_type)words[6];
  for (unsigned i = 0; i < p->rank; i++)
    p->chunk[i] = (uint64_t)words[9 + 2 * i] << 32 | words[8 + 2 * i];
  return NULL;
}

size_t ghz_h5_write_user(const ghz_h5_parameters *p, unsigned *words) {
  words[0] = GHZ_H5_VERSION;
  words[1] = (unsigned)p->bound.kind | p->fill;
  put_double(p->bound.value, words + 2);
  put_double(p->fill ? p->fill_value : 0, words + 4);
  return p->fill ? 6 : 4;
}

size_t ghz_h5_write(const ghz_h5_parameters *p, unsigned *words) {
  ghz_h5_write_user(p, words);
  words[6] = (unsigned)p->type;
  words[7] = p->rank;
  for (unsigned i = 0; i < p->rank; i++)
    put(p->chunk[i], words + 8 + 2 * i);
  return 8 + 2 * (size_t)p->rank;
}

const char *ghz_h5_shape(const ghz_h5_parameters *p, ghz_shape *to, size_t *bytes) {
  const uint64_t size = ghz_type_size(p->type);
  if (p->rank == 0 || ghz_shape_make(p->rank, p->chunk, to) != GHZ_OK)
    return "the extents of a chunk are missing, or too large";
  const uint64_t count = ghz_shape_count(to);
  if (count == 0 || count > SIZE_MAX / size)
    return "the extents of a chunk are 0, or too large";
  *bytes = (size_t)(count * size);
  return NULL;
}

ghz_status ghz_h5_lattice(const ghz_h5_parameters *p, const void *x, size_t count, ghz_lattice *lattice) {
  double min = HUGE_VAL, max = -HUGE_VAL;
  for (size_t i = 0; p->bound.kind == GHZ_REL && i < count; i++) {
    const double v = p->type == GHZ_F32 ? (double)((const float *)x)[i] : ((const double *)x)[i];
    if (!isfinite(v) || v == 0 || (p->fill && v == p->fill_value))
      continue;
    min = v < min ? v : min;
    max = v > max ? v : max;
  }
  ghz_status status = ghz_lattice_make(p->type, p->bound, min, max, lattice);
  return status == GHZ_OK && p->fill ? ghz_lattice_set_fill(lattice, p->fill_value) : status;
}
