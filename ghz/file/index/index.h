/* index.h: the index at the end of a file: where its frames and their pages are, what they hold,
 * and their checksums (FILE_FORMAT.md, "Index"). It follows from header and frames: who has read
 * those can build it, and compare. That of a file that was appended to leaves frames to indexes
 * before it, its parts ("Appending"). */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_FILE_INDEX_H
#define GHZ_FILE_INDEX_H

#include "file/errors.h"
#include "file/header.h"
#include "file/pack.h"

enum { TAIL_BYTES = 32, FRAME_BEFORE = 8, FRAME_AROUND = 16 };
enum { ENTRY_BYTES = 24, PAGE_ENTRY_BYTES = 12 };
enum { INDEX_MARK = 24, PARTS_MAX = 64 }; /* bytes behind the header of an index that has parts */
#define PACKED ((uint64_t)1 << 63)        /* in the length of a frame */
enum { ENTRY_PACKED = 1, ENTRY_INEXACT = 2, ENTRY_TRANSFORM = 4 };

typedef struct frame_entry {
  uint64_t first, values;
  uint64_t offset; /* of the frame in the file */
  uint64_t stream; /* bytes of the stream */
  uint64_t body;   /* bytes of the body */
  uint64_t page;   /* number of its first page */
  uint64_t pages;
  uint32_t terms, flags;
} frame_entry;

typedef struct page_entry {
  uint64_t offset; /* in the file */
  uint64_t checksum;
  uint32_t bytes; /* in the file */
} page_entry;

/* An index in the file. */
typedef struct index_part {
  uint64_t begin, size; /* with its tail */
  uint64_t frames;      /* in it and in those before it */
} index_part;

/* Begins as {.end = bytes of the header}, where a file is appended to with `appended` set and the
 * parts that its index has. */
typedef struct file_index {
  frame_entry *frames;
  page_entry *pages;
  uint64_t count, page_count;
  memory frame_memory, page_memory;
  uint64_t values;                /* in all frames */
  uint64_t start;                 /* of one that was read: where the first frame begins, at least */
  uint64_t end;                   /* where the next frame begins */
  int appended;                   /* the index does not follow all of its frames */
  int torn;                       /* the first bytes of its tail did not reach the disk */
  unsigned parts;                 /* indexes in the file that hold the frames, the newest last */
  index_part part[PARTS_MAX + 1]; /* one more than an index has: that index itself */
} file_index;

void ghz_index_free(file_index *x);

/* The largest stream that a frame of the file can have. */
uint64_t ghz_index_stream_most(const ghz_file_header *h);

/* Begins the next frame, at `offset` and of so many pages, which are added next; what was begun
 * before and not closed is forgotten. The entry lives until then. Errors: ENOMEM. */
ghz_status ghz_index_begin(file_index *x, const char *name, uint64_t offset, uint64_t pages, frame_entry **e);
ghz_status ghz_index_page(file_index *x, const char *name, uint32_t bytes, uint64_t checksum);

/* The same with all pages of a body that is sound. */
ghz_status ghz_index_body(file_index *x, const char *name, uint64_t offset, uint64_t pages, ghz_bytes body);

/* Says what the stream of the frame is. */
void ghz_index_stream(file_index *x, const ghz_info *info, int packed);

/* Whether the frame that was begun is frame `number`. */
int ghz_index_repeats(const file_index *x, uint64_t number);

/* The frame that was begun has all its pages, and is the last one now. */
void ghz_index_close(file_index *x);

/* Whether frames were added that no part has. */
int ghz_index_grown(const file_index *x);

/* Chooses what the next index of the file holds: the frames that no part has, and those of parts
 * that are less than twice as many. So each entry is written a few times at most, and the parts are
 * few: each has twice the frames of the next one. */
void ghz_index_choose(file_index *x);

/* Bytes of the next index and its tail. */
uint64_t ghz_index_size(const file_index *x, const ghz_file_header *h);

/* Writes them; h->count is known. */
void ghz_index_encode(const file_index *x, const ghz_file_header *h, uint8_t *to);

/* The index was written; it is a part from now on, and frames are appended to it. */
void ghz_index_written(file_index *x, uint64_t begin, uint64_t size);

/* Whether these bytes behind a header are those of an index that has parts; sets *size to the bytes
 * of index and tail. */
int ghz_index_marked(const uint8_t mark[INDEX_MARK], uint64_t *size);

/* Whether these TAIL_BYTES end a file with an index; sets *size to the bytes of index and tail.
 * Where a tail counts no frames, its first bytes did not reach the disk. */
int ghz_index_tail(const uint8_t *tail, uint64_t *size);

/* Reads and checks the index of a source, which with its tail has `size` bytes at the end.
 * tail: the last bytes of the source, TAIL_BYTES or more.
 * What the entries need is allocated as they come. Their memory is the caller's to free, also after
 * an error. Errors: EIO, ECORRUPT (also where x->torn), EVERSION, ENOMEM. */
ghz_status ghz_index_read(const ghz_file_source *source, ghz_bytes tail, uint64_t size, ghz_file_header *h,
                          file_index *x);

/* The frame that holds a value, which the file has. */
const frame_entry *ghz_index_find(const file_index *x, uint64_t value);

/* Bytes of the file that are header, frames, end, the index of `size` bytes, and its parts. */
uint64_t ghz_index_needed(const file_index *x, uint64_t size);

/* Adds up what the frames have to what is known of the file. */
void ghz_index_describe(const file_index *x, ghz_file_info *info);

#endif
