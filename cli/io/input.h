/* input.h: values from raw or .npy files. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CLI_INPUT_H
#define GHZ_CLI_INPUT_H

#include <ghz/ghz.h>

#include "file.h"
#include "shape.h"

/* A type, if one was given; and the order of the bytes. */
typedef struct type_choice {
  bool given;
  ghz_type type;
  bool big_endian; /* of raw values: the highest byte comes first */
  bool forced;     /* also of files that look like something else */
} type_choice;

typedef struct input {
  file file;
  ghz_type type;
  bool big_endian; /* as the file has the values; input_read turns them */
  shape shape;
  uint64_t count; /* values; GHZ_FILE_UNKNOWN on a pipe */
  uint64_t taken; /* values read so far */
  uint64_t start; /* position of the first value */
} input;

const char *type_name(ghz_type type);

/* The type of a name: f32, float32, i16, int16, ... */
bool type_parse(const char *text, ghz_type *type);

/* Whether it is one of integers. */
bool type_is_integer(ghz_type type);

/* The ending of the names of raw files of a type: ".f32". */
const char *type_extension(ghz_type type);

/* The type by the extension of a name: that, or .d64. */
type_choice type_of_name(const char *name);

/* What the extension of a name says of a file: ".ghz"; ".npy" of values in any form; ".nc" of HDF5;
 * ".png"; ".npz" of another format; "": nothing. */
const char *format_named(const char *name);

/* Whether a file does not begin as one of another format. */
bool file_may_be_ghz(file *f);

/* Opens a file of values. `choice` is needed where neither the name nor an .npy header gives the
 * type; it has more weight than the name. */
bool input_open(input *in, const char *path, type_choice choice);

/* The same for a file that is already open. Closes it on failure. */
bool input_adopt(input *in, const file *f, type_choice choice);

/* Reads `count` values, fewer only at the end, and sets *got. */
bool input_read(input *in, void *values, size_t count, size_t *got);

/* Takes the shape that the user gives. Fails where it contradicts the file's own shape or number of
 * values; of a pipe it sets that number. */
bool input_set_shape(input *in, const shape *s);

/* Says that the shape of --dims is not the file's own. Returns false. */
bool fail_contradicts(const char *name, const shape *own, const shape *given);

/* Makes a second pass possible: copies a pipe to a temporary file. Afterwards the count is
 * known. */
bool input_make_seekable(input *in);

/* Warns that the bytes of its values look turned round, and says what to do. */
void input_warn_turned(const input *in);

/* Skips values of a seekable input, which has them. */
void input_skip(input *in, uint64_t count);

/* Back to the first value. */
void input_rewind(input *in);

void input_close(input *in);

#endif
