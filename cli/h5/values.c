/* values.c: owns reading the values of any data set of numbers, whatever compressed it, and what
 * its axes are. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "h5.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inside.h"
#include "report/report.h"

/* Bytes read at a time: as many, if there are, and more only where chunks are larger. */
#define SLAB_LEAST ((uint64_t)64 << 20)
#define SLAB_MOST ((uint64_t)256 << 20)

/* A data set that is read in slabs of whole steps of its slowest dimension, unless a step is too
 * large. */
typedef struct reading {
  const char *name, *var;
  hid_t file, set, space;
  ghz_type type;
  int rank;
  hsize_t extent[GHZ_FILE_NDIM];
  int axis;            /* a slab is one point of those before, */
  hsize_t steps;       /* at most so many of this one, */
  uint64_t from, rows; /* and all of those behind: the rows; the first that is not read yet, and their number */
} reading;

/* ---- What it is ------------------------------------------------------------------------------ */

/* The type of ours that has all its values, of whatever byte order. Returns why there is none. */
static const char *type_of(hid_t set, ghz_type *type) {
  static const ghz_type signed_ones[] = {[1] = GHZ_I8, [2] = GHZ_I16, [4] = GHZ_I32, [8] = GHZ_I64},
                        unsigned_ones[] = {[1] = GHZ_U8, [2] = GHZ_U16, [4] = GHZ_U32};
  const hid_t own = H5(H5Dget_type)(set);
  const H5T_class_t class = own < 0 ? H5T_NO_CLASS : H5(H5Tget_class)(own);
  const size_t size = own < 0 ? 0 : H5(H5Tget_size)(own);
  const bool negative = class == H5T_INTEGER && H5(H5Tget_sign)(own) != H5T_SGN_NONE;
  h5_close(own);
  if (class != H5T_FLOAT && class != H5T_INTEGER)
    return "holds no numbers";
  if (class == H5T_INTEGER && size == 8 && !negative)
    return "holds unsigned integers of 64 bits, which ghz does not read";
  if (size != 4 && size != 8 && (class == H5T_FLOAT || (size != 1 && size != 2)))
    return "holds numbers of a size that ghz does not read";
  *type = class == H5T_FLOAT ? size == 4 ? GHZ_F32 : GHZ_F64
          : negative         ? signed_ones[size]
                             : unsigned_ones[size];
  return NULL;
}

/* Numbers of one dimension or more, and at least one value. Returns why it is not. */
static const char *look(reading *r) {
  if (r->set < 0 || H5(H5Iget_type)(r->set) != H5I_DATASET)
    return "is no data set";
  r->space = H5(H5Dget_space)(r->set);
  r->rank = r->space < 0 ? -1 : H5(H5Sget_simple_extent_ndims)(r->space);
  if (r->rank < 0 || r->rank > GHZ_FILE_NDIM ||
      H5(H5Sget_simple_extent_dims)(r->space, r->extent, NULL) != r->rank)
    return "has extents that cannot be read";
  bool empty = H5(H5Sget_simple_extent_type)(r->space) == H5S_NULL;
  for (int i = 0; i < r->rank; i++)
    empty |= r->extent[i] == 0;
  if (empty)
    return "is empty";
  return r->rank == 0 ? "is one value without a dimension" : type_of(r->set, &r->type);
}

/* Chunks are decoded once, unless they are larger than a slab. The count of values is known to be
 * one. */
static void choose_steps(reading *r) {
  hsize_t chunk[GHZ_FILE_NDIM] = {0};
  uint64_t step = ghz_type_size(r->type);
  const hid_t plist = H5(H5Dget_create_plist)(r->set);
  if (plist >= 0 && H5(H5Pget_layout)(plist) == H5D_CHUNKED)
    H5(H5Pget_chunk)(plist, r->rank, chunk);
  h5_close(plist);
  for (int i = 1; i < r->rank; i++)
    step *= r->extent[i];
  for (r->rows = r->extent[0]; step > SLAB_MOST && r->axis + 1 < r->rank; r->rows *= r->extent[r->axis])
    step /= r->extent[++r->axis];
  const hsize_t along = chunk[r->axis] ? chunk[r->axis] : 1, least = step < SLAB_LEAST ? SLAB_LEAST / step : 1;
  r->steps = (least + along - 1) / along * along;
  if (r->steps > SLAB_MOST / step)
    r->steps = SLAB_MOST / step;
}

/* ---- Its values ------------------------------------------------------------------------------ */

