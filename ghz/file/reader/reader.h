/* reader.h: an open file. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_FILE_READER_H
#define GHZ_FILE_READER_H

#include <ghz/slice.h>

#include "compress.h"
#include "file/index/index.h"

/* Streams of several files on their way to one (file_sums.c). */
typedef struct frame_slots frame_slots;

struct ghz_file {
  char *name; /* NULL: none */
  ghz_file_source source;
  ghz_file_info info;
  file_index index; /* of a file that is indexed; its source ends with it, whatever follows. Of
                     * another one, of the frames that were read so far */
  uint64_t start;   /* where the first frame begins; 0: the header at the start was not read yet */

  /* Reading frame by frame */
  uint64_t position; /* of the next byte */
  uint64_t number;   /* of the next frame */
  uint64_t first;    /* its first value */
  int piped;         /* the header at the start lacks the number of values */
  int last;          /* no frame may follow */
  int ended;         /* the end was read */

  /* Reading parts */
  ghz_frame current;  /* of a file without an index */
  memory run, region; /* tiles of pages; values beside those that are wanted */

  memory raw; /* what was read: a body, pages, an index */

  frame_slots *sum;
};

/* Reads the header at the start, whose end it notes. Errors: EIO, ECORRUPT, EVERSION. */
ghz_status ghz_file_read_header(ghz_file *file, ghz_file_header *header);

/* Without an index: makes the frame that holds a value the current one. Errors: as ghz_file_next;
 * EINVAL (it has passed by, or the file ends before). */
ghz_status ghz_file_seek(ghz_file *file, ghz_context *ctx, uint64_t value);

void ghz_slots_free(frame_slots *sum);

#endif
