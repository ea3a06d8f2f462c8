/* header.h: the header and the end of a file (FILE_FORMAT.md, "Header" and "End"). */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_FILE_HEADER_H
#define GHZ_FILE_HEADER_H

#include <ghz/file.h>

enum {
  FILE_VERSION = 4, /* of the format */
  HEADER_START = 8, /* bytes that tell how many follow */
  HEADER_MAX = 48 + 8 * GHZ_FILE_NDIM + 8,
  END_BYTES = 24
};

/* Writes a header and its checksum to b. Returns their size. */
size_t ghz_header_encode(const ghz_file_header *h, uint8_t b[HEADER_MAX]);

/* Checks the first HEADER_START bytes, of which `got` are there, and sets *size: the bytes of the
 * whole header. Errors: ECORRUPT, EVERSION. */
ghz_status ghz_header_start(const char *name, const uint8_t *b, size_t got, size_t *size);

/* Decodes a header of `size` bytes, and checks it. Errors: ECORRUPT. */
ghz_status ghz_header_decode(const char *name, const uint8_t *b, size_t size, ghz_file_header *h);

/* Whether an array that began as `old` may have become `now` by appending: they differ in the
 * slowest dimension alone, and in what follows from it. */
int ghz_header_continues(const ghz_file_header *old, const ghz_file_header *now);

/* Checks count, dimensions and frames against each other, and sets h->shape for streams of `dims`.
 * Returns NULL, or what is wrong. */
const char *ghz_header_check(ghz_file_header *h, int dims);

#endif
