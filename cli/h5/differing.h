/* differing.h: what the files of a sum differ in beside the variables that are added: scalar
 * coordinates, history. Calls that return false have printed why. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CLI_H5_DIFFERING_H
#define GHZ_CLI_H5_DIFFERING_H

#include "options/options.h"
#include "paths.h"

typedef struct differing {
  const char *first;         /* name of the first file */
  paths objects;             /* of that file, which others have not, or have otherwise */
  paths unread;              /* of these: which cannot be compared */
  paths places;              /* coordinates of the variables */
  paths kept;                /* in which files differ, and of which the first file's is taken */
  paths holders, attributes; /* likewise: attribute i is one of object holders[i] */
} differing;

/* Compares the first file of the command with the others: all that is in it, but with
 * --differing=first only the variables and their coordinates. Fails where files differ in what the
 * values of a variable mean (units, fill values) or, but for times and with --differing-places, in
 * their coordinates; and with --differing=error where they differ in anything. */
bool differing_find(differing *d, const options *o, const paths *variables);

/* Takes from a copy of the first file what was found; a copy_change of copy.h. */
bool differing_drop(hid_t file, const char *name, void *differing);

/* Says what was dropped, and what of the first file was taken. */
void differing_report(const differing *d);

void differing_free(differing *d);

#endif
