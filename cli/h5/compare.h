/* compare.h: whether what two HDF5 files have is the same. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CLI_H5_COMPARE_H
#define GHZ_CLI_H5_COMPARE_H

#include <stdbool.h>

#include "loaded.h"

/* Whether both objects have the attribute, with the same type and value, or neither has it.
 * References are places in files, and are not compared. What cannot be read is not the same. */
bool attributes_same(hid_t a, hid_t b, const char *name);

/* Whether two objects are of the same kind, and as data sets have the same type, extents and
 * values. Negative: that cannot be read. */
htri_t objects_same(hid_t a, hid_t b);

#endif
