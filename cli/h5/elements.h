/* elements.h: values of any HDF5 type, element by element; attributes as texts and numbers. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CLI_H5_ELEMENTS_H
#define GHZ_CLI_H5_ELEMENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "loaded.h"

/* Takes `count` values that consist of no others, and as many of another place. Returns whether to
 * go on. */
typedef bool element_visitor(hid_t type, unsigned char *a, unsigned char *b, size_t count, void *user);

/* Shows what `count` values of a type consist of, beside those of another place, which may be the
 * same. Returns whether all calls did, and lists are as long there. */
bool elements_each(hid_t type, unsigned char *a, unsigned char *b, size_t count, element_visitor *see,
                   void *user);

/* Whether values of the type have any length, so that they hold places in memory. */
bool type_has_any_length(hid_t type);

/* The same of an attribute, beside itself. False also where there is none. */
bool attribute_each(hid_t object, const char *name, element_visitor *see, void *user);

/* Reads an attribute that is one text; else it is empty. Returns whether there is one. */
bool attribute_text(hid_t object, const char *name, char *text, size_t size);

/* Reads an attribute of at most `most` numbers. Returns how many; -1: it is something else. */
int attribute_numbers(hid_t object, const char *name, double *numbers, int most);

#endif
