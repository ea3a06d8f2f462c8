/* copy.h: the file that results begin as: the first operand without what is to be replaced. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CLI_H5_COPY_H
#define GHZ_CLI_H5_COPY_H

#include "io/output.h"
#include "paths.h"

/* Changes the copy before it has its place in the output. Returns whether it could; else it has
 * printed why. */
typedef bool copy_change(hid_t file, const char *name, void *user);

/* Writes what is in the file `from` to the output, which must have a name, but for the chunks of
 * the data sets `variables`: their first extents become 0, so that they have none, and nothing is
 * left of the space that these took. Where HDF5 cannot copy object by object (references inside
 * values of data sets, a user block) these extents stay, and so do the chunks. `change` is called
 * on the way. Prints why it fails. */
bool copy_without_chunks(output *out, const char *from, const paths *variables, copy_change *change,
                         void *user);

#endif
