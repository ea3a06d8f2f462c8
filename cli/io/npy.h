/* npy.h: the header of NumPy's .npy files. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CLI_NPY_H
#define GHZ_CLI_NPY_H

#include <ghz/ghz.h>

#include "file.h"
#include "shape.h"

#define NPY_MAGIC "\x93NUMPY"
#define NPY_HEADER_MAX 1024 /* bytes of a header that npy_header writes, at most */

/* Reads the header of a file. */
bool npy_read_header(file *f, ghz_type *type, bool *big_endian, shape *s);

/* Writes a header for an array of that type, order of bytes, and shape; ndim 0 is a scalar. Returns
 * its size: 128 bytes for any array of one dimension. */
size_t npy_header(ghz_type type, bool big_endian, const shape *s, char header[NPY_HEADER_MAX]);

#endif
