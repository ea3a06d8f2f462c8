/* byte_order.c: owns the order of the bytes of values: turning it, and seeing that it is wrong. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "byte_order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLE = 4096, SAMPLE_LEAST = 16 };

/* Magnitudes of 1e-21 to 1e21, which physical quantities and most fill values have. Of random bits
 * half the float32 are such, and a fifteenth of the float64. */
enum { EXPONENT_MOST = 70 };

static inline void turn(unsigned char *at, size_t count, size_t size) {
  for (size_t i = 0; i < count; i++, at += size)
    for (size_t low = 0, high = size - 1; low < high; low++, high--) {
      const unsigned char byte = at[low];
      at[low] = at[high];
      at[high] = byte;
    }
}

void byte_order_turn(ghz_type type, void *values, size_t count) {
  switch (ghz_type_size(type)) { /* sizes that the compiler knows */
  case 2:
    turn(values, count, 2);
    break;
  case 4:
    turn(values, count, 4);
    break;
  case 8:
    turn(values, count, 8);
    break;
  default:
    break;
  }
}

/* The value at `bytes`, turned or not. */
static double value_of(ghz_type type, const unsigned char *bytes, bool turned) {
  unsigned char copy[8];
  memcpy(copy, bytes, ghz_type_size(type));
  if (turned)
    byte_order_turn(type, copy, 1);
  if (type == GHZ_F64) {
    double x;
    memcpy(&x, copy, 8);
    return x;
  }
  float x;
  memcpy(&x, copy, 4);
  return (double)x;
}

static bool is_usual(double x) {
  return isfinite(x) && x != 0 && abs(ilogb(x)) <= EXPONENT_MOST;
}

bool byte_order_suspect(ghz_type type, const void *values, size_t count) {
  const size_t size = ghz_type_size(type), step = count / SAMPLE | 1; /* odd: not in step with rows */
  size_t seen = 0, usual = 0, usual_turned = 0;
  if (type != GHZ_F32 && type != GHZ_F64) /* integers have no exponents */
    return false;
  for (size_t i = 0; i < count; i += step) {
    const unsigned char *at = (const unsigned char *)values + i * size;
    const double x = value_of(type, at, false), turned = value_of(type, at, true);
    if (turned == 0 || !(fabs(turned) < 1e30)) /* nothing, NaN, or a large fill value */
      continue;
    seen++;
    usual += is_usual(x);
    usual_turned += is_usual(turned);
  }
  return seen >= SAMPLE_LEAST && usual <= seen / 4 * 3 && usual_turned >= seen - seen / 20;
}
