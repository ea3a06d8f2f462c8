/* h5.h: what the verbs see of HDF5 files: variables that ghz compressed, sums and means of
 * these, and the variables that are to be. Calls that return false have printed why. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CLI_H5_H5_H
#define GHZ_CLI_H5_H5_H

#include <hdf5/parameters.h>

#include "io/reader.h"
#include "io/shape.h"
#include "options/options.h"

/* Whether a name ends as HDF5 and netCDF files do, or, unless it says raw values, the file begins
 * as HDF5 does. */
bool h5_named(const char *name);

typedef enum h5_operation { H5_SUM, H5_MEAN, H5_DIFFERENCE } h5_operation;

/* Writes the first file, in which the data set --var, or all that ghz compressed, is that of all
 * files combined. Returns the exit code. */
int h5_combine(const options *o, h5_operation operation);

/* ---- Variables ------------------------------------------------------------------------------- */

typedef struct h5_variable {
  const char *label; /* "file.nc: tas" */
  const char *file, *var;
  ghz_type type;
  shape array, chunk; /* the extents of all, and of a chunk */
  ghz_shape shape;    /* of a chunk, as its stream has it */
  uint64_t values;    /* in all extents */
  uint64_t chunks;    /* that hold them */
  uint64_t padding;   /* values of chunks beyond the extents */
  struct data_set *set;
} h5_variable;

/* Calls `one` for the variable --var of a file, or for all. Returns whether all calls did. */
typedef bool h5_visitor(const options *o, ghz_context *ctx, const h5_variable *v);
bool h5_each_variable(const options *o, ghz_context *ctx, const char *path, h5_visitor *one);

/* How the chunks of a variable are stored. */
typedef struct h5_storage {
  uint64_t bytes;                   /* of all chunks */
  uint64_t streams, raw, unwritten; /* chunks: as streams, as values, not at all */
} h5_storage;

/* Shows the chunks that are streams, as they are stored. */
bool h5_each_stream(const h5_variable *v, ghz_context *ctx, h5_storage *s, frame_visitor *see, void *user);

/* Shows all chunks as streams; what lies beyond the extents is missing in them. */
bool h5_each_chunk(const h5_variable *v, ghz_context *ctx, frame_visitor *see, void *user);

/* Calls `one` for the variable --var of two files, or for all of the first, if both variables have
 * the same type, extents and chunks. */
typedef bool h5_pair_visitor(const options *o, ghz_context *ctx, const h5_variable v[2]);
bool h5_each_variable_pair(const options *o, ghz_context *ctx, h5_pair_visitor *one);

/* Shows the chunks of both, as h5_each_chunk does. */
typedef bool frame_pair_visitor(const char *name, ghz_context *ctx, const ghz_frame f[2], void *user);
bool h5_each_chunk_pair(const h5_variable v[2], ghz_context *ctx, frame_pair_visitor *see, void *user);

/* The index in the array of value number `position`, counted through the chunks that were shown. */
uint64_t h5_index(const h5_variable *v, uint64_t position);

/* ---- Values ---------------------------------------------------------------------------------- */

/* What the axes of a variable are. */
typedef struct h5_axes {
  char name[GHZ_FILE_NDIM][64]; /* "": not known */
  int north;                    /* latitudes of the last but one: 1: they grow, -1: they fall, 0: it has none */
} h5_axes;

/* Calls `one` for the variable --var of a file, or for all that hold numbers, whatever compressed
 * them; coordinates: also for those of dimensions. Returns whether all calls did. */
typedef bool h5_values_visitor(const options *o, ghz_context *ctx, const char *path, const char *var);
bool h5_each_numbers(const options *o, ghz_context *ctx, const char *path, bool coordinates,
                     h5_values_visitor *one);

/* Opens the values of a variable, which go to a temporary file; its name for messages is that of
 * the file and its own. */
bool h5_values_open(values *v, h5_axes *axes, ghz_context *ctx, const char *path, const char *var);
void h5_values_close(values *v); /* of any file */

/* ---- Variables that are to be compressed ----------------------------------------------------- */

typedef struct h5_request {
  const char *path;             /* of a data set */
  ghz_h5_parameters parameters; /* its bound and fill value; its chunks, if it is to get some */
  char filter[64];              /* what compresses it already; "": nothing does */
} h5_request;

typedef void h5_request_visitor(const h5_request *r, void *user);

/* Completes requests, of which path and bound are known, by what the file of the command says,
 * and shows them. Where the command has a bound for no variable in particular, also all others
 * that hold data and are no coordinates. Prints why it fails. */
bool h5_each_request(const options *o, const h5_request *named, size_t count, h5_request_visitor *see,
                     void *user);

#endif
