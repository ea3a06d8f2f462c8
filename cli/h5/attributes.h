/* attributes.h: attributes of objects of HDF5 files, as texts and numbers. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CLI_H5_ATTRIBUTES_H
#define GHZ_CLI_H5_ATTRIBUTES_H

#include <stdbool.h>
#include <stddef.h>

#include "loaded.h"

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

#endif
