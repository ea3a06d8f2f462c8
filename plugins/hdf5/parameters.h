/* parameters.h: the numbers (cd_values) that the HDF5 filter is given and keeps with a data set.
 *
 * A user gives the first four, or six with a fill value. When a data set is made the filter
 * completes them by what it finds there:
 *
 *   0      version, 1
 *   1      the kind of the bound, 0 GHZ_ABS, 1 GHZ_REL or 3 GHZ_STEP; plus 256 if the user gives a
 *          fill value, or 512 if the filter found that of the data set
 *   2, 3   the bound, or the step: a double, the low half first. Integers have step 1
 *   4, 5   the fill value, in the same form; 0 without one
 *   6      type, as ghz_type: 0 f32, 1 f64, 2 to 4 signed integers of 8 to 32 bits, 6 to 8 unsigned
 *   7      rank of the chunks, 1 to 32
 *   8...   for each extent of a chunk, the slowest first, two words, the low half first
 *
 * They come from files and from users, and nothing in them is trusted. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_HDF5_PARAMETERS_H
#define GHZ_HDF5_PARAMETERS_H

#include <ghz/ghz.h>
#include <stddef.h>
#include <stdint.h>

enum {
  GHZ_H5_FILTER = 479, /* of the range 256 to 511, which The HDF Group leaves to tests */
  GHZ_H5_VERSION = 1,
  GHZ_H5_FILL_GIVEN = 256,
  GHZ_H5_FILL_FOUND = 512,
  GHZ_H5_RANK_MAX = 32,
  GHZ_H5_WORDS_USER = 6,
  GHZ_H5_WORDS_MAX = 8 + 2 * GHZ_H5_RANK_MAX
};

/* Stands in files, for readers who have no filter. */
#define GHZ_H5_NAME "ghz; see https://libghz.example (libghz, error-bounded compression)"

#define GHZ_H5_HINT "give the numbers that `ghz h5args --abs E` prints"

typedef struct ghz_h5_parameters {
  ghz_bound bound; /* GHZ_ABS, GHZ_REL or GHZ_STEP */
  unsigned fill;   /* 0, GHZ_H5_FILL_GIVEN or GHZ_H5_FILL_FOUND */
  double fill_value;
  unsigned rank; /* 0: only what the user gives is there, and type and chunk are not */
  ghz_type type;
  uint64_t chunk[GHZ_H5_RANK_MAX];
} ghz_h5_parameters;

/* Reads them, or what the user gives of them. Returns NULL, or what is wrong. */
const char *ghz_h5_read(size_t n, const unsigned *words, ghz_h5_parameters *p);

/* Writes what the user gives; words: GHZ_H5_WORDS_USER. Returns their number. */
size_t ghz_h5_write_user(const ghz_h5_parameters *p, unsigned *words);

/* Writes them all; words: GHZ_H5_WORDS_MAX. Returns their number. */
size_t ghz_h5_write(const ghz_h5_parameters *p, unsigned *words);

/* Whether the filter takes the type, and whether that is one of integers. */
int ghz_h5_takes(ghz_type type);
int ghz_h5_integers(ghz_type type);

/* The shape of a chunk; *bytes: of its values. Returns NULL, or what is wrong. */
const char *ghz_h5_shape(const ghz_h5_parameters *p, ghz_shape *to, size_t *bytes);

/* Makes the lattice of a chunk x, which but for GHZ_REL may be NULL. The padding of chunks at the
 * border of a data set, zeros or the fill value, must not widen the range that GHZ_REL is of: both
 * are left out, which makes the bound smaller, if anything. */
ghz_status ghz_h5_lattice(const ghz_h5_parameters *p, const void *x, size_t count, ghz_lattice *lattice);

#endif
