/* request.c: owns what is read of data sets before they are compressed. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "inside.h"
#include "report/report.h"
#include "work/range.h"

enum { FILLS_MAX = 16, ROOM = 1 << 18 };

typedef struct reading {
  const options *o;
  const char *name;
  hid_t file;
  paths beside; /* coordinates, bounds and the like */
} reading;

/* ---- What is missing ------------------------------------------------------------------------- */

/* No value of an integer is 1e20, say. */
static bool can_be(ghz_type type, double value) {
  ghz_lattice any = {.type = type};
  return ghz_lattice_set_fill(&any, value) == GHZ_OK;
}

/* The filter keeps one value exactly. */
static bool take_fill(const reading *r, h5_request *q, const char *attribute, double value) {
  ghz_h5_parameters *p = &q->parameters;
  if (p->type == GHZ_F32)
    value = (double)(float)value;
  if (!can_be(p->type, value) || (p->fill && p->fill_value == value))
    return true;
  if (p->fill && !r->o->has_fill)
    return fail(r->name, "%s: its %s is %s, another than %s, and the filter keeps one of them: give --fill",
                q->path, attribute, fill_text(p->type, value).text, fill_text(p->type, p->fill_value).text);
  if (p->fill)
    note(LEVEL_NORMAL, "%s: its %s, %s, is not --fill, and compressed as a number", q->path, attribute,
         fill_text(p->type, value).text);
  else
    p->fill_value = value;
  p->fill = GHZ_H5_FILL_GIVEN;
  return true;
}

static bool find_fill(const reading *r, hid_t set, h5_request *q) {
  static const char *const attributes[] = {"_FillValue", "missing_value"};
  double numbers[FILLS_MAX];
  ghz_h5_parameters *p = &q->parameters;
  bool ok = !r->o->has_fill || fill_choose(q->path, p->type, r->o->fill, &p->fill_value);
  p->fill = r->o->has_fill && can_be(p->type, p->fill_value) ? GHZ_H5_FILL_GIVEN : 0;
  for (int i = 0; ok && i < 2; i++) {
    const int count = attribute_numbers(set, attributes[i], numbers, FILLS_MAX);
    if (count < 0 && !r->o->has_fill)
      return fail(r->name, "%s: its %s is no number: give --fill", q->path, attributes[i]);
    for (int k = 0; ok && k < count; k++)
      ok = take_fill(r, q, attributes[i], numbers[k]);
  }
  return ok;
}

/* The filter takes for missing what netCDF says is there before anything is written, though no
 * attribute names it. */
static void warn_of_default(hid_t set, const h5_request *q) {
  H5D_fill_value_t defined = H5D_FILL_VALUE_ERROR;
  double fill = 0;
  const hid_t plist = H5(H5Dget_create_plist)(set);
  if (!q->parameters.fill && !ghz_h5_integers(q->parameters.type) &&
      H5(H5Pfill_value_defined)(plist, &defined) >= 0 && defined == H5D_FILL_VALUE_USER_DEFINED &&
      H5(H5Pget_fill_value)(plist, h5.types[GHZ_F64], &fill) >= 0 && isfinite(fill) && fill != 0)
    note(LEVEL_NORMAL,
         "%s: has no _FillValue: h5repack makes NaN the default fill value, %s (nccopy keeps NaN)", q->path,
         fill_text(q->parameters.type, fill).text);
  h5_close(plist);
}

/* Readers mask what is beyond these. Multiples of the step stay what they are. */
static void warn_of_limits(hid_t set, const h5_request *q) {
  static const char *const attributes[] = {"valid_range", "valid_min", "valid_max"};
  double limits[2];
  ghz_lattice l;
  const ghz_h5_parameters *p = &q->parameters;
  if (p->bound.kind == GHZ_STEP || ghz_lattice_make(p->type, p->bound, 0, 1, &l) != GHZ_OK)
    return;
  for (int i = 0; i < 3; i++)
    for (int k = attribute_numbers(set, attributes[i], limits, 2); k-- > 0;)
      if (limits[k] != 0 &&
          (p->bound.kind == GHZ_REL || fabs(limits[k] / l.step - rint(limits[k] / l.step)) > 1e-6))
        note(LEVEL_NORMAL, "%s: values at the end of its %s, %s, may pass it by the bound, and are masked then",
             q->path, attributes[i], fill_text(p->type, limits[k]).text);
}

/* ---- What there is --------------------------------------------------------------------------- */

/* Chunks for a data set that has none: whole rows and planes. */
static void choose_chunks(ghz_h5_parameters *p, const shape *array) {
  uint64_t room = ROOM;
  p->rank = array->ndim;
  for (unsigned i = array->ndim; i-- > 0; room /= p->chunk[i])
    p->chunk[i] = array->dims[i] < room ? array->dims[i] : room > 0 ? room : 1;
}

