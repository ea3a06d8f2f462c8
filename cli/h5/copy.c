/* copy.c: owns copies of HDF5 files without the chunks of some data sets. What HDF5 frees inside a
 * file stays there as a hole, so there are two copies: the bytes, in which the chunks are
 * freed, and the objects of that one. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "copy.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "failure.h"
#include "hdf5/parameters.h"
#include "io/buffer.h"
#include "io/file.h"
#include "io/signals.h"
#include "references.h"
#include "remake.h"
#include "report/report.h"

enum { COPY_BYTES = 1 << 20 };
#define ASIDE ".ghz-copy" /* a group that the copy has on the way */

/* ---- Bytes ----------------------------------------------------------------------------------- */

static bool write_bytes(int fd, const char *name, const void *data, size_t size) {
  const int error = ghz_write_all(fd, data, size);
  return error == 0 || fail(name, "%s", strerror(error));
}

static bool copy_bytes(const char *from, int fd, const char *name) {
  file f;
  buffer piece = {0};
  size_t got = 1;
  if (!file_open(&f, from))
    return false;
  bool ok = buffer_reserve(&piece, COPY_BYTES, f.name);
  while (ok && got > 0)
    ok = file_read(&f, piece.data, COPY_BYTES, &got) && write_bytes(fd, name, piece.data, got);
  buffer_free(&piece);
  file_close(&f);
  return ok;
}

/* ---- Chunks are freed ------------------------------------------------------------------------ */

static bool set_first_extent_to_0(hid_t set) {
  hsize_t extent[GHZ_H5_RANK_MAX];
  const hid_t space = H5(H5Dget_space)(set);
  const int rank = space < 0 ? -1 : H5(H5Sget_simple_extent_ndims)(space);
  bool ok = rank > 0 && rank <= GHZ_H5_RANK_MAX && H5(H5Sget_simple_extent_dims)(space, extent, NULL) == rank;
  h5_close(space);
  if (ok) {
    extent[0] = 0;
    ok = H5(H5Dset_extent)(set, extent) >= 0;
  }
  return ok;
}

static bool free_chunks(hid_t whole, const char *name, const char *var) {
  const hid_t set = H5(H5Dopen2)(whole, var, H5P_DEFAULT);
  bool ok = (set >= 0 && set_first_extent_to_0(set)) || h5_fail(name, "%s: its chunks cannot be freed", var);
  if (!h5_close(set) && ok)
    ok = h5_fail(name, "%s: its chunks cannot be freed", var);
  return ok;
}

/* variables: NULL: no chunks are freed. */
static bool change_file(const char *path, const char *name, const paths *variables, copy_change *change,
                        void *user) {
  const hid_t whole = H5(H5Fopen)(path, H5F_ACC_RDWR, H5P_DEFAULT);
  if (whole < 0)
    return h5_fail(name, "cannot be opened as HDF5");
  bool ok = change(whole, name, user);
  for (size_t i = 0; ok && variables && i < variables->count; i++)
    ok = free_chunks(whole, name, variables->at[i]);
  return H5(H5Fclose)(whole) >= 0 ? ok : ok && h5_fail(name, "cannot be written");
}

/* ---- Objects --------------------------------------------------------------------------------- */
/* Where one of these fails the bytes are copied, so they do not say why. */

/* H5Ocopy does not follow references that data sets hold inside other values. */
static bool hides_references(hid_t whole, const char *path) {
  const hid_t object = H5(H5Oopen)(whole, path, H5P_DEFAULT);
  const bool set = object >= 0 && H5(H5Iget_type)(object) == H5I_DATASET;
  const hid_t type = set ? H5(H5Dget_type)(object) : -1;
  const bool hides = object < 0 || (set && (type < 0 || type_hides_references(type)));
  h5_close(type, object);
  return hides;
}

static bool can_copy_objects(hid_t whole) {
  paths all = {0};
  bool can = paths_of_file("", whole, &all);
  for (size_t i = 0; can && i < all.count; i++)
    can = !hides_references(whole, all.at[i]);
  paths_free(&all);
  return can;
}

