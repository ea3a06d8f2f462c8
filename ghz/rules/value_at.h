/* value_at.h: a value of an array of any type, as a number. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_VALUE_AT_H
#define GHZ_VALUE_AT_H

#include <ghz/ghz.h>
#include <string.h>

#define VALUE_OF(type, c_type)                                                                                 \
  case type: {                                                                                                 \
    c_type value;                                                                                              \
    memcpy(&value, (const unsigned char *)x + i * sizeof value, sizeof value);                                 \
    return (double)value;                                                                                      \
  }

/* Value number i; the array may lie at any address. */
static inline double value_at(ghz_type type, const void *x, size_t i) {
  switch (type) {
    VALUE_OF(GHZ_F32, float)
    VALUE_OF(GHZ_F64, double)
    VALUE_OF(GHZ_I8, int8_t)
    VALUE_OF(GHZ_I16, int16_t)
    VALUE_OF(GHZ_I32, int32_t)
    VALUE_OF(GHZ_I64, int64_t)
    VALUE_OF(GHZ_U8, uint8_t)
    VALUE_OF(GHZ_U16, uint16_t)
    VALUE_OF(GHZ_U32, uint32_t)
  }
  return 0;
}
#undef VALUE_OF

#endif