/* What compresses it already. */
static void find_filter(hid_t set, h5_request *q) {
  unsigned flags, configuration;
  size_t n = 0;
  const hid_t plist = H5(H5Dget_create_plist)(set);
  if (H5(H5Pget_nfilters)(plist) > 0 &&
      H5(H5Pget_filter2)(plist, 0, &flags, &n, NULL, sizeof q->filter - 1, q->filter, &configuration) >= 0 &&
      !q->filter[0])
    strcpy(q->filter, "a filter");
  h5_close(plist);
}

/* Whether the filter takes it: it has values of its own, and extents. */
static bool find_layout(hid_t set, h5_request *q) {
  set_facts f;
  if (set_look(set, &f) || !f.exact || !ghz_h5_takes(f.type) || f.layout < 0 || f.layout == H5D_VIRTUAL)
    return false;
  q->parameters.type = f.type;
  if (f.layout != H5D_CHUNKED)
    choose_chunks(&q->parameters, &f.array);
  find_filter(set, q);
  return true;
}

/* Coordinates and the like are floats, too, and should lose no digits. */
static bool is_beside(const reading *r, hid_t set, const char *path) {
  char units[256];
  return H5(H5Aexists)(set, "CLASS") > 0 || paths_have(&r->beside, path) ||
         (attribute_text(set, "units", units, sizeof units) &&
          (strstr(units, " since ") || strncmp(units, "degree_", 7) == 0 ||
           strncmp(units, "degrees_", 8) == 0));
}

/* ---- Requests -------------------------------------------------------------------------------- */

/* named: by the user, and not by a bound for all. *taken: whether the filter is for it. Integers
 * have one bound, and need none. */
static bool complete(const reading *r, hid_t set, h5_request *q, bool named, bool *taken) {
  ghz_h5_parameters *p = &q->parameters;
  double scale = 1; /* of what is stored to what readers see, and the bound is for */
  if (!find_layout(set, q))
    return !named || fail(r->name, "%s: is of a type or shape that the filter does not take", q->path);
  *taken =
      named || !ghz_h5_integers(p->type) || p->bound.kind == GHZ_STEP || H5(H5Aexists)(set, "scale_factor") > 0;
  if (ghz_h5_integers(p->type))
    p->bound = (ghz_bound){GHZ_STEP, 1};
  if (!*taken)
    return true;
  if (p->bound.kind == GHZ_ABS && attribute_numbers(set, "scale_factor", &scale, 1) > 0 && fabs(scale) > 1)
    p->bound.value /= fabs(scale);
  warn_of_limits(set, q);
  if (!find_fill(r, set, q))
    return false;
  warn_of_default(set, q);
  return true;
}

static bool show(const reading *r, h5_request q, bool named, h5_request_visitor *see, void *user) {
  bool taken = false;
  const hid_t set = H5(H5Oopen)(r->file, q.path, H5P_DEFAULT);
  const bool is_set = set >= 0 && H5(H5Iget_type)(set) == H5I_DATASET;
  bool ok = is_set || !named || fail(r->name, "no data set %s", q.path);
  if (is_set && (named || !is_beside(r, set, q.path)))
    ok = complete(r, set, &q, named, &taken);
  if (ok && taken)
    see(&q, user);
  h5_close(set);
  return ok;
}

/* All data sets but those that have been shown. */
static bool show_others(reading *r, const paths *shown, h5_request_visitor *see, void *user) {
  paths all = {0};
  bool ok = paths_of_file(r->name, r->file, &all);
  for (size_t i = 0; ok && i < all.count; i++)
    ok = places_of_variable(r->name, r->file, all.at[i], true, &r->beside);
  for (size_t i = 0; ok && i < all.count; i++)
    ok = paths_have(shown, all.at[i]) ||
         show(r, (h5_request){.path = all.at[i], .parameters = {.bound = r->o->bound}}, false, see, user);
  paths_free(&r->beside);
  paths_free(&all);
  return ok;
}

bool h5_each_request(const options *o, const h5_request *named, size_t count, h5_request_visitor *see,
                     void *user) {
  paths own = {0}; /* the names that the file has */
  reading r = {.o = o, .name = o->files[0], .file = h5_open(o->files[0], H5F_ACC_RDONLY)};
  if (r.file < 0)
    return false;
  bool ok = true;
  for (size_t i = 0; ok && i < count; i++) {
    h5_request q = named[i];
    ok = paths_of_variables(r.name, q.path, &own) &&
         (own.count > i || fail(r.name, "%s: has more than one bound", q.path)) &&
         (q.path = own.at[i], show(&r, q, true, see, user));
  }
  if (ok && o->bound_given && !o->var)
    ok = show_others(&r, &own, see, user);
  paths_free(&own);
  H5(H5Fclose)(r.file);
  return ok;
}
