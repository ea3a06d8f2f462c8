/* byte_order.c: owns the order of the bytes of values: turning it, and seeing that it is wrong. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "byte_order.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLE = 4096, SAMPLE_LEAST = 16 };

/* Magnitudes of 1e-21 to 1e21, which physical quantities and most fill values have. Of random bits
 * half the float32 are such, and a fifteenth of the float64. */
enum { EXPONENT_MOST = 70 };

void byte_order_turn(ghz_type type, void *values, size_t count) {
  unsigned char *at = values;
  if (ghz_type_size(type) == 4)
    for (size_t i = 0; i < count; i++, at += 4) {
      uint32_t bits;
      memcpy(&bits, at, 4);
      bits = __builtin_bswap32(bits);
      memcpy(at, &bits, 4);
    }
  else
    for (size_t i = 0; i < count; i++, at += 8) {
      uint64_t bits;
      memcpy(&bits, at, 8);
      bits = __builtin_bswap64(bits);
      memcpy(at, &bits, 8);
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
  const size_t size = ghz_type_size(type), step = count / SAMPLE + 1;
  size_t seen = 0, usual = 0, usual_turned = 0;
  for (size_t i = 0; i < count; i += step) {
    const unsigned char *at = (const unsigned char *)values + i * size;
    const double x = value_of(type, at, false), turned = value_of(type, at, true);
    if (turned == 0 || !isfinite(turned)) /* missing, or nothing */
      continue;
    seen++;
    usual += is_usual(x);
    usual_turned += is_usual(turned);
  }
  return seen >= SAMPLE_LEAST && usual <= seen / 4 * 3 && usual_turned >= seen - seen / 20;
}
