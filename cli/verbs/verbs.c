/* verbs.c: owns the list of verbs. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "verbs.h"

#include <string.h>

const verb *const verbs[] = {
    &verb_compress, &verb_decompress, &verb_add,    &verb_sub,    &verb_scale, &verb_mean,
    &verb_minmax,   &verb_info,       &verb_stats,  &verb_diff,   &verb_test,  &verb_compare,
    &verb_tune,     &verb_pack,       &verb_unpack, &verb_h5args, NULL};

const verb *verb_find(const char *name) {
  for (int i = 0; verbs[i]; i++)
    if (strcmp(verbs[i]->name, name) == 0 || (verbs[i]->alias && strcmp(verbs[i]->alias, name) == 0))
      return verbs[i];
  return NULL;
}
