/* entries.h: what building, writing and reading an index share: entries of frames and pages, and
 * their bytes in the file. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_FILE_INDEX_ENTRIES_H
#define GHZ_FILE_INDEX_ENTRIES_H

#include "file/index/index.h"
#include "file/pack.h"

enum { ENTRY_BYTES = 24, PAGE_ENTRY_BYTES = 12, OFFSET_BYTES = 8, PART_BYTES = 16 };
#define INDEX_MAGIC "GHZINDEX"
#define INDEX_PARTS "GHZPARTS" /* no number of values, which an index without parts would have here */

/* Frames that the first parts have. */
static inline uint64_t frames_of(const file_index *x, unsigned parts) {
  return parts ? x->part[parts - 1].frames : 0;
}

/* The place of the next frame, which has an entry once it is closed. Errors: ENOMEM. */
ghz_status ghz_index_next(file_index *x, const char *name, frame_entry **e);

/* Adds a page of the next frame. Errors: ENOMEM. */
ghz_status ghz_index_page(file_index *x, const char *name, uint64_t offset, uint32_t bytes, uint64_t checksum);

/* The next frame has all its pages. */
void ghz_index_close(file_index *x, const frame_entry *e);

#endif
