/* h5.h: what the verbs see of HDF5 files: variables that ghz compressed, sums and means of
 * these, and the variables that are to be. Calls that return false have printed why. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CLI_H5_H5_H
#define GHZ_CLI_H5_H5_H

#include <hdf5/parameters.h>

#include "io/reader.h"
#include "io/shape.h"
#include "options/options.h"
#include "report/report.h"

/* Whether a name ends as HDF5 and netCDF files do, or, unless it says raw values, the file begins
 * as HDF5 does. */
bool h5_named(const char *name);

/* Whether an operand is none for certain: it can be read, and neither ends nor begins so. */
bool h5_is_none(const char *name);

/* Whether an operand is taken for such a file: by --var, or by its name. */
bool h5_operand(const options *o, const char *path);

/* Writes the first file, in which the data set --var, or all that ghz compressed, is that of all
 * files combined: a sum, a difference or a mean. */
bool h5_combine(const options *o, ghz_context *ctx, const ghz_file_operation *op);

/* ---- Variables ------------------------------------------------------------------------------- */

/* A data set that ghz compressed. */
typedef struct h5_variable {
  char *label; /* "file.nc: tas" */
  const char *file, *var;
  ghz_h5_parameters parameters;
  shape array, chunk;   /* the extents of all, and of a chunk */
  ghz_shape shape;      /* of a chunk, as its stream has it */
  size_t bytes;         /* of its values */
  uint64_t values;      /* in all extents */
  uint64_t chunks;      /* that hold them */
  uint64_t padding;     /* values of chunks beyond the extents */
  uint64_t missing;     /* the bits of the value that a chunk has which was never written */
  double scale, offset; /* its attributes scale_factor and add_offset, by which readers decode values */
  int64_t whole, set;   /* what libhdf5 calls the file and the data set */
} h5_variable;

/* Calls `one` for the variable --var of a file, or for all; or for that of two files, or all of the
 * first, if both have the same type, extents and chunks. Returns whether all calls did. */
typedef bool h5_visitor(const options *o, ghz_context *ctx, const h5_variable *v);
bool h5_each_variable(const options *o, ghz_context *ctx, const char *const *files, int n, h5_visitor *one);

/* How the chunks of a variable are stored. */
typedef struct h5_storage {
  uint64_t bytes;                   /* of all chunks */
  uint64_t streams, raw, unwritten; /* chunks: as streams, as values, not at all */
} h5_storage;

/* Shows all chunks of n variables, one or two, as streams, one of each at a time; what lies beyond
 * the extents is missing in them. storage, unless it is NULL: of one variable, to which its chunks
 * are added; then only those that are streams are shown, as they are stored. */
bool h5_each_chunk(const h5_variable *v, int n, ghz_context *ctx, h5_storage *storage, frame_visitor *see,
                   void *user);

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
 * the file and its own. To be closed also if it fails. */
bool h5_values_open(values *v, h5_axes *axes, ghz_context *ctx, const char *path, const char *var);

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

/* ---- Without libhdf5 ------------------------------------------------------------------------- */

/* Says that this build has none. Returns false. */
bool h5_lacks(const char *name);

#if !GHZ_HAVE_HDF5
#define h5_combine(o, ctx, op) h5_lacks((o)->files[0])
#define h5_each_variable(o, ctx, files, n, one) ((void)(one), h5_lacks(*(files)))
#define h5_each_chunk(v, n, ctx, storage, see, user)                                                           \
  ((void)(ctx), (void)(see), (void)(user), h5_lacks((v)->label))
#define h5_index(v, position) ((void)(v), (position))
#define h5_each_numbers(o, ctx, path, coordinates, one) ((void)(one), h5_lacks(path))
#define h5_values_open(v, axes, ctx, path, var) ((void)(v), (void)(axes), (void)(var), h5_lacks(path))
#define h5_each_request(o, named, count, see, user) ((void)(see), h5_lacks((o)->files[0]))
#endif

#endif
