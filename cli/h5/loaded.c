/* loaded.c: owns the loading of libhdf5. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "loaded.h"

#include <H5PLextern.h>
#include <dlfcn.h>
#include <string.h>

#include "report/report.h"

h5_functions h5;

/* The name is expanded first: a later HDF5 gives some functions a number. */
#define NAME(f) NAME_AS_IT_IS(f)
#define NAME_AS_IT_IS(f) #f

static bool find(void *library, const char *name, void *to) {
  void *found = dlsym(library, name);
  memcpy(to, &found, sizeof found);
  return found || fail(GHZ_HDF5_LIBRARY, "has no %s", name);
}

/* Of a type, or of a class of properties. */
static bool find_id(void *library, const char *name, hid_t *to) {
  const hid_t *id;
  if (!find(library, name, &id))
    return false;
  *to = *id;
  return true;
}

bool h5_load(void) {
  void *library = dlopen(GHZ_HDF5_LIBRARY, RTLD_LAZY | RTLD_LOCAL); /* until the end */
  if (!library)
    return fail("HDF5", "cannot be loaded: %s", dlerror());
#define FIND(f)                                                                                                \
  if (!find(library, NAME(f), &h5.f))                                                                          \
    return false;
  H5_FUNCTIONS(FIND)
#undef FIND
  if (h5.H5open() < 0)
    return fail("HDF5", "cannot be started");
  h5.H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  if (h5.H5Zregister(H5PLget_plugin_info()) < 0)
    return fail("HDF5", "does not take the filter");
  return find_id(library, "H5T_IEEE_F32LE_g", &h5.types[GHZ_F32]) &&
         find_id(library, "H5T_IEEE_F64LE_g", &h5.types[GHZ_F64]) &&
         find_id(library, "H5T_STD_I8LE_g", &h5.types[GHZ_I8]) &&
         find_id(library, "H5T_STD_I16LE_g", &h5.types[GHZ_I16]) &&
         find_id(library, "H5T_STD_I32LE_g", &h5.types[GHZ_I32]) &&
         find_id(library, "H5T_STD_U8LE_g", &h5.types[GHZ_U8]) &&
         find_id(library, "H5T_STD_U16LE_g", &h5.types[GHZ_U16]) &&
         find_id(library, "H5T_STD_U32LE_g", &h5.types[GHZ_U32]) &&
         find_id(library, "H5T_STD_REF_OBJ_g", &h5.reference) && find_id(library, "H5T_C_S1_g", &h5.text) &&
         find_id(library, "H5P_CLS_OBJECT_COPY_ID_g", &h5.object_copy);
}
