/* values.c: owns reading the values of any data set of numbers, whatever compressed it, and what
 * its axes are. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inside.h"
#include "report/report.h"
#include "report/text.h"

/* Bytes read at a time: as many, if there are, and more only where chunks are larger. */
#define SLAB_LEAST ((uint64_t)64 << 20)
#define SLAB_MOST ((uint64_t)256 << 20)

/* A data set that is read in slabs of whole steps of its slowest dimension, unless a step is too
 * large. */
typedef struct reading {
  const char *name, *var;
  hid_t file, set;
  set_facts facts;
  unsigned axis;       /* a slab is one point of those before, */
  uint64_t steps;      /* at most so many of this one, */
  uint64_t from, rows; /* and all of those behind: the rows; the first that is not read yet, and their number */
} reading;

/* ---- Its values ------------------------------------------------------------------------------ */

/* Chunks are decoded once, unless they are larger than a slab. The count of values is known to be
 * one. */
static void choose_steps(reading *r) {
  const shape *array = &r->facts.array, *chunk = &r->facts.chunk;
  uint64_t step = ghz_type_size(r->facts.type);
  for (unsigned i = 1; i < array->ndim; i++)
    step *= array->dims[i];
  for (r->rows = array->dims[0]; step > SLAB_MOST && r->axis + 1 < array->ndim; r->rows *= array->dims[r->axis])
    step /= array->dims[++r->axis];
  const uint64_t along = chunk->ndim ? chunk->dims[r->axis] : 1,
                 least = step < SLAB_LEAST ? SLAB_LEAST / step : 1;
  r->steps = (least + along - 1) / along * along;
  if (r->steps > SLAB_MOST / step)
    r->steps = SLAB_MOST / step;
}

static bool read_slab(void *user, buffer *piece, size_t *got) {
  reading *r = user;
  const shape *array = &r->facts.array;
  hsize_t from[GHZ_FILE_NDIM] = {0}, count[GHZ_FILE_NDIM];
  uint64_t row = r->from;
  for (unsigned i = array->ndim; i-- > 0;) {
    count[i] = i > r->axis ? array->dims[i] : 1;
    from[i] = i > r->axis ? 0 : row % array->dims[i];
    row = i > r->axis ? row : row / array->dims[i];
  }
  const uint64_t left = array->dims[r->axis] - from[r->axis];
  count[r->axis] = left < r->steps ? left : r->steps;
  *got = r->from < r->rows ? ghz_type_size(r->facts.type) : 0;
  for (unsigned i = 0; i < array->ndim; i++)
    *got *= count[i];
  if (*got == 0)
    return true;
  if (!buffer_reserve(piece, *got, r->name))
    return false;
  const hid_t space = H5(H5Dget_space)(r->set), memory = H5(H5Screate_simple)((int)array->ndim, count, NULL);
  const bool ok = memory >= 0 && H5(H5Sselect_hyperslab)(space, H5S_SELECT_SET, from, NULL, count, NULL) >= 0 &&
                  H5(H5Dread)(r->set, h5.types[r->facts.type], memory, space, H5P_DEFAULT, piece->data) >= 0;
  h5_close(memory, space);
  r->from += count[r->axis];
  return ok || h5_fail(r->name, "%s: cannot be read", r->var);
}

/* A value that is missing, as the attributes name it. */
static void find_fill(const reading *r, values *v) {
  double fill[2] = {0};
  for (int i = 0; i < 2 && !v->has_fill; i++)
    v->has_fill =
        attribute_numbers(r->set, i ? "missing_value" : "_FillValue", fill, 2) > 0 && isfinite(fill[0]);
  v->fill = !v->has_fill ? 0 : r->facts.type == GHZ_F32 ? (double)(float)fill[0] : fill[0];
}

/* How readers decode it, where the attributes say so in numbers that mean something. */
static void find_decoding(const reading *r, values *v) {
  attribute_decoding(r->set, &v->scale, &v->offset);
  v->scale = isfinite(v->scale) && v->scale != 0 ? v->scale : 1;
  v->offset = isfinite(v->offset) ? v->offset : 0;
}

/* ---- Its axes -------------------------------------------------------------------------------- */

