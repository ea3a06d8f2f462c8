/* output.h: outputs; what is written to them: .ghz files, and values raw or as .npy; and what
 * removes a temporary one when a signal comes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CLI_IO_OUTPUT_H
#define GHZ_CLI_IO_OUTPUT_H

#include <ghz/file.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "file.h"
#include "file/temporary.h"
#include "input.h"

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
 * named: it has a name from the beginning, out->file.name, for HDF5. Calls that return false have
 * printed why. */
bool output_open(output *out, const char *path, bool force, bool named, const file *from);

bool output_write(output *out, const void *data, size_t size);

/* Completes the file and gives it its name if `ok`, else removes it. Returns whether it has it. */
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

/* ---- Signals --------------------------------------------------------------------------------- */

/* Ignores SIGPIPE and SIGXFSZ, so that writes report an error. Catches the signals that end
 * programs. */
void signals_install(void);

/* Creates a temporary file, as ghz_temporary_create, and removes it if a signal comes. At most
 * one at a time, until one of these: */
int signals_create(temporary_file *u, const char *path, bool named, const struct stat *old);

/* As ghz_temporary_publish; closes the file, or removes it after an error, and frees *u. */
int signals_publish(temporary_file *u, int only_if_absent);

/* Removes the file, and frees *u. */
void signals_discard(temporary_file *u);

/* Makes a temporary file without a name, in *directory. Returns its descriptor, or -1 with errno
 * set. */
int signals_scratch(const char **directory);

/* ---- Values ---------------------------------------------------------------------------------- */

typedef struct plain_writer {
  output *out;
  ghz_type type;
  bool npy;        /* with a header */
  bool big_endian; /* the highest byte of a value first */
  shape shape;
  uint64_t total, written; /* values; the total may be GHZ_FILE_UNKNOWN */
  buffer values;           /* to be freed */
} plain_writer;

/* The type of values that no name and no option chooses: means of integers are doubles. */
ghz_type plain_type(const ghz_lattice *l);

/* The form for values of the compressed file `from`: as was given, then by the extension of the
 * output's name, then as of that file. Calls that return false have printed why. */
bool plain_choose(plain_writer *w, const char *path, type_choice given, const char *from,
                  const ghz_file_header *h);

bool plain_begin(plain_writer *w, output *out, const shape *s, uint64_t total);

/* Makes room for so many values in w->values, and writes these, whose bytes it may turn round. */
bool plain_reserve(plain_writer *w, uint64_t count, const char *name);
bool plain_write(plain_writer *w, uint64_t count);

/* Writes the values of a frame of the file `name`. */
bool plain_write_frame(plain_writer *w, const char *name, ghz_context *ctx, const ghz_frame *f);

/* Completes the header. The output is the caller's to end. */
bool plain_end(plain_writer *w);

#endif
