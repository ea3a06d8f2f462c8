/* types.h: which types values have, and what stands for integer types among the tiles: floating-
 * point values on the grid of integers (FORMAT.md, "Integer types"). In the common subset of C and
 * CUDA C++. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_TYPES_H
#define GHZ_TYPES_H

#include "rules/rules.h"

GHZ_RULE int type_known(ghz_type type) {
  return (int)type >= GHZ_F32 && (int)type <= GHZ_U32;
}

GHZ_RULE int is_integer(ghz_type type) {
  return type != GHZ_F32 && type != GHZ_F64;
}

/* The type of the values that tiles hold. */
GHZ_RULE ghz_type storage_type(ghz_type type) {
  if (!is_integer(type))
    return type;
  return type == GHZ_I32 || type == GHZ_I64 || type == GHZ_U32 ? GHZ_F64 : GHZ_F32;
}

/* Bytes of a value of any type; of a storage type value_bytes. */
GHZ_RULE unsigned type_bytes(ghz_type type) {
  if (type == GHZ_I8 || type == GHZ_U8)
    return 1;
  if (type == GHZ_I16 || type == GHZ_U16)
    return 2;
  return type == GHZ_F64 || type == GHZ_I64 ? 8 : 4;
}

/* The cap of an integer type: int64 has more bits than 35. */
GHZ_RULE int cap_of_integers(ghz_type type) {
  return type == GHZ_I64 ? 44 : 35;
}

/* The numbers from `least` up to below `beyond`. */
typedef struct integer_range {
  double least, beyond;
} integer_range;

GHZ_RULE integer_range range_of_type(ghz_type type) {
  const integer_range i8 = {-0x1p7, 0x1p7}, i16 = {-0x1p15, 0x1p15}, i32 = {-0x1p31, 0x1p31},
                      i64 = {-0x1p63, 0x1p63}, u8 = {0, 0x1p8}, u16 = {0, 0x1p16}, u32 = {0, 0x1p32};
  return type == GHZ_I8    ? i8
         : type == GHZ_I16 ? i16
         : type == GHZ_I32 ? i32
         : type == GHZ_I64 ? i64
         : type == GHZ_U8  ? u8
         : type == GHZ_U16 ? u16
                           : u32;
}

/* The bound of the grid of a step, on which stored values lie too. */
GHZ_RULE double grid_bound(ghz_type storage, double step) {
  return step * (storage == GHZ_F32 ? 0x1.1p-2 : 0x1p-7);
}

/* The lattice that the tiles of a stream lie on: its own, or for integers a grid of the storage
 * type. */
GHZ_RULE ghz_lattice storage_lattice(const ghz_lattice *l) {
  ghz_lattice c = *l;
  c.type = storage_type(l->type);
  c.eb = is_integer(l->type) ? grid_bound(c.type, l->step) : l->eb;
  return c;
}

#endif
