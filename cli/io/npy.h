/* npy.h: how values stand in files that are not compressed: the order of their bytes, and the
 * header of NumPy's .npy files. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CLI_IO_NPY_H
#define GHZ_CLI_IO_NPY_H

#include <ghz/ghz.h>
#include <stdbool.h>
#include <stddef.h>

#include "file.h"
#include "shape.h"

/* Turns the bytes of each value round, in place. */
void byte_order_turn(ghz_type type, void *values, size_t count);

/* Whether values look as if their bytes were turned round: their exponents are spread over all
 * that the type has, and those that they have when turned are not. Looks at a sample. */
bool byte_order_suspect(ghz_type type, const void *values, size_t count);

/* ---- .npy ------------------------------------------------------------------------------------ */

#define NPY_MAGIC "\x93NUMPY"
#define NPY_HEADER_MAX 1024 /* bytes of a header that npy_header writes, at most */

/* Reads the header of a file. */
bool npy_read_header(file *f, ghz_type *type, bool *big_endian, shape *s);

/* Writes a header for an array of that type, order of bytes, and shape; ndim 0 is a scalar. Returns
 * its size: 128 bytes for any array of one dimension. */
size_t npy_header(ghz_type type, bool big_endian, const shape *s, char header[NPY_HEADER_MAX]);

#endif