static bool read_slab(void *user, buffer *piece, size_t *got) {
  reading *r = user;
  hsize_t from[GHZ_FILE_NDIM] = {0}, count[GHZ_FILE_NDIM];
  uint64_t row = r->from;
  for (int i = r->rank - 1; i >= 0; i--) {
    count[i] = i > r->axis ? r->extent[i] : 1;
    from[i] = i > r->axis ? 0 : row % r->extent[i];
    row = i > r->axis ? row : row / r->extent[i];
  }
  const hsize_t left = r->extent[r->axis] - from[r->axis];
  count[r->axis] = left < r->steps ? left : r->steps;
  *got = r->from < r->rows ? ghz_type_size(r->type) : 0;
  for (int i = 0; i < r->rank; i++)
    *got *= count[i];
  if (*got == 0)
    return true;
  if (!buffer_reserve(piece, *got, r->name))
    return false;
  const hid_t memory = H5(H5Screate_simple)(r->rank, count, NULL);
  const bool ok = memory >= 0 &&
                  H5(H5Sselect_hyperslab)(r->space, H5S_SELECT_SET, from, NULL, count, NULL) >= 0 &&
                  H5(H5Dread)(r->set, h5.types[r->type], memory, r->space, H5P_DEFAULT, piece->data) >= 0;
  h5_close(memory);
  r->from += count[r->axis];
  return ok || h5_fail(r->name, "%s: cannot be read", r->var);
}

/* A value that is missing, as the attributes name it. */
static void find_fill(const reading *r, values *v) {
  double fill[2] = {0};
  for (int i = 0; i < 2 && !v->has_fill; i++)
    v->has_fill =
        attribute_numbers(r->set, i ? "missing_value" : "_FillValue", fill, 2) > 0 && isfinite(fill[0]);
  v->fill = !v->has_fill ? 0 : r->type == GHZ_F32 ? (double)(float)fill[0] : fill[0];
}

/* How readers decode it, where the attributes say so in numbers that mean something. */
static void find_decoding(const reading *r, values *v) {
  attribute_numbers(r->set, "scale_factor", &v->scale, 1);
  attribute_numbers(r->set, "add_offset", &v->offset, 1);
  v->scale = isfinite(v->scale) && v->scale != 0 ? v->scale : 1;
  v->offset = isfinite(v->offset) ? v->offset : 0;
}

/* ---- Its axes -------------------------------------------------------------------------------- */

typedef struct naming {
  const reading *r;
  h5_axes *axes;
  int next;
} naming;

/* 1 if the coordinates of an axis are latitudes that grow, -1 if they fall, else 0. */
static int north_of(hid_t scale, hsize_t n) {
  char units[64], standard[64];
  attribute_text(scale, "units", units, sizeof units);
  attribute_text(scale, "standard_name", standard, sizeof standard);
  const bool is = strcmp(standard, "latitude") == 0 || strncmp(units, "degrees_north", 13) == 0 ||
                  strncmp(units, "degree_north", 12) == 0;
  double *x = is ? malloc(n * sizeof *x) : NULL;
  const hid_t space = H5(H5Dget_space)(scale);
  const bool read = x && H5(H5Sget_simple_extent_npoints)(space) == (hssize_t)n &&
                    H5(H5Dread)(scale, h5.types[GHZ_F64], H5S_ALL, H5S_ALL, H5P_DEFAULT, x) >= 0;
  const int north = read ? (x[n - 1] > x[0]) - (x[n - 1] < x[0]) : 0;
  h5_close(space);
  free(x);
  return north;
}

/* Dimensions refer to one scale each. */
static bool name_axis(const hobj_ref_t *reference, void *user) {
  naming *n = user;
  char path[PATH_BYTES];
  const int axis = n->next++;
  const hid_t scale = axis < n->r->rank && path_of_reference(n->r->file, reference, path)
                          ? H5(H5Oopen)(n->r->file, path, H5P_DEFAULT)
                          : -1;
  if (scale < 0)
    return true;
  const char *slash = strrchr(path, '/');
  snprintf(n->axes->name[axis], sizeof *n->axes->name, "%.60s", slash ? slash + 1 : path);
  if (axis == n->r->rank - 2)
    n->axes->north = north_of(scale, n->r->extent[axis]);
  h5_close(scale);
  return true;
}

static void find_axes(const reading *r, h5_axes *axes) {
  naming n = {.r = r, .axes = axes};
  *axes = (h5_axes){.north = 0};
  attribute_references(r->set, "DIMENSION_LIST", name_axis, &n);
  if (n.next != r->rank)
    *axes = (h5_axes){.north = 0};
}

