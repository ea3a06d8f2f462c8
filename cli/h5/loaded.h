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
  X(H5Acreate2)                                                                                                \
  X(H5Adelete)                                                                                                 \
  X(H5Aexists)                                                                                                 \
  X(H5Aget_create_plist)                                                                                       \
  X(H5Aget_space)                                                                                              \
  X(H5Aget_type)                                                                                               \
  X(H5Aiterate2)                                                                                               \
  X(H5Aopen)                                                                                                   \
  X(H5Aread)                                                                                                   \
  X(H5Awrite)                                                                                                  \
  X(H5open)                                                                                                    \
  X(H5Dclose)                                                                                                  \
  X(H5Dcreate2)                                                                                                \
  X(H5Dget_chunk_info_by_coord)                                                                                \
  X(H5Dget_chunk_storage_size)                                                                                 \
  X(H5Dget_create_plist)                                                                                       \
  X(H5Dget_space)                                                                                              \
  X(H5Dget_type)                                                                                               \
  X(H5Dopen2)                                                                                                  \
  X(H5Dread)                                                                                                   \
  X(H5Dread_chunk)                                                                                             \
  X(H5Dset_extent)                                                                                             \
  X(H5Dvlen_reclaim)                                                                                           \
  X(H5Dwrite)                                                                                                  \
  X(H5Dwrite_chunk)                                                                                            \
  X(H5Eset_auto2)                                                                                              \
  X(H5Ewalk2)                                                                                                  \
  X(H5Fclose)                                                                                                  \
  X(H5Fcreate)                                                                                                 \
  X(H5Fget_create_plist)                                                                                       \
  X(H5Fget_name)                                                                                               \
  X(H5Fopen)                                                                                                   \
  X(H5Gclose)                                                                                                  \
  X(H5Gget_create_plist)                                                                                       \
  X(H5Gopen2)                                                                                                  \
  X(H5Iget_type)                                                                                               \
  X(H5Ldelete)                                                                                                 \
  X(H5Literate)                                                                                                \
  X(H5Lmove)                                                                                                   \
  X(H5Lvisit)                                                                                                  \
  X(H5Oclose)                                                                                                  \
  X(H5Ocopy)                                                                                                   \
  X(H5Oopen)                                                                                                   \
  X(H5Pclose)                                                                                                  \
  X(H5Pcreate)                                                                                                 \
  X(H5Pfill_value_defined)                                                                                     \
  X(H5Pget_attr_creation_order)                                                                                \
  X(H5Pget_chunk)                                                                                              \
  X(H5Pget_chunk_opts)                                                                                         \
  X(H5Pget_fill_value)                                                                                         \
  X(H5Pget_filter2)                                                                                            \
  X(H5Pget_layout)                                                                                             \
  X(H5Pget_link_creation_order)                                                                                \
  X(H5Pget_nfilters)                                                                                           \
  X(H5Pget_userblock)                                                                                          \
  X(H5Pset_attr_creation_order)                                                                                \
  X(H5Pset_copy_object)                                                                                        \
  X(H5Pset_link_creation_order)                                                                                \
  X(H5Rcreate)                                                                                                 \
  X(H5Rget_name)                                                                                               \
  X(H5Sclose)                                                                                                  \
  X(H5Screate)                                                                                                 \
  X(H5Screate_simple)                                                                                          \
  X(H5Sget_simple_extent_dims)                                                                                 \
  X(H5Sget_simple_extent_ndims)                                                                                \
  X(H5Sget_simple_extent_npoints)                                                                              \
  X(H5Sget_simple_extent_type)                                                                                 \
  X(H5Sselect_hyperslab)                                                                                       \
  X(H5Tclose)                                                                                                  \
  X(H5Tcopy)                                                                                                   \
  X(H5Tdetect_class)                                                                                           \
  X(H5Tequal)                                                                                                  \
  X(H5Tget_class)                                                                                              \
  X(H5Tget_member_offset)                                                                                      \
  X(H5Tget_member_type)                                                                                        \
  X(H5Tget_nmembers)                                                                                           \
  X(H5Tget_size)                                                                                               \
  X(H5Tget_super)                                                                                              \
  X(H5Tis_variable_str)                                                                                        \
  X(H5Tset_size)                                                                                               \
  X(H5Zregister)

typedef struct h5_functions {
#define H5_MEMBER(f) __typeof__(&(f)) f;
  H5_FUNCTIONS(H5_MEMBER)
#undef H5_MEMBER
  hid_t types[9];    /* by ghz_type: as they are in a file; but for GHZ_I64 */
  hid_t reference;   /* the type of references to objects */
  hid_t text;        /* the type of a character */
  hid_t object_copy; /* the class of properties for H5Ocopy */
} h5_functions;

extern h5_functions h5;

/* Loads it, gives it the filter, and has it print nothing itself. Prints why it cannot. */
bool h5_load(void);

#endif
