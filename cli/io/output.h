/* output.h: outputs, and .ghz files that are written to them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CLI_OUTPUT_H
#define GHZ_CLI_OUTPUT_H

#include <ghz/file.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "file.h"
#include "file/temporary.h"

typedef struct output {
  const char *name;    /* for messages */
  temporary_file file; /* without a name for standard output, or a device written directly */
  int fd;              /* of any of them; -1: not open */
  bool force;
  bool standard;  /* standard output */
  uint64_t bytes; /* written so far */
} output;

/* Opens `path` for writing ("-": standard output). Without `force` the file must not exist and
 * standard output must not be a terminal. A new file gets the mode of `from`, unless that is NULL.
 * Calls that return false have printed why. */
bool output_open(output *out, const char *path, bool force, const file *from);

/* The same of a file that has a name from the beginning, out->file.name, for HDF5. */
bool output_open_named(output *out, const char *path, bool force);

bool output_write(output *out, const void *data, size_t size);

/* Writes the first bytes again. */
bool output_rewrite_start(output *out, const void *data, size_t size);

/* Completes the file and gives it its name. */
bool output_commit(output *out);

/* Removes the unfinished file. Does nothing after output_commit. */
void output_discard(output *out);

/* output_commit if `ok`, else output_discard. Returns whether the output was committed. */
bool output_end(output *out, bool ok);

/* The verbosity of a line about success: a command that writes to a pipe is quiet. */
int output_report_level(const output *out);

/* ---- .ghz files ------------------------------------------------------------------------------ */

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
