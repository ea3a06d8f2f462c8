/* places.h: attributes of objects, and the coordinates of variables: those of their dimensions,
 * those that the attribute "coordinates" names, and levels. Calls that return false have printed
 * why. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CLI_H5_PLACES_H
#define GHZ_CLI_H5_PLACES_H

#include "options/options.h"
#include "paths.h"

/* ---- Attributes ------------------------------------------------------------------------------ */

/* Reads an attribute that is one text; else it is empty. Returns whether there is one. */
bool attribute_text(hid_t object, const char *name, char *text, size_t size);

/* Reads an attribute of at most `most` numbers. Returns how many; 0: there is none, or it is empty;
 * -1: it is something else. */
int attribute_numbers(hid_t object, const char *name, double *numbers, int most);

/* Whether two objects have the same text or numbers, in whatever way each is stored, or neither
 * has the attribute. narrow: numbers are those of a float, in which 1e20 is the nearest one. */
bool attributes_alike(hid_t a, hid_t b, const char *name, bool narrow);

/* Shows the references of a list of lists, as dimensions have them. Returns whether all calls
 * did; an attribute of another kind shows none. */
typedef bool reference_visitor(const hobj_ref_t *reference, void *user);
bool attribute_references(hid_t object, const char *name, reference_visitor *see, void *user);

/* ---- Places ---------------------------------------------------------------------------------- */

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
