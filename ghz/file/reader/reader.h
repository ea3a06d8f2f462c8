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
  file_index index; /* of a file that is indexed; its source ends with it, whatever follows */
  memory tail;      /* its bytes, while the file is opened */
  uint64_t start;   /* where the first frame begins; 0: the header at the start was not read yet */

  /* Reading frame by frame */
  uint64_t position; /* of the next byte */
  uint64_t number;   /* of the next frame */
  uint64_t first;    /* its first value */
  file_index seen;   /* of the frames that were read so far */
  int piped;         /* the header at the start lacks the number of values */
  int last;          /* no frame may follow */
  int ended;         /* the end was read */
  memory packed;     /* the body of a frame */

  /* Reading parts */
  ghz_frame current;       /* of a file without an index */
  memory raw, run, region; /* of one with: pages, their tiles, values beside those that are wanted */

  frame_slots *sum;
};

/* Reads the header at the start, whose end it notes. Errors: EIO, ECORRUPT, EVERSION. */
ghz_status ghz_file_read_header(ghz_file *file, ghz_file_header *header);

/* Without an index: makes the frame that holds a value the current one. Errors: as ghz_file_next;
 * EINVAL (it has passed by, or the file ends before). */
ghz_status ghz_file_seek(ghz_file *file, ghz_context *ctx, uint64_t value);

/* Decompresses a box that is inside a frame of this shape to dst, without gaps. Reads and checks
 * the pages with tiles that the box meets. Errors: as ghz_file_read. */
ghz_status ghz_window_decompress(ghz_file *f, ghz_context *ctx, const frame_entry *e, const ghz_shape *shape,
                                 ghz_type out, const array_box *box, void *dst);

void ghz_slots_free(frame_slots *sum);

#endif
