/* bytes.h: little-endian loads and stores at any address. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_BYTES_H
#define GHZ_BYTES_H

#include <stdint.h>
#include <string.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "libghz stores values as they lie in memory and needs a little-endian machine"
#endif

#define DEFINE_BYTES(name, type)                                                                               \
  static inline type load_##name(const void *p) {                                                              \
    type v;                                                                                                    \
    memcpy(&v, p, sizeof v);                                                                                   \
    return v;                                                                                                  \
  }                                                                                                            \
  static inline void store_##name(void *p, type v) {                                                           \
    memcpy(p, &v, sizeof v);                                                                                   \
  }

DEFINE_BYTES(u16, uint16_t)
DEFINE_BYTES(u32, uint32_t)
DEFINE_BYTES(u64, uint64_t)
DEFINE_BYTES(f64, double)
#undef DEFINE_BYTES

#endif
