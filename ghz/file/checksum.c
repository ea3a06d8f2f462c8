/* checksum.c: owns xxHash, which is compiled in from its header: libghz does not link it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "file/checksum.h"

#include <stdlib.h>

#include "rules/bytes.h"

#ifdef GHZ_HAVE_XXHASH
#define XXH_INLINE_ALL
#include <xxhash.h>

int ghz_checksum_available(void) {
  return 1;
}

uint64_t ghz_checksum(const void *data, size_t size, uint64_t seed) {
  return XXH3_64bits_withSeed(data, size, seed);
}

struct checksum_so_far {
  XXH3_state_t state;
};

checksum_so_far *ghz_checksum_begin(void) {
  checksum_so_far *c = aligned_alloc(64, sizeof *c);
  if (c) {
    XXH3_INITSTATE(&c->state);
    XXH3_64bits_reset(&c->state);
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
#else
/* Nothing comes here: files are neither opened nor created. */
int ghz_checksum_available(void) {
  return 0;
}

uint64_t ghz_checksum(const void *data, size_t size, uint64_t seed) {
  (void)data, (void)size;
  return seed;
}

checksum_so_far *ghz_checksum_begin(void) {
  return NULL;
}

void ghz_checksum_add(checksum_so_far *c, const void *data, size_t size) {
  (void)c, (void)data, (void)size;
}

uint64_t ghz_checksum_end(checksum_so_far *c) {
  (void)c;
  return 0;
}
#endif

void ghz_checksum_put(uint8_t *data, size_t size, uint64_t seed) {
  store_u64(data + size, ghz_checksum(data, size, seed));
}

int ghz_checksum_fits(const uint8_t *data, size_t size, uint64_t seed) {
  return load_u64(data + size) == ghz_checksum(data, size, seed);
}