/* A file with the properties of another, and of its root group. */
static hid_t create_like(const char *path, hid_t whole) {
  unsigned links = 0, attributes = 0;
  hsize_t block = 1;
  hid_t made = -1;
  const hid_t root = H5(H5Gopen2)(whole, "/", H5P_DEFAULT);
  const hid_t group = root < 0 ? -1 : H5(H5Gget_create_plist)(root);
  const hid_t plist = H5(H5Fget_create_plist)(whole);
  if (group >= 0 && plist >= 0 && H5(H5Pget_userblock)(plist, &block) >= 0 && block == 0 &&
      H5(H5Pget_link_creation_order)(group, &links) >= 0 &&
      H5(H5Pget_attr_creation_order)(group, &attributes) >= 0 &&
      H5(H5Pset_link_creation_order)(plist, links) >= 0 &&
      H5(H5Pset_attr_creation_order)(plist, attributes) >= 0)
    made = H5(H5Fcreate)(path, H5F_ACC_TRUNC, plist, H5P_DEFAULT);
  h5_close(plist, group, root);
  return made;
}

/* One call copies the root group, so that an object that two links lead to is copied once. */
static bool copy_root(hid_t from, hid_t to) {
  const hid_t plist = H5(H5Pcreate)(h5.object_copy);
  const bool ok = plist >= 0 && H5(H5Pset_copy_object)(plist, H5O_COPY_EXPAND_REFERENCE_FLAG) >= 0 &&
                  H5(H5Ocopy)(from, "/", to, ASIDE, plist, H5P_DEFAULT) >= 0;
  h5_close(plist);
  return ok;
}

static bool remake_sets(hid_t from, hid_t to) {
  const hid_t group = H5(H5Gopen2)(to, ASIDE, H5P_DEFAULT);
  bool ok = group >= 0 && sets_remake(from, group);
  ok &= h5_close(group);
  return ok;
}

/* What is in it moves to the root, in the order of the original. */
static bool move_links(hid_t from, hid_t to) {
  paths links = {0};
  const hid_t root = H5(H5Gopen2)(from, "/", H5P_DEFAULT), group = H5(H5Gopen2)(to, ASIDE, H5P_DEFAULT);
  bool ok = root >= 0 && group >= 0 && paths_of_links("", root, &links);
  for (size_t i = 0; ok && i < links.count; i++)
    ok = H5(H5Lmove)(group, links.at[i], to, links.at[i], H5P_DEFAULT, H5P_DEFAULT) >= 0;
  ok &= h5_close(group);
  h5_close(root);
  paths_free(&links);
  return ok && H5(H5Ldelete)(to, ASIDE, H5P_DEFAULT) >= 0;
}

static bool copy_root_attributes(hid_t from, hid_t to) {
  paths attributes = {0};
  const hid_t root = H5(H5Gopen2)(from, "/", H5P_DEFAULT), copy = H5(H5Gopen2)(to, "/", H5P_DEFAULT);
  bool ok = root >= 0 && copy >= 0 && paths_of_attributes("", root, &attributes);
  for (size_t i = 0; ok && i < attributes.count; i++)
    ok = attribute_copy(root, attributes.at[i], copy, to);
  paths_free(&attributes);
  h5_close(copy, root);
  return ok;
}

static bool copy_objects_to(hid_t from, const char *path) {
  const hid_t to = can_copy_objects(from) ? create_like(path, from) : -1;
  bool ok = to >= 0 && copy_root(from, to) && remake_sets(from, to) && move_links(from, to) &&
            copy_root_attributes(from, to) && references_repair(from, to);
  return to >= 0 && H5(H5Fclose)(to) >= 0 && ok;
}

static bool copy_objects(const char *from, const char *path) {
  const hid_t whole = H5(H5Fopen)(from, H5F_ACC_RDONLY, H5P_DEFAULT);
  const bool ok = whole >= 0 && copy_objects_to(whole, path);
  if (whole >= 0)
    H5(H5Fclose)(whole);
  return ok;
}

/* ---- Both ------------------------------------------------------------------------------------ */

/* The copy that HDF5 began is thrown away. */
static bool copy_bytes_instead(output *out, const char *from, copy_change *change, void *user) {
  return ((ftruncate(out->fd, 0) == 0 && lseek(out->fd, 0, SEEK_SET) == 0) ||
          fail(out->name, "%s", strerror(errno))) &&
         copy_bytes(from, out->fd, out->name) && change_file(out->file.name, out->name, NULL, change, user);
}

bool copy_without_chunks(output *out, const char *from, const paths *variables, copy_change *change,
                         void *user) {
  const char *bytes;
  const int fd = signals_named_scratch(out->file.name, &bytes);
  if (fd < 0)
    return fail(out->name, "a copy cannot be made beside it: %s", strerror(errno));
  bool ok = copy_bytes(from, fd, out->name);
  close(fd);
  ok = ok && change_file(bytes, out->name, variables, change, user);
  if (ok && !copy_objects(bytes, out->file.name))
    ok = copy_bytes_instead(out, from, change, user);
  signals_remove_scratch();
  return ok;
}
