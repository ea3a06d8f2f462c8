/* recent.h: the chunks that were decompressed last, as streams: so that a chunk that HDF5 reads,
 * changes in part and writes again is compressed by ghz_update. The filter is given no more than
 * values: which chunk they were is found by comparing some of them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_HDF5_RECENT_H
#define GHZ_HDF5_RECENT_H

#include <ghz/ghz.h>

/* Values of a chunk, and the filter's numbers for its data set. */
typedef struct recent_chunk {
  const unsigned *numbers;
  size_t count_of_numbers;
  ghz_type type;
  size_t count;
  const void *values;
  int has_fill;
  double fill;
} recent_chunk;

typedef struct recent_stream recent_stream;

/* Keeps a stream that was decompressed to the values: memory of malloc(), which is freed with the
 * library, or when 256 others or 64 MiB of them have come since. Any thread may call. */
void ghz_recent_keep(const recent_chunk *c, void *stream, size_t size);

/* Takes out the stream whose values these are, but for changes; NULL if there is none. */
recent_stream *ghz_recent_take(const recent_chunk *c);
ghz_bytes ghz_recent_bytes(const recent_stream *s);

/* Puts it back. Ignores NULL. */
void ghz_recent_return(recent_stream *s);

#endif
