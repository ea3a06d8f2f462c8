/* places.h: the coordinates of variables: those of their dimensions, those that the attribute
 * "coordinates" names, and levels. Calls that return false have printed why. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CLI_H5_PLACES_H
#define GHZ_CLI_H5_PLACES_H

#include "options/options.h"
#include "paths.h"

/* Adds the paths of those of a variable; all: also of bounds, and of what else its attributes
 * name. */
bool places_of_variable(const char *name, hid_t whole, const char *var, bool all, paths *p);

typedef enum place_kind {
  PLACE_NONE, /* the number of a member, or a dimension without coordinates */
  PLACE_TIME,
  PLACE_WHERE
} place_kind;

place_kind place_kind_of(hid_t set, const char *path);

/* Whether the variables have the same coordinates in all files of the command, but for rounding.
 * Times may differ, and with --differing-places all may: a line says which do. */
bool places_agree(const options *o, const paths *variables);

#endif
