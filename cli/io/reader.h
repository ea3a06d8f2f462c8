/* reader.h: a compressed file of the command, read through its descriptor; and the values of
 * any file, compressed or not. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CLI_IO_READER_H
#define GHZ_CLI_IO_READER_H

#include <ghz/file.h>

#include "file.h"
#include "input.h"
#include "rules/value_at.h"

typedef struct frame_reader {
  file file; /* from which `own` reads: the structure must stay where it is */
  ghz_file *own;
  ghz_file_header header; /* what is known by now */
  uint64_t frames;        /* read so far */
  uint64_t values;        /* in them */
} frame_reader;

/* Opens a compressed file and reads its header. Calls that return false have printed why. */
bool reader_open(frame_reader *r, const char *path);

/* Reads and checks the next frame. *more is false at the end of the file, which is checked as
 * well. */
bool reader_next(frame_reader *r, ghz_context *ctx, ghz_frame *f, bool *more);

/* Shows the frames of n files, one or two, to `see`, one of each at a time, with the name for
 * messages, until it returns false, and the user how far it is. */
typedef bool frame_visitor(const char *name, ghz_context *ctx, const ghz_frame *f, void *user);
bool reader_each(frame_reader *r, int n, ghz_context *ctx, frame_visitor *see, void *user);

/* Whether a call of libghz on files succeeded. Prints its message if not, unless the file that
 * could not be read has said so. */
bool reader_ok(ghz_status status);

/* Bytes of the file. */
uint64_t reader_bytes(const frame_reader *r);

/* Also of one that was not opened, if it is all zero. */
void reader_close(frame_reader *r);

/* ---- Values ---------------------------------------------------------------------------------- */

typedef struct values {
  const char *name;
  ghz_context *ctx;
  bool compressed;
  input in;
  frame_reader reader;
  ghz_frame frame;
  ghz_type type; /* of compressed integers float64, as sums may be beyond their type */
  shape shape;
  bool bounded;  /* what was read so far has a bound: it is compressed */
  double bound;  /* that; of exact values 0 */
  bool has_fill; /* as the file says; of a compressed one once its first frame was read */
  double fill;
  double scale, offset; /* by which readers decode what an HDF5 variable stores; else 1 and 0 */
  char *label;          /* its name, if it is such a variable: to be freed */
  uint64_t stored;      /* bytes that an HDF5 variable takes in its file; else 0 */
  buffer native;        /* values of `type` */
  size_t have, used;
} values;

/* Opens a raw, .npy or .ghz file. Calls that return false have printed why. */
bool values_open(values *v, ghz_context *ctx, const char *path, type_choice choice);

/* Reads `count` values, fewer only at the end, and sets *got. What is not compressed gives them at
 * once, if `count` is a part of the 65,536 that are read of it at a time. */
bool values_read(values *v, double *to, size_t count, size_t *got);

/* Bytes of the file that were read so far. */
uint64_t values_bytes(const values *v);

/* The same as reader_close. */
void values_close(values *v);

#endif
