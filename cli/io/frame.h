/* frame.h: the container of compressed files: a header, frames with a checksum each, an end.
 * docs/FILE_FORMAT.md specifies its bytes; reader.h and writer.h move them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CLI_FRAME_H
#define GHZ_CLI_FRAME_H

#include <ghz.h>

#include "buffer.h"
#include "layout.h"

#define FRAME_MAGIC "GHZF"

/* ---- Header ---- */

enum { HEADER_START = 8, HEADER_FIXED = 40, HEADER_MAX = HEADER_FIXED + 8 * SHAPE_MAX + 8 };

typedef struct frame_header {
  ghz_type type;
  shape shape;
  uint64_t total; /* values, or COUNT_UNKNOWN */
  layout layout;  /* of its frames */
  double step, eb;
} frame_header;

/* Writes a header and its checksum to b. Returns their size. */
size_t header_encode(const frame_header *h, unsigned char b[HEADER_MAX]);

/* Checks the first HEADER_START bytes, of which `got` were read, and sets *rest: the bytes of the
 * header behind them. */
bool header_check_start(const char *name, const unsigned char *b, size_t got, size_t *rest);

/* Decodes a header of HEADER_START + rest bytes and checks it. */
bool header_decode(const char *name, const unsigned char *b, size_t rest, frame_header *h);

/* ---- Checksums ---- */

/* The checksum of `size` bytes stands behind them. The seed is the number of the frame, so that
 * frames that changed places are noticed; 0 for header and end. */
void checksum_put(unsigned char *data, size_t size, uint64_t seed);
bool checksum_fits(const unsigned char *data, size_t size, uint64_t seed);

/* The end of a file: a length of 0, the number of values, a checksum. */
enum { END_BYTES = 24 };

/* ---- Frames in memory ---- */

/* A frame: the length of its stream, the stream, a checksum. */
typedef struct frame {
  buffer bytes;
  size_t size; /* of the stream */
  ghz_info info;
} frame;

/* Makes room for a stream of `capacity` bytes at frame_stream. */
bool frame_reserve(frame *f, size_t capacity, const char *name);
void *frame_stream(const frame *f);
ghz_bytes frame_bytes(const frame *f);
void frame_free(frame *f);

/* Sets info from the stream's own header. */
bool frame_inspect(frame *f, const char *name);

#endif
