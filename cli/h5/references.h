/* references.h: attributes in the copy of an HDF5 file. A reference is the place of an object in
 * its file, so that in a copy it has to become another. Calls return false without a message. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CLI_H5_REFERENCES_H
#define GHZ_CLI_H5_REFERENCES_H

#include <stdbool.h>

#include "loaded.h"

/* Whether values of the type hold references inside others: in compounds, or in lists, as those of
 * dimension scales. H5Ocopy cares for others itself. */
bool type_hides_references(hid_t type);

/* Writes an attribute of `object` to `copy`, which gets it if it has none of that name. References
 * lead to the objects that have the same paths below `copies`, the copy of the root group. */
bool attribute_copy(hid_t object, const char *attribute, hid_t copy, hid_t copies);

/* Writes those attributes of all objects again whose references H5Ocopy leaves as they were. */
bool references_repair(hid_t file, hid_t copies);

#endif
