/* loaded.h: libhdf5, which is loaded when a file of HDF5 is met: with what it needs itself it would
 * make every start of the command seven times as long. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CLI_H5_LOADED_H
#define GHZ_CLI_H5_LOADED_H

#include <ghz/ghz.h>
#include <hdf5.h>
#include <stdbool.h>

/* Constants of the headers call these first. */
#undef H5OPEN
#undef H5CHECK
#define H5OPEN
#define H5CHECK

#define H5_FUNCTIONS(X)                                                                                        \
  X(H5Aclose)                                                                                                  \
  X(H5Aexists)                                                                                                 \
  X(H5Aget_space)                                                                                              \
  X(H5Aopen)                                                                                                   \
  X(H5Aread)                                                                                                   \
  X(H5open)                                                                                                    \
  X(H5Dclose)                                                                                                  \
  X(H5Dget_chunk_info_by_coord)                                                                                \
  X(H5Dget_chunk_storage_size)                                                                                 \
  X(H5Dget_create_plist)                                                                                       \
  X(H5Dget_space)                                                                                              \
  X(H5Dget_type)                                                                                               \
  X(H5Dopen2)                                                                                                  \
  X(H5Dread_chunk)                                                                                             \
  X(H5Dwrite_chunk)                                                                                            \
  X(H5Eset_auto2)                                                                                              \
  X(H5Ewalk2)                                                                                                  \
  X(H5Fclose)                                                                                                  \
  X(H5Fget_name)                                                                                               \
  X(H5Fopen)                                                                                                   \
  X(H5Pclose)                                                                                                  \
  X(H5Pfill_value_defined)                                                                                     \
  X(H5Pget_chunk)                                                                                              \
  X(H5Pget_chunk_opts)                                                                                         \
  X(H5Pget_fill_value)                                                                                         \
  X(H5Pget_filter2)                                                                                            \
  X(H5Pget_layout)                                                                                             \
  X(H5Pget_nfilters)                                                                                           \
  X(H5Sclose)                                                                                                  \
  X(H5Sget_simple_extent_dims)                                                                                 \
  X(H5Sget_simple_extent_ndims)                                                                                \
  X(H5Sget_simple_extent_npoints)                                                                              \
  X(H5Tclose)                                                                                                  \
  X(H5Tequal)

typedef struct h5_functions {
#define H5_MEMBER(f) __typeof__(&(f)) f;
  H5_FUNCTIONS(H5_MEMBER)
#undef H5_MEMBER
  hid_t types[2]; /* by ghz_type: as they are in a file */
} h5_functions;

extern h5_functions h5;

/* Loads it, and has it print nothing itself. Prints why it cannot. */
bool h5_load(void);

#endif
