/* settings.h: what the options of a call and the environment ask for. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_MPI_SETTINGS_H
#define GHZ_MPI_SETTINGS_H

#include <ghz/mpi.h>
#include <stddef.h>

enum { THRESHOLD_DEFAULT = 256 * 1024 /* bytes */, CHECK_UNSET = -1 };

/* The options of a call, and in place of those that it does not give, the environment's; `check`
 * may be CHECK_UNSET. */
typedef ghz_mpi_options settings;

/* Merges both into *s, for a function such as ghz_bcast, or MPI's of the name. Returns NULL, or
 * what is wrong with the options, and then *s is that of default options. Thread-safe. */
const char *ghz_settings_make(const ghz_mpi_options *options, const char *function, settings *s);

/* Whether the environment, once it is read, has a bound for this function by name. */
int ghz_settings_has_bound(const char *function);

/* The shape of a call of so many values: that of the options, or the environment's. Thread-safe. */
ghz_shape ghz_settings_shape(const settings *s, uint64_t count);

/* Whether a call of so many bytes goes straight to MPI: it is small, and nothing is asked for that
 * would need us. Costs next to nothing. Thread-safe. */
int ghz_settings_are_small(const ghz_mpi_options *options, uint64_t bytes);

/* Where the environment's settings lie that all ranks must have alike, for who copies rank 0's to
 * the others before their first call: numbers, as a text could be read in several ways. A rank that
 * is `told` them does not read its own. */
void *ghz_settings_shared(int told, size_t *bytes);

/* Whether the environment has any setting, known or not. */
int ghz_settings_given(void);

/* Tells on stderr, on rank 0 of MPI_COMM_WORLD, of a setting that is not understood. */
__attribute__((format(printf, 1, 2))) void ghz_settings_note(const char *format, ...);

/* ---- extents.c: shapes as users write them, and as they are listed by count ------------------ */

enum { EXTENTS_LISTED = 64 };

/* The shapes of GHZ_MPI_EXTENTS. */
typedef struct extents_list {
  int length;
  ghz_shape shapes[EXTENTS_LISTED];
} extents_list;

/* Reads 256x256x256,512x512. Returns 0 and changes nothing if the text is no such list. */
int ghz_extents_read(const char *text, extents_list *list);

/* The first shape of the list that has so many values; flat if there is none. */
ghz_shape ghz_extents_find(const extents_list *list, uint64_t count);

/* Whether a user's shape is one: known dims, fewer than 2^64 values; or the absence of one: all
 * zeros. */
int ghz_extents_are_sound(const ghz_shape *shape);

#endif
