/* settings.h: what the options of a call and the environment ask for. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_MPI_SETTINGS_H
#define GHZ_MPI_SETTINGS_H

#include <ghz/mpi.h>

enum { THRESHOLD_DEFAULT = 256 * 1024 }; /* bytes */

typedef struct settings {
  ghz_bound bound;          /* value 0: there is none */
  int bound_named;          /* the environment has it for this collective by name */
  ghz_shape shape;          /* as in the options */
  int has_fill, fill_asked; /* fill_asked: the options name it, not the environment */
  double fill;
  int of_result, average, contributions, threads, keep_root;
  ghz_mpi_algorithm algorithm;
  ghz_mpi_mode mode;
  int mode_asked; /* the options name the mode, not the environment */
  uint64_t threshold;
  double link; /* bits per second; GHZ_MPI_LINK_AUTO; 0: unknown */
  int check;   /* every so many calls; 0: none */
  ghz_mpi_report *report;
} settings;

/* Merges both into *s, for a function such as ghz_bcast, or MPI's of the name. Returns NULL, or what is
 * wrong with the options, and then *s is that of default options. Thread-safe. */
const char *ghz_settings_make(const ghz_mpi_options *options, const char *function, settings *s);

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

/* The first of this rank that it noted, told or not; NULL: there is none. */
const char *ghz_settings_noted(void);

#endif
