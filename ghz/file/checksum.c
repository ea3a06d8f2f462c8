/* checksum.c: owns xxHash, which is compiled in from its header: libghz does not link it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "file/checksum.h"

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

uint64_t ghz_checksum_of_two(ghz_bytes a, ghz_bytes b, uint64_t seed) {
  XXH3_state_t state;
  XXH3_INITSTATE(&state);
  XXH3_64bits_reset_withSeed(&state, seed);
  XXH3_64bits_update(&state, a.data, a.size);
  XXH3_64bits_update(&state, b.data, b.size);
  return XXH3_64bits_digest(&state);
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

uint64_t ghz_checksum_of_two(ghz_bytes a, ghz_bytes b, uint64_t seed) {
  (void)a, (void)b;
  return seed;
}
#endif

void ghz_checksum_put(uint8_t *data, size_t size, uint64_t seed) {
  store_u64(data + size, ghz_checksum(data, size, seed));
}

int ghz_checksum_fits(const uint8_t *data, size_t size, uint64_t seed) {
  return load_u64(data + size) == ghz_checksum(data, size, seed);
}
