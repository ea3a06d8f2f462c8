/* checksum.h: checksums of files: XXH3, 64 bits. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_FILE_CHECKSUM_H
#define GHZ_FILE_CHECKSUM_H

#include <ghz/ghz.h>

/* Whether this build has xxHash. Without it no file is opened or created. */
int ghz_checksum_available(void);

uint64_t ghz_checksum(const void *data, size_t size, uint64_t seed);

/* Of bytes that come piece by piece. NULL without memory; the end frees it. */
typedef struct checksum_so_far checksum_so_far;
checksum_so_far *ghz_checksum_begin(uint64_t seed);
void ghz_checksum_add(checksum_so_far *c, const void *data, size_t size);
uint64_t ghz_checksum_end(checksum_so_far *c);

/* The checksum of `size` bytes stands behind them. */
void ghz_checksum_put(uint8_t *data, size_t size, uint64_t seed);
int ghz_checksum_fits(const uint8_t *data, size_t size, uint64_t seed);

#endif
