/* checksum.c: owns xxHash, which is compiled in from its header: libghz does not link it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "file/checksum.h"

#include <stdlib.h>

#include "rules/bytes.h"

#ifdef GHZ_HAVE_XXHASH
#define XXH_INLINE_ALL
#include <xxhash.h>
enum { AVAILABLE = 1 };
#else /* nothing is hashed: files are neither opened nor created */
enum { AVAILABLE = 0 };
typedef struct XXH3_state_t {
  uint64_t seed;
} XXH3_state_t;
#define XXH3_64bits_withSeed(data, size, seed) ((void)(data), (void)(size), (seed))
#define XXH3_INITSTATE(state) ((void)(state))
#define XXH3_64bits_reset_withSeed(state, s) ((state)->seed = (s))
#define XXH3_64bits_update(state, data, size) ((void)(state), (void)(data), (void)(size))
#define XXH3_64bits_digest(state) ((state)->seed)
#endif

struct checksum_so_far {
  XXH3_state_t state;
};

int ghz_checksum_available(void) {
  return AVAILABLE;
}

uint64_t ghz_checksum(const void *data, size_t size, uint64_t seed) {
  return XXH3_64bits_withSeed(data, size, seed);
}

checksum_so_far *ghz_checksum_begin(uint64_t seed) {
  checksum_so_far *c = aligned_alloc(64, (sizeof *c + 63) / 64 * 64);
  if (c) {
    XXH3_INITSTATE(&c->state);
    XXH3_64bits_reset_withSeed(&c->state, seed);
  }
  return c;
}

void ghz_checksum_add(checksum_so_far *c, const void *data, size_t size) {
  XXH3_64bits_update(&c->state, data, size);
}

uint64_t ghz_checksum_end(checksum_so_far *c) {
  const uint64_t checksum = XXH3_64bits_digest(&c->state);
  free(c);
  return checksum;
}

void ghz_checksum_put(uint8_t *data, size_t size, uint64_t seed) {
  store_u64(data + size, ghz_checksum(data, size, seed));
}

int ghz_checksum_fits(const uint8_t *data, size_t size, uint64_t seed) {
  return load_u64(data + size) == ghz_checksum(data, size, seed);
}
