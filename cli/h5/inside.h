/* inside.h: what the sources of this folder share: libhdf5, which is loaded when a file of HDF5
 * is met, objects by their paths, data sets and coordinates, and variables whose chunks are
 * streams. Calls that return false have printed why. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CLI_H5_INSIDE_H
#define GHZ_CLI_H5_INSIDE_H

#include <ghz/ghz.h>
#include <hdf5.h>
#include <hdf5/parameters.h>
#include <stdbool.h>
#include <stddef.h>

#include "h5.h"

/* ---- libhdf5 --------------------------------------------------------------------------------- */

/* With what it needs itself it would make every start of the command seven times as long, were it
 * linked. Constants of its headers call these first. */
#undef H5OPEN
#undef H5CHECK
#define H5OPEN
#define H5CHECK

/* A function of it. The name is expanded first: a later HDF5 gives some functions a number. */
#define H5(function) (*(__typeof__(&(function)))h5_find(H5_NAME(function)))
#define H5_NAME(function) H5_NAME_AS_IT_IS(function)
#define H5_NAME_AS_IT_IS(function) #function

typedef void h5_function(void);

/* Ends the command where there is none of that name. */
h5_function *h5_find(const char *name);

/* What HDF5 has in variables. */
typedef struct h5_constants {
  hid_t types[9];  /* by ghz_type: as they are in a file */
  hid_t reference; /* the type of references to objects */
} h5_constants;

extern h5_constants h5;

/* Closes objects, types, lists and spaces; not files. What was written is complete only if this
 * succeeds. A negative identifier is none. */
#define h5_close(...)                                                                                          \
  h5_close_all((const hid_t[]){__VA_ARGS__}, sizeof((const hid_t[]){__VA_ARGS__}) / sizeof(hid_t))
bool h5_close_all(const hid_t *ids, size_t count);

/* As fail(), with what HDF5 says was the first thing that went wrong. Returns false. */
bool h5_fail(const char *name, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* "FILE: VAR", to be freed; NULL, and a message, without memory. */
char *h5_label(const char *path, const char *var);

/* Loads libhdf5, and opens a file; flags: as H5Fopen has them. Prints why it cannot, and returns a
 * negative one. */
hid_t h5_open(const char *path, unsigned flags);

/* What to do with data that cannot be added as they are. */
#define H5_RECOMPRESS                                                                                          \
  "compress it with the h5repack line that `ghz h5args --abs NAME=E FILE` prints (nccopy leaves out the "      \
  "filter where a file is compressed already)"

/* ---- Paths ----------------------------------------------------------------------------------- */

enum { PATH_BYTES = 4096 };

typedef struct paths {
  char **at; /* each to be freed */
  size_t count, capacity;
} paths;

/* Adds a copy of a path; paths_include, unless it is there. `name` is for messages. */
bool paths_add(paths *p, const char *path, const char *name);
bool paths_include(paths *p, const char *path, const char *name);

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

/* ---- Data sets ------------------------------------------------------------------------------- */

typedef struct set_facts {
  ghz_type type; /* that of ours which has all its values */
  bool exact;    /* and is stored so */
  shape array;   /* its extents */
  shape chunk;   /* ndim 0: it has none */
  H5D_layout_t layout;
} set_facts;

/* Returns why it holds no array of numbers, or NULL. */
const char *set_look(hid_t set, set_facts *f);

/* Reads an attribute that is one text; else it is empty. Returns whether there is one. */
bool attribute_text(hid_t object, const char *name, char *text, size_t size);

/* Reads an attribute of at most `most` numbers. Returns how many; 0: there is none, or it is empty;
 * -1: it is something else. */
int attribute_numbers(hid_t object, const char *name, double *numbers, int most);

/* What readers decode values by: scale_factor and add_offset, 1 and 0 where they are not there.
 * Returns whether they are numbers. */
bool attribute_decoding(hid_t set, double *scale, double *offset);

/* Whether two objects have the same text or numbers, in whatever way each is stored, or neither
 * has the attribute. narrow: numbers are those of a float, in which 1e20 is the nearest one. */
bool attributes_alike(hid_t a, hid_t b, const char *name, bool narrow);

/* Shows the references of a list of lists, as dimensions have them. Returns whether all calls
 * did; an attribute of another kind shows none. */
typedef bool reference_visitor(const hobj_ref_t *reference, void *user);
bool attribute_references(hid_t object, const char *name, reference_visitor *see, void *user);

/* ---- Places ---------------------------------------------------------------------------------- */

/* Adds the paths of those of a variable; all: also of bounds, and of what else its attributes
 * name. */
bool places_of_variable(const char *name, hid_t whole, const char *var, bool all, paths *p);

/* Whether the variables have the same coordinates in all files of the command, but for rounding.
 * Times may differ, and with --differing-places all may: a line says which do. */
bool places_agree(const options *o, const paths *variables);

/* ---- Variables ------------------------------------------------------------------------------- */

typedef enum variable_use {
  VARIABLE_READ,    /* of any bound */
  VARIABLE_COMBINE, /* of one lattice for all chunks, which can be added */
  VARIABLE_WRITE    /* of such a lattice, in a file that is written */
} variable_use;

/* Opens it, and checks that it is one of ours. */
bool variable_open(h5_variable *v, const char *path, const char *var, variable_use use);

/* Closes it. A file that was written is complete only if this succeeds. */
bool variable_close(h5_variable *v);

/* Frees all chunks. */
bool variable_empty(const h5_variable *v);

/* Whether type, extents, chunks, and the attributes that say what values mean, are those of
 * `first`. */
bool variables_agree(const h5_variable *v, const h5_variable *first);

/* ---- Chunks ---------------------------------------------------------------------------------- */

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
bool chunk_fail(const h5_variable *v, const uint64_t *at, const char *why);

/* Reads and writes the chunk that begins at `at`. */
bool chunk_read(const h5_variable *v, const uint64_t *at, h5_chunk *c);
bool chunk_write(const h5_variable *v, const uint64_t *at, const void *stream, size_t size);

/* Makes a chunk a stream of the values x on the lattice, whose type they have; NULL: of its own.
 * order: as in ghz_compress_shape. */
bool chunk_compress(const h5_variable *v, ghz_context *ctx, const ghz_lattice *lattice, int order,
                    const void *x, h5_chunk *c);

/* Goes on to the place where the next chunk begins; false after the last. */
bool chunk_next(const h5_variable *v, uint64_t *at);

#endif
