/* dl.h: libhdf5, which is loaded when a file of HDF5 is met: with what it needs itself it would
 * make every start of the command seven times as long. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CLI_H5_DL_H
#define GHZ_CLI_H5_DL_H

#include <ghz/ghz.h>
#include <hdf5.h>
#include <stdbool.h>

/* Constants of the headers call these first. */
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

/* Loads it, gives it the filter, and has it print nothing itself. Prints why it cannot. */
bool h5_load(void);

/* Closes objects, types, lists and spaces; not files. What was written is complete only if this
 * succeeds. A negative identifier is none. */
#define h5_close(...)                                                                                          \
  h5_close_all((const hid_t[]){__VA_ARGS__}, sizeof((const hid_t[]){__VA_ARGS__}) / sizeof(hid_t))
bool h5_close_all(const hid_t *ids, size_t count);

/* As fail(), with what HDF5 says was the first thing that went wrong. Returns false. */
bool h5_fail(const char *name, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* What to do with data that cannot be added as they are. */
#define H5_RECOMPRESS                                                                                          \
  "compress it with the h5repack line that `ghz h5args --abs NAME=E FILE` prints (nccopy leaves out the "      \
  "filter where a file is compressed already)"

#endif
