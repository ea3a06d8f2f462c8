/* data_set.h: a data set of an HDF5 file whose chunks are streams, chunk by chunk. Calls that
 * return false have printed why. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CLI_H5_DATA_SET_H
#define GHZ_CLI_H5_DATA_SET_H

#include <ghz/ghz.h>
#include <hdf5/parameters.h>
#include <stdbool.h>

#include "dl.h"
#include "io/file.h"

typedef struct data_set {
  const char *name; /* of the file */
  const char *var;
  hid_t file, id;
  ghz_h5_parameters parameters;
  uint64_t extent[GHZ_H5_RANK_MAX];
  ghz_shape shape;      /* of a chunk */
  size_t bytes;         /* of its values */
  uint64_t missing;     /* the bits of the value that a chunk has which was never written */
  double scale, offset; /* its attributes scale_factor and add_offset, by which readers decode values */
  bool parks;           /* it is open only while it is read */
  struct file seen;     /* the file of a data set that parks */
} data_set;

typedef enum data_set_use {
  DATA_SET_READ,    /* of any bound */
  DATA_SET_COMBINE, /* of one lattice for all chunks, which can be added */
  DATA_SET_WRITE    /* of such a lattice, in a file that is written */
} data_set_use;

/* Opens it, and checks that it is one of ours. */
bool data_set_open(data_set *d, const char *name, const char *var, data_set_use use);

/* Closes it; from now on it is open only while it is read. For commands with more files than a
 * process may have open. */
bool data_set_park(data_set *d);
bool data_set_unpark(data_set *d);

/* Frees all chunks, and gives it the extents of another. */
bool data_set_renew(data_set *d, const data_set *as);

/* Closes it. A file that was written is complete only if this succeeds. */
bool data_set_close(data_set *d);

/* Whether type, extents, chunks, and the attributes that say what values mean, are those of
 * `first`. */
bool data_sets_agree(const data_set *d, const data_set *first);

typedef enum chunk_kind {
  CHUNK_MISSING, /* never written */
  CHUNK_VALUES,  /* stored as it was, because it did not compress */
  CHUNK_STREAM
} chunk_kind;

typedef struct h5_chunk {
  chunk_kind kind;
  buffer data;
  size_t size;
  ghz_info info; /* CHUNK_STREAM */
} h5_chunk;

/* Says what is wrong with the chunk that begins at `at`. Returns false. */
bool chunk_fail(const data_set *d, const uint64_t *at, const char *why);

/* Reads the chunk that begins at `at`. */
bool data_set_read(data_set *d, const uint64_t *at, h5_chunk *c);

/* Reads what a stream says of itself, and checks that it is one of this chunk. */
bool chunk_inspect(const data_set *d, const uint64_t *at, h5_chunk *c);

/* Gives a chunk that was never written its values. */
bool data_set_fill(const data_set *d, h5_chunk *c);

/* Makes a chunk a stream of the values x on the lattice, whose type they have; NULL: of its own.
 * order: as in ghz_compress_shape. */
bool data_set_compress(const data_set *d, ghz_context *ctx, const ghz_lattice *lattice, int order,
                       const void *x, h5_chunk *c);

/* Goes on to the place where the next chunk begins; false after the last. */
bool data_set_next(const data_set *d, uint64_t *at);

/* The number of chunks, 0 where an extent is 0. Prints why there are too many. */
bool data_set_chunks(const data_set *d, uint64_t *chunks);

/* The largest bound of the streams of a variable that ghz compressed, unless *bound is larger. */
bool h5_bound(ghz_context *ctx, const char *path, const char *var, double *bound);

bool data_set_write(const data_set *d, const uint64_t *at, const void *stream, size_t size);

#endif