/* ---- Calls ----------------------------------------------------------------------------------- */

static bool close_reading(reading *r, bool ok) {
  h5_close(r->space, r->set);
  if (r->file >= 0)
    H5(H5Fclose)(r->file);
  return ok;
}

static bool open_reading(reading *r, const char *path, const char *var) {
  *r = (reading){.name = path, .var = var, .file = -1, .set = -1, .space = -1};
  r->file = h5_open(path, H5F_ACC_RDONLY);
  if (r->file < 0)
    return false;
  r->set = H5(H5Oopen)(r->file, var, H5P_DEFAULT);
  return r->set >= 0 || h5_fail(path, "no data set %s", var);
}

/* The values as an input that has them in a temporary file. */
static bool spool(reading *r, values *v) {
  input *in = &v->in;
  char *label = malloc(strlen(r->name) + strlen(r->var) + 3);
  if (!label)
    return fail(r->name, "out of memory");
  sprintf(label, "%s: %s", r->name, r->var);
  in->file.name = v->name = v->label = label;
  in->type = v->type = r->type;
  in->shape = (shape){.ndim = (unsigned)r->rank, .npy = true};
  for (int i = 0; i < r->rank; i++)
    in->shape.dims[i] = r->extent[i];
  v->shape = in->shape;
  if (!shape_count(&in->shape, &in->count))
    return fail(label, "too many values");
  choose_steps(r);
  return file_spool(&in->file, read_slab, r);
}

bool h5_values_open(values *v, h5_axes *axes, ghz_context *ctx, const char *path, const char *var) {
  reading r;
  *v = (values){.ctx = ctx, .scale = 1};
  if (!h5_load())
    return false;
  if (!open_reading(&r, path, var))
    return close_reading(&r, false);
  const char *why = look(&r);
  if (why)
    return close_reading(&r, fail(path, "%s: %s", var, why));
  if (!file_open(&v->in.file, path))
    return close_reading(&r, false);
  bool ok = spool(&r, v);
  if (ok) {
    find_fill(&r, v);
    find_axes(&r, axes);
    v->stored = H5(H5Dget_storage_size)(r.set);
    find_decoding(&r, v);
    v->bounded = has_filter(r.file, var);
    ok = !v->bounded || h5_bound(ctx, path, var, &v->bound);
  }
  if (!ok)
    h5_values_close(v);
  return close_reading(&r, ok);
}

void h5_values_close(values *v) {
  char *label = v->label;
  values_close(v);
  free(label);
}

/* A dimension without coordinates is no variable. */
static bool is_variable(hid_t set) {
  static const char bare[] = "This is a netCDF dimension but not";
  char name[sizeof bare];
  return H5(H5Iget_type)(set) == H5I_DATASET &&
         !(attribute_text(set, "NAME", name, sizeof name) && strcmp(name, bare) == 0);
}

/* Says which variables hold none. */
static bool list_numbers(const char *name, bool coordinates, paths *to) {
  paths all = {0};
  reading r;
  char others[2048] = "";
  bool ok = open_reading(&r, name, "/") && paths_of_file(name, r.file, &all);
  for (size_t i = 0; ok && i < all.count; i++) {
    h5_close(r.space, r.set);
    r.space = -1;
    r.set = H5(H5Oopen)(r.file, all.at[i], H5P_DEFAULT);
    if (r.set < 0 || !is_variable(r.set))
      continue;
    const char *why = look(&r);
    const size_t used = strlen(others);
    if (why)
      snprintf(others + used, sizeof others - used, "%s %s %s", used ? "," : "", all.at[i], why);
    else if (coordinates || H5(H5Aexists)(r.set, "CLASS") <= 0)
      ok = paths_add(to, all.at[i], name);
  }
  if (others[0])
    note(LEVEL_NORMAL, "%s: left out:%s", name, others);
  paths_free(&all);
  return close_reading(&r, ok && (to->count > 0 || fail(name, "has no data set of numbers")));
}

bool h5_each_numbers(const options *o, ghz_context *ctx, const char *path, bool coordinates,
                     h5_values_visitor *one) {
  paths names = {0};
  if (o->var)
    return one(o, ctx, path, o->var);
  bool ok = h5_load() && list_numbers(path, coordinates, &names);
  for (size_t i = 0; i < names.count; i++)
    ok &= one(o, ctx, path, names.at[i]);
  paths_free(&names);
  return ok;
}
