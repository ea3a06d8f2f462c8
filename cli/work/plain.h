/* plain.h: writes values as they are: raw, or behind the header of an .npy file. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CLI_PLAIN_H
#define GHZ_CLI_PLAIN_H

#include "io/input.h"
#include "io/output.h"

typedef struct plain_form {
  ghz_type type;
  bool npy;        /* with a header */
  bool big_endian; /* the highest byte of a value first */
} plain_form;

/* Whether the extension of a name says plain values: .npy, .f32, .f64, .d64. */
bool plain_named(const char *path);

/* Whether it is not: a compressed file under such a name would be read as values. Prints a message
 * if it is. */
bool plain_not_named(const char *path);

/* The form for values of the compressed file `from`: as was given, then by the extension of the
 * output's name, then as of that file. Calls that return false have printed why. */
bool plain_choose(plain_form *form, const char *path, type_choice given, const char *from,
                  const ghz_file_header *h);

typedef struct plain_writer {
  output *out;
  plain_form form;
  shape shape;
  uint64_t total, written; /* values; the total may be GHZ_FILE_UNKNOWN */
} plain_writer;

bool plain_begin(plain_writer *w, output *out, plain_form form, const shape *s, uint64_t total);

/* Writes values, whose bytes it may turn round in place. */
bool plain_write(plain_writer *w, void *values, uint64_t count);

/* Completes the header. The output is the caller's to end. */
bool plain_end(plain_writer *w);

#endif