typedef struct naming {
  const reading *r;
  h5_axes *axes;
  unsigned next;
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
  const shape *array = &n->r->facts.array;
  const unsigned axis = n->next++;
  const hid_t scale = axis < array->ndim && path_of_reference(n->r->file, reference, path)
                          ? H5(H5Oopen)(n->r->file, path, H5P_DEFAULT)
                          : -1;
  if (scale < 0)
    return true;
  const char *slash = strrchr(path, '/');
  snprintf(n->axes->name[axis], sizeof *n->axes->name, "%.60s", slash ? slash + 1 : path);
  if (axis + 2 == array->ndim)
    n->axes->north = north_of(scale, array->dims[axis]);
  h5_close(scale);
  return true;
}

static void find_axes(const reading *r, h5_axes *axes) {
  naming n = {.r = r, .axes = axes};
  *axes = (h5_axes){.north = 0};
  attribute_references(r->set, "DIMENSION_LIST", name_axis, &n);
  if (n.next != r->facts.array.ndim)
    *axes = (h5_axes){.north = 0};
}

/* ---- Calls ----------------------------------------------------------------------------------- */

static bool close_reading(reading *r, bool ok) {
  h5_close(r->set);
  if (r->file >= 0)
    H5(H5Fclose)(r->file);
  return ok;
}

static bool open_reading(reading *r, const char *path, const char *var) {
  *r = (reading){.name = path, .var = var, .file = -1, .set = -1};
  r->file = h5_open(path, H5F_ACC_RDONLY);
  if (r->file < 0)
    return false;
  r->set = H5(H5Oopen)(r->file, var, H5P_DEFAULT);
  return r->set >= 0 || h5_fail(path, "no data set %s", var);
}

/* The values as an input that has them in a temporary file. */
static bool spool(reading *r, values *v) {
  input *in = &v->in;
  v->label = h5_label(r->name, r->var);
  if (!v->label)
    return false;
  in->file.name = v->name = v->label;
  in->type = v->type = r->facts.type;
  in->shape = v->shape = r->facts.array;
  in->shape.npy = v->shape.npy = true;
  in->count = ghz_array_count(&in->shape);
  if (in->count == GHZ_FILE_UNKNOWN)
    return fail(v->label, "too many values");
  choose_steps(r);
  return file_spool(&in->file, read_slab, r);
}

static bool widen(const char *name, ghz_context *ctx, const ghz_frame *f, void *bound) {
  (void)name, (void)ctx;
  if (f->info.bound > *(double *)bound && !exact_on_grid(&f->info.lattice, f->info.terms))
    *(double *)bound = f->info.bound;
  return true;
}

/* Of a variable that ghz compressed: the largest bound of its streams. */
static bool find_bound(const reading *r, values *v) {
  h5_variable own;
  h5_storage stored = {0};
  v->bounded = has_filter(r->file, r->var);
  if (!v->bounded)
    return true;
  if (!variable_open(&own, r->name, r->var, VARIABLE_READ))
    return false;
  const bool ok = h5_each_chunk(&own, 1, v->ctx, &stored, widen, &v->bound);
  return variable_close(&own) && ok;
}

bool h5_values_open(values *v, h5_axes *axes, ghz_context *ctx, const char *path, const char *var) {
  reading r;
  *v = (values){.ctx = ctx, .scale = 1};
  bool ok = open_reading(&r, path, var);
  const char *why = ok ? set_look(r.set, &r.facts) : NULL;
  ok = ok && (!why || fail(path, "%s: %s", var, why)) && file_open(&v->in.file, path) && spool(&r, v) &&
       find_bound(&r, v);
  if (ok) {
    find_fill(&r, v);
    find_axes(&r, axes);
    find_decoding(&r, v);
    v->stored = H5(H5Dget_storage_size)(r.set);
  }
  return close_reading(&r, ok);
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
    h5_close(r.set);
    r.set = H5(H5Oopen)(r.file, all.at[i], H5P_DEFAULT);
    if (r.set < 0 || !is_variable(r.set))
      continue;
    const char *why = set_look(r.set, &r.facts);
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
  bool ok = list_numbers(path, coordinates, &names);
  for (size_t i = 0; i < names.count; i++)
    ok &= one(o, ctx, path, names.at[i]);
  paths_free(&names);
  return ok;
}
