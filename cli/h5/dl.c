/* dl.c: owns the loading of libhdf5. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <H5PLextern.h>
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inside.h"
#include "report/report.h"

h5_constants h5;
static void *library; /* until the end */

h5_function *h5_find(const char *name) {
  void *found = dlsym(library, name);
  h5_function *function;
  if (!found) {
    fail(GHZ_HDF5_LIBRARY, "has no %s", name);
    exit(EXIT_DATA);
  }
  memcpy(&function, &found, sizeof function);
  return function;
}

/* Of a type. */
static bool find_id(const char *name, hid_t *to) {
  const hid_t *id = dlsym(library, name);
  *to = id ? *id : -1;
  return id || fail(GHZ_HDF5_LIBRARY, "has no %s", name);
}

/* Loads it, gives it the filter, and has it print nothing itself. */
static bool load(void) {
  library = dlopen(GHZ_HDF5_LIBRARY, RTLD_LAZY | RTLD_LOCAL);
  if (!library)
    return fail("HDF5", "cannot be loaded: %s", dlerror());
  if (H5(H5open)() < 0)
    return fail("HDF5", "cannot be started");
  H5(H5Eset_auto2)(H5E_DEFAULT, NULL, NULL);
  if (H5(H5Zregister)(H5PLget_plugin_info()) < 0)
    return fail("HDF5", "does not take the filter");
  return find_id("H5T_IEEE_F32LE_g", &h5.types[GHZ_F32]) && find_id("H5T_IEEE_F64LE_g", &h5.types[GHZ_F64]) &&
         find_id("H5T_STD_I8LE_g", &h5.types[GHZ_I8]) && find_id("H5T_STD_I16LE_g", &h5.types[GHZ_I16]) &&
         find_id("H5T_STD_I32LE_g", &h5.types[GHZ_I32]) && find_id("H5T_STD_I64LE_g", &h5.types[GHZ_I64]) &&
         find_id("H5T_STD_U8LE_g", &h5.types[GHZ_U8]) && find_id("H5T_STD_U16LE_g", &h5.types[GHZ_U16]) &&
         find_id("H5T_STD_U32LE_g", &h5.types[GHZ_U32]) && find_id("H5T_STD_REF_OBJ_g", &h5.reference);
}

bool h5_close_all(const hid_t *ids, size_t count) {
  bool ok = true;
  for (size_t i = 0; i < count; i++)
    ok &= ids[i] < 0 || H5(H5Idec_ref)(ids[i]) >= 0;
  return ok;
}

char *h5_label(const char *path, const char *var) {
  char *label = malloc(strlen(path) + strlen(var) + 3);
  if (label)
    sprintf(label, "%s: %s", path, var);
  else
    fail(path, "out of memory");
  return label;
}

hid_t h5_open(const char *path, unsigned flags) {
  file f;
  char magic[3] = "";
  size_t got;
  static bool loaded;
  if (!loaded && !(loaded = load()))
    return -1;
  const hid_t whole = H5(H5Fopen)(path, flags, H5P_DEFAULT);
  if (whole >= 0)
    return whole;
  if (!file_open(&f, path)) /* which says so in the words of the system */
    return -1;
  const bool read = file_peek(&f, magic, sizeof magic, &got);
  file_close(&f);
  if (read && memcmp(magic, "CDF", sizeof magic) == 0)
    fail(path, "is netCDF-3, and no HDF5: nccopy -k nc4 makes netCDF-4 of it");
  else if (read)
    h5_fail(path, "cannot be opened as HDF5");
  return -1;
}

/* ---- Its errors ------------------------------------------------------------------------------ */

/* Takes the first entry that it is called with: the innermost one. */
static herr_t take(unsigned n, const H5E_error2_t *error, void *to) {
  if (n == 0 && error->desc)
    snprintf(to, 200, "%s", error->desc);
  return 0;
}

bool h5_fail(const char *name, const char *format, ...) {
  char what[400], why[200] = "";
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(what, sizeof what, format, arguments);
  va_end(arguments);
  H5(H5Ewalk2)(H5E_DEFAULT, H5E_WALK_UPWARD, take, why);
  return fail(name, "%s%s%s", what, why[0] ? ": HDF5 says: " : "", why);
}
