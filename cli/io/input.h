/* input.h: values from raw or .npy files. */
#ifndef GHZ_CLI_INPUT_H
#define GHZ_CLI_INPUT_H

#include <ghz.h>

#include "file.h"
#include "shape.h"

/* A type that the user may have given. */
typedef struct type_choice {
  bool given;
  ghz_type type;
} type_choice;

typedef struct input {
  file file;
  ghz_type type;
  shape shape;
  uint64_t count; /* values; COUNT_UNKNOWN on a pipe */
  uint64_t taken; /* values read so far */
  uint64_t start; /* position of the first value */
} input;

const char *type_name(ghz_type type);

/* The type that the ending of a name says: .f32, .f64, .d64. */
type_choice type_of_name(const char *name);

/* Opens a file of values; `choice` is needed where neither the ending nor an .npy header says the type. */
bool input_open(input *in, const char *path, type_choice choice);

/* The same for a file that is open already, and is closed if this fails. */
bool input_adopt(input *in, const file *f, type_choice choice);

/* Reads `count` values, fewer at the end alone, and sets *got. */
bool input_read(input *in, void *values, size_t count, size_t *got);

/* Makes a second reading possible: spools a pipe to a temporary file. The count is known afterwards. */
bool input_make_seekable(input *in);

/* Back to the first value. */
void input_rewind(input *in);

void input_close(input *in);

#endif
