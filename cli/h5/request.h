/* request.h: what of an HDF5 file is to be compressed, and how. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CLI_H5_REQUEST_H
#define GHZ_CLI_H5_REQUEST_H

#include <hdf5/parameters.h>

#include "options/options.h"

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
