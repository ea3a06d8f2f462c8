/* remake.h: data sets that H5Ocopy copies wrongly: the fill value of lists and texts of any length
 * (netCDF's strings have one) stays a place in the old file. Calls return false without a
 * message. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CLI_H5_REMAKE_H
#define GHZ_CLI_H5_REMAKE_H

#include <stdbool.h>

#include "loaded.h"

/* Makes such data sets of the file `from` again, in the copy of its root group `to`. Where there is
 * none nothing is done. */
bool sets_remake(hid_t from, hid_t to);

#endif
