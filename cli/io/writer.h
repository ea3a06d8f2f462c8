/* writer.h: writes a compressed file frame by frame. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CLI_WRITER_H
#define GHZ_CLI_WRITER_H

#include "frame.h"
#include "output.h"

typedef struct frame_writer {
  output *out;
  uint64_t values;
  uint64_t frames;
} frame_writer;

bool writer_begin(frame_writer *w, output *out, const frame_header *header);

/* Writes a frame whose stream, size and info.count are set. */
bool writer_frame(frame_writer *w, frame *f);

bool writer_end(frame_writer *w);

#endif
