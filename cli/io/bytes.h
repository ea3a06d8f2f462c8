/* bytes.h: little-endian numbers in files, whatever the machine. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CLI_BYTES_H
#define GHZ_CLI_BYTES_H

#include <stdint.h>
#include <string.h>

static inline void put_u64(unsigned char *to, uint64_t value) {
  for (unsigned i = 0; i < 8; i++)
    to[i] = (unsigned char)(value >> 8 * i);
}

static inline uint64_t get_u64(const unsigned char *from) {
  uint64_t value = 0;
  for (unsigned i = 0; i < 8; i++)
    value |= (uint64_t)from[i] << 8 * i;
  return value;
}

static inline void put_f64(unsigned char *to, double value) {
  uint64_t bits;
  memcpy(&bits, &value, 8);
  put_u64(to, bits);
}

static inline double get_f64(const unsigned char *from) {
  uint64_t bits = get_u64(from);
  double value;
  memcpy(&value, &bits, 8);
  return value;
}

#endif
