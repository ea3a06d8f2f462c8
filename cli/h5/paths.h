/* paths.h: the objects of an HDF5 file by their paths. Calls that return false have printed why. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CLI_H5_PATHS_H
#define GHZ_CLI_H5_PATHS_H

#include <stdbool.h>
#include <stddef.h>

#include "dl.h"

enum { PATH_BYTES = 4096 };

typedef struct paths {
  char **at; /* each to be freed */
  size_t count, capacity;
} paths;

/* Adds a copy of a path. */
bool paths_add(paths *p, const char *path, const char *name);

bool paths_have(const paths *p, const char *path);
void paths_free(paths *p);

/* The root group, "/", and all that hard links lead to from there. `name` is that of the file. */
bool paths_of_file(const char *name, hid_t file, paths *p);

/* Whether the filter of ghz is one of an object's. */
bool has_filter(hid_t whole, const char *path);

/* Whether an object is of this file; else of `where`, of PATH_BYTES, to which a link led. */
bool object_is_inside(hid_t object, hid_t file, char *where);

/* The path, of PATH_BYTES, of an object that is referred to, without a slash in front. Returns
 * false without a message if there is none. */
bool path_of_reference(hid_t file, const hobj_ref_t *reference, char *path);

/* The data sets with the filter of ghz: `var` alone unless it is NULL, which may be "/tas" or a
 * soft link. At least one. */
bool paths_of_variables(const char *name, const char *var, paths *p);

#endif
