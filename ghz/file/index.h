/* index.h: the index at the end of a file: where its frames and their pages are, what they hold,
 * and their checksums (FILE_FORMAT.md, "Index"). It follows from header and frames: who has read
 * those can build it, and compare. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_FILE_INDEX_H
#define GHZ_FILE_INDEX_H

#include "file/header.h"
#include "file/memory.h"

enum { TAIL_BYTES = 32, FRAME_BEFORE = 8, FRAME_AROUND = 16, STREAM_LEAST = 72 };
#define PACKED ((uint64_t)1 << 63) /* in the length of a frame */
enum { ENTRY_PACKED = 1, ENTRY_INEXACT = 2, ENTRY_TRANSFORM = 4 };

typedef struct frame_entry {
  uint64_t first, values;
  uint64_t offset; /* of the frame in the file */
  uint64_t stream; /* bytes of the stream */
  uint64_t body;   /* bytes of the stream, or of what it is packed in, as they are in the file */
  uint64_t page;   /* number of its first page */
  uint32_t terms, flags;
} frame_entry;

typedef struct page_entry {
  uint64_t offset; /* in the file */
  uint64_t checksum;
  uint32_t bytes; /* in the file */
} page_entry;

/* Begins as {.end = bytes of the header}. */
typedef struct file_index {
  frame_entry *frames;
  page_entry *pages;
  uint64_t count, page_count;
  size_t frames_room, pages_room; /* bytes */
  uint64_t values;                /* in all frames */
  uint64_t end;                   /* where the next frame begins */
} file_index;

void ghz_index_free(file_index *x);

/* The largest stream that a frame of the file can have. */
uint64_t ghz_index_stream_most(const ghz_file_header *h);

/* Adds the frame of a stream, whose body is as in the file, and, if packed, was checked. Errors:
 * ENOMEM. */
ghz_status ghz_index_add(file_index *x, const char *name, const ghz_info *info, ghz_bytes body, int packed);

/* Bytes of the index and its tail. */
uint64_t ghz_index_size(const file_index *x, const ghz_file_header *h);

/* Writes them; h->count is known. */
void ghz_index_encode(const file_index *x, const ghz_file_header *h, uint8_t *to);

/* Whether these TAIL_BYTES end a file with an index; sets *size to the bytes of index and tail. */
int ghz_index_tail(const uint8_t *tail, uint64_t *size);

/* Reads and checks the index of a source, which with its tail has `size` bytes at the end.
 * tail: the last bytes of the source, TAIL_BYTES or more.
 * What the entries need is allocated as they come. Their memory is the caller's to free, also after
 * an error. Errors: EIO, ECORRUPT, EVERSION, ENOMEM. */
ghz_status ghz_index_read(const ghz_file_source *source, ghz_bytes tail, uint64_t size, ghz_file_header *h,
                          file_index *x);

/* The frame that holds a value, which the file has. */
const frame_entry *ghz_index_find(const file_index *x, uint64_t value);

/* Adds up what the frames have to what is known of the file. */
void ghz_index_describe(const file_index *x, ghz_file_info *info);

#endif
