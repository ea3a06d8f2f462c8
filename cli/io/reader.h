/* reader.h: reads a compressed file frame by frame, and checks all of it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CLI_READER_H
#define GHZ_CLI_READER_H

#include "file.h"
#include "frame.h"

typedef struct frame_reader {
  file file;
  frame_header header; /* total is known from the start if the file is regular and whole */
  uint64_t frames;     /* read or skipped so far */
  uint64_t values;     /* in them */
  bool has_fill;       /* of the streams, once the first was read */
  double fill;
  bool last;  /* the last frame was short, so no other may follow */
  bool ended; /* the end was read */
} frame_reader;

/* Opens a compressed file and reads its header. Calls that return false have printed why. */
bool reader_open(frame_reader *r, const char *path);

/* The same for a file that is already open. Closes it on failure. */
bool reader_adopt(frame_reader *r, const file *f);

/* Reads and checks the next frame. *more is false at the end of the file, which is checked as
 * well. */
bool reader_next(frame_reader *r, frame *f, bool *more);

/* Skips the next frame without checking it. For frames before the last one that is needed. */
bool reader_skip(frame_reader *r, bool *more);

void reader_close(frame_reader *r);

#endif
