/* caller.h: the libhdf5 that calls the filter, and the functions of it that the filter needs. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_HDF5_CALLER_H
#define GHZ_HDF5_CALLER_H

#include <dlfcn.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef int64_t hid_t;
typedef int herr_t, htri_t;

typedef struct hdf5 {
  void *handle;
  int (*type_class)(hid_t), (*type_order)(hid_t), (*type_sign)(hid_t), (*type_offset)(hid_t);
  size_t (*type_size)(hid_t), (*type_bias)(hid_t), (*type_precision)(hid_t);
  herr_t (*type_fields)(hid_t, size_t *, size_t *, size_t *, size_t *, size_t *);
  int (*get_chunk)(hid_t, int, uint64_t *);
  herr_t (*get_filter)(hid_t, int, unsigned *, size_t *, unsigned *, size_t, char *, unsigned *);
  int (*filter_at)(hid_t, unsigned, unsigned *, size_t *, unsigned *, size_t, char *, unsigned *);
  herr_t (*modify_filter)(hid_t, int, unsigned, size_t, const unsigned *);
  herr_t (*fill_defined)(hid_t, int *);
  herr_t (*get_fill)(hid_t, hid_t, void *);
  herr_t (*push)(hid_t, const char *, const char *, unsigned, hid_t, hid_t, hid_t, const char *, ...);
  const hid_t *error_class, *error_major, *error_minor;
} hdf5;

/* Finds the functions in the library that holds the address `caller`. */
static int open_hdf5(const void *caller, hdf5 *h) {
  const struct {
    void *to;
    const char *name;
  } wanted[] = {{&h->type_sign, "H5Tget_sign"},
                {&h->type_offset, "H5Tget_offset"},
                {&h->type_precision, "H5Tget_precision"},
                {&h->type_class, "H5Tget_class"},
                {&h->type_order, "H5Tget_order"},
                {&h->type_size, "H5Tget_size"},
                {&h->type_bias, "H5Tget_ebias"},
                {&h->type_fields, "H5Tget_fields"},
                {&h->get_chunk, "H5Pget_chunk"},
                {&h->get_filter, "H5Pget_filter_by_id2"},
                {&h->filter_at, "H5Pget_filter2"},
                {&h->modify_filter, "H5Pmodify_filter"},
                {&h->fill_defined, "H5Pfill_value_defined"},
                {&h->get_fill, "H5Pget_fill_value"},
                {&h->push, "H5Epush2"},
                {&h->error_class, "H5E_ERR_CLS_g"},
                {&h->error_major, "H5E_PLINE_g"},
                {&h->error_minor, "H5E_CANTFILTER_g"}};
  Dl_info info;
  h->handle = NULL;
  if (dladdr(caller, &info) && info.dli_fname)
    h->handle = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  if (!h->handle) /* HDF5 is linked into the program itself, whose name that was */
    h->handle = dlopen(NULL, RTLD_LAZY);
  for (size_t i = 0; h->handle && i < sizeof wanted / sizeof *wanted; i++) {
    void *found = dlsym(h->handle, wanted[i].name);
    if (!found) {
      dlclose(h->handle);
      h->handle = NULL;
    }
    memcpy(wanted[i].to, &found, sizeof found);
  }
  return h->handle != NULL;
}

/* Puts a message on HDF5's stack of errors. Always returns -1. */
__attribute__((format(printf, 3, 4))) static int refuse(const hdf5 *h, const char *function, const char *format,
                                                        ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  h->push(0, "ghz_hdf5.c", function, 0, *h->error_class, *h->error_major, *h->error_minor, "ghz: %s", text);
  return -1;
}

#endif
