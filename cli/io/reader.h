/* reader.h: a compressed file of the command: one of libghz, read through its descriptor. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CLI_READER_H
#define GHZ_CLI_READER_H

#include <ghz/file.h>

#include "file.h"

typedef struct frame_reader {
  file *file;
  ghz_file *own;
  ghz_file_header header; /* what is known by now */
  uint64_t frames;        /* read so far */
  uint64_t values;        /* in them */
} frame_reader;

/* Opens a compressed file and reads its header. Calls that return false have printed why. */
bool reader_open(frame_reader *r, const char *path);

/* The same for a file that is already open. Closes it on failure. */
bool reader_adopt(frame_reader *r, const file *f);

/* Reads and checks the next frame. *more is false at the end of the file, which is checked as
 * well. */
bool reader_next(frame_reader *r, ghz_context *ctx, ghz_frame *f, bool *more);

/* Shows the frames to `see`, with the name for messages, until it returns false, and the user how
 * far it is. */
typedef bool frame_visitor(const char *name, ghz_context *ctx, const ghz_frame *f, void *user);
bool reader_each(frame_reader *r, ghz_context *ctx, frame_visitor *see, void *user);

/* Whether a call of libghz on files succeeded. Prints its message if not, unless the file that
 * could not be read has said so. */
bool reader_ok(ghz_status status);

/* From now on the file's descriptor is open only while no other such file is read. For commands
 * with more inputs than a process may have open. */
void reader_share_descriptor(frame_reader *r);

/* Bytes of the file. */
uint64_t reader_bytes(const frame_reader *r);

void reader_close(frame_reader *r);

#endif
