/* newest.h: the newest index of a file that something was appended to, but not to the end. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_FILE_NEWEST_H
#define GHZ_FILE_NEWEST_H

#include "file/index/index.h"

/* Goes from frame to frame by their lengths, from the first one at `start`, and sets *end: where
 * the last index that is whole ends; 0: there is none. What follows it is no part of the array.
 * Errors: EIO. */
ghz_status ghz_newest_index(const ghz_file_source *source, uint64_t start, uint64_t *end);

#endif
