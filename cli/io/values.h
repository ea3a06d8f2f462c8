/* values.h: the values of a file, compressed or not, as doubles. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CLI_VALUES_H
#define GHZ_CLI_VALUES_H

#include "buffer.h"
#include "input.h"
#include "reader.h"

typedef struct values {
  const char *name;
  ghz_context *ctx;
  bool compressed;
  input in;
  frame_reader reader;
  ghz_frame frame;
  ghz_type type; /* of compressed integers float64, as sums may be beyond their type */
  shape shape;
  double bound;  /* of what was read so far, if compressed; else 0 */
  buffer native; /* values of `type` */
  size_t have, used;
} values;

/* Opens a raw, .npy or .ghz file. Calls that return false have printed why. */
bool values_open(values *v, ghz_context *ctx, const char *path, type_choice choice);

/* Whether the output `path` is another file than the one that is read. Prints a message if not. */
bool values_differ(const values *v, const char *path);

/* Reads up to `count` values and sets *got, which is 0 only at the end. */
bool values_read(values *v, double *to, size_t count, size_t *got);

/* Value number i of an array of a type. */
static inline double value_at(ghz_type type, const void *x, size_t i) {
  switch (type) {
  case GHZ_F32:
    return (double)((const float *)x)[i];
  case GHZ_F64:
    return ((const double *)x)[i];
  case GHZ_I8:
    return ((const int8_t *)x)[i];
  case GHZ_I16:
    return ((const int16_t *)x)[i];
  case GHZ_I32:
    return ((const int32_t *)x)[i];
  case GHZ_I64:
    return (double)((const int64_t *)x)[i];
  case GHZ_U8:
    return ((const uint8_t *)x)[i];
  case GHZ_U16:
    return ((const uint16_t *)x)[i];
  case GHZ_U32:
    return ((const uint32_t *)x)[i];
  }
  return 0;
}

/* Bytes of the file that were read so far. */
uint64_t values_bytes(const values *v);

void values_close(values *v);

#endif
