/* writer.h: a compressed file that the command writes: one of libghz, to an output. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CLI_WRITER_H
#define GHZ_CLI_WRITER_H

#include <ghz/file.h>

#include "output.h"

typedef struct frame_writer {
  output *out;
  ghz_file_writer *own; /* NULL: none; it writes by this structure, which must stay where it is */
  bool reported;        /* a write failed, and a message says so */
} frame_writer;

/* pack: the level at which frames are packed; 0: not at all. Calls that return false have printed
 * why; then, and after writer_end, the writer is gone. The output is the caller's to end. */
bool writer_begin(frame_writer *w, output *out, const ghz_file_header *header, int pack);

/* Whether a call of libghz that wrote succeeded. */
bool writer_ok(frame_writer *w, ghz_status status);

bool writer_end(frame_writer *w, ghz_context *ctx);

#endif
