/* ghz_hdf5.c: owns the HDF5 filter: chunks of floats as streams of libghz.
 *
 * It is loaded by whatever libhdf5 the process has: a distribution's, or the renamed one inside a
 * Python wheel; perhaps by two of them at once. So it is not linked to any, keeps nothing between
 * calls, and finds the functions it needs in the library that calls it, by the return address.
 * Of HDF5's binary interface it uses what has not changed since 1.10: 64-bit identifiers, and
 * H5Z_class2_t. Chunks are allocated by malloc(), as HDF5 does. */
/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* dladdr */
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "parameters.h"

/* ---- What HDF5 declares ---------------------------------------------------------------------- */

typedef int64_t hid_t;
typedef int herr_t, htri_t;

enum { CLASS_VERSION = 1, PLUGIN_FILTER = 0, FLAG_OPTIONAL = 0x1, FLAG_REVERSE = 0x100, FILL_BY_USER = 2 };

typedef struct filter_class { /* H5Z_class2_t */
  int version, id;
  unsigned encoder, decoder;
  const char *name;
  htri_t (*can_apply)(hid_t plist, hid_t type, hid_t space);
  herr_t (*set_local)(hid_t plist, hid_t type, hid_t space);
  size_t (*filter)(unsigned flags, size_t n, const unsigned values[], size_t bytes, size_t *capacity,
                   void **buffer);
} filter_class;

#define EXPORT __attribute__((visibility("default")))
EXPORT int H5PLget_plugin_type(void);
EXPORT const void *H5PLget_plugin_info(void);

/* ---- The libhdf5 that calls ------------------------------------------------------------------ */

typedef struct hdf5 {
  void *handle;
  htri_t (*type_equal)(hid_t, hid_t);
  int (*get_chunk)(hid_t, int, uint64_t *);
  herr_t (*get_filter)(hid_t, int, unsigned *, size_t *, unsigned *, size_t, char *, unsigned *);
  herr_t (*modify_filter)(hid_t, int, unsigned, size_t, const unsigned *);
  herr_t (*fill_defined)(hid_t, int *);
  herr_t (*get_fill)(hid_t, hid_t, void *);
  herr_t (*push)(hid_t, const char *, const char *, unsigned, hid_t, hid_t, hid_t, const char *, ...);
  const hid_t *f32, *f64, *native_double, *error_class, *error_major, *error_minor;
} hdf5;

/* Finds the functions in the library that holds the address `caller`. */
static int open_hdf5(const void *caller, hdf5 *h) {
  const struct {
    void *to;
    const char *name;
  } wanted[] = {{&h->type_equal, "H5Tequal"},
                {&h->get_chunk, "H5Pget_chunk"},
                {&h->get_filter, "H5Pget_filter_by_id2"},
                {&h->modify_filter, "H5Pmodify_filter"},
                {&h->fill_defined, "H5Pfill_value_defined"},
                {&h->get_fill, "H5Pget_fill_value"},
                {&h->push, "H5Epush2"},
                {&h->f32, "H5T_IEEE_F32LE_g"},
                {&h->f64, "H5T_IEEE_F64LE_g"},
                {&h->native_double, "H5T_NATIVE_DOUBLE_g"},
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

/* ---- A data set is made ---------------------------------------------------------------------- */

static int find_type(const hdf5 *h, hid_t id, ghz_type *type) {
  *type = h->type_equal(id, *h->f64) > 0 ? GHZ_F64 : GHZ_F32;
  return *type == GHZ_F64 || h->type_equal(id, *h->f32) > 0;
}

/* A data set of another type must not be left uncompressed in silence: this is an error even where
 * the filter is optional. */
static htri_t can_apply(hid_t plist, hid_t type_id, hid_t space) {
  hdf5 h;
  ghz_type type;
  (void)plist, (void)space;
  if (!open_hdf5(__builtin_return_address(0), &h))
    return -1;
  htri_t can = 1;
  if (!find_type(&h, type_id, &type))
    can =
        refuse(&h, "can_apply",
               "the type is neither H5T_IEEE_F32LE nor H5T_IEEE_F64LE, little-endian floats of 32 or 64 bits: "
               "choose data sets of these (h5repack -f NAME:UD=..., nccopy -F NAME,...), or convert this one");
  dlclose(h.handle);
  return can;
}

/* Sets the fill value: what the user gives, as a value of the type; else what the data set says, if
 * it says so. 0 is no fill value here: HDF5's default, and a number that data has. */
static int find_fill(const hdf5 *h, hid_t plist, ghz_h5_parameters *p) {
  int defined;
  if (p->fill == GHZ_H5_FILL_FOUND)
    p->fill = 0; /* of a data set that these numbers were copied from */
  if (!p->fill) {
    if (h->fill_defined(plist, &defined) < 0)
      return refuse(h, "set_local", "the fill value cannot be read");
    if (defined != FILL_BY_USER)
      return 0;
    if (h->get_fill(plist, *h->native_double, &p->fill_value) < 0)
      return refuse(h, "set_local", "the fill value cannot be read");
    if (!isfinite(p->fill_value) || p->fill_value == 0)
      return 0;
    p->fill = GHZ_H5_FILL_FOUND;
  }
  if (p->type == GHZ_F32)
    p->fill_value = (double)(float)p->fill_value;
  return isfinite(p->fill_value) ? 0 : refuse(h, "set_local", "the fill value is no float of 32 bits");
}

static herr_t complete(const hdf5 *h, hid_t plist, hid_t type_id) {
  unsigned flags, words[GHZ_H5_WORDS_MAX];
  size_t n = GHZ_H5_WORDS_MAX, bytes;
  ghz_h5_parameters p;
  ghz_shape shape;
  if (h->get_filter(plist, GHZ_H5_FILTER, &flags, &n, words, 0, NULL, NULL) < 0)
    return refuse(h, "set_local", "the filter's numbers cannot be read");
  const char *wrong = n > GHZ_H5_WORDS_MAX ? "too many numbers: " GHZ_H5_HINT : ghz_h5_read(n, words, &p);
  if (wrong)
    return refuse(h, "set_local", "%s", wrong);
  if (!find_type(h, type_id, &p.type))
    return refuse(h, "set_local", "the type is neither H5T_IEEE_F32LE nor H5T_IEEE_F64LE");
  const int rank = h->get_chunk(plist, GHZ_H5_RANK_MAX, p.chunk);
  if (rank < 1 || rank > GHZ_H5_RANK_MAX)
    return refuse(h, "set_local", "the data set has no chunks");
  p.rank = (unsigned)rank;
  wrong = ghz_h5_shape(&p, &shape, &bytes);
  if (wrong)
    return refuse(h, "set_local", "%s", wrong);
  if (find_fill(h, plist, &p) < 0)
    return -1;
  n = ghz_h5_write(&p, words);
  if (h->modify_filter(plist, GHZ_H5_FILTER, flags, n, words) < 0)
    return refuse(h, "set_local", "the filter's numbers cannot be written");
  return 0;
}

static herr_t set_local(hid_t plist, hid_t type, hid_t space) {
  hdf5 h;
  (void)space;
  if (!open_hdf5(__builtin_return_address(0), &h))
    return -1;
  const herr_t result = complete(&h, plist, type);
  dlclose(h.handle);
  return result;
}

/* ---- A chunk is written or read -------------------------------------------------------------- */

typedef struct chunk {
  ghz_h5_parameters parameters;
  ghz_shape shape;
  size_t bytes, stream_bound; /* of the values; at most, of a new stream */
  ghz_context *ctx;           /* NULL: the library's, of one thread */
  char wrong[400];            /* "": nothing */
} chunk;

/* Says what is wrong. Always returns NULL. */
__attribute__((format(printf, 2, 3))) static void *fail(chunk *c, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(c->wrong, sizeof c->wrong, format, arguments);
  va_end(arguments);
  return NULL;
}

static int succeeds(chunk *c, ghz_status status) {
  if (status != GHZ_OK)
    fail(c, "%s: %s", ghz_status_text(status), ghz_context_message(c->ctx));
  return status == GHZ_OK;
}

/* The environment variable GHZ_THREADS asks for more threads than one. */
static int begin(chunk *c, size_t n, const unsigned *values) {
  const char *wrong = ghz_h5_read(n, values, &c->parameters);
  c->ctx = NULL;
  c->wrong[0] = '\0';
  if (!wrong)
    wrong = ghz_h5_shape(&c->parameters, &c->shape, &c->bytes);
  if (wrong)
    return fail(c, "%s", wrong) != NULL;
  c->stream_bound = ghz_shape_bound(&c->shape, c->parameters.type, 1);
  const char *text = getenv("GHZ_THREADS");
  const long threads = text ? strtol(text, NULL, 10) : 1;
  return threads < 2 || threads > 1024 || succeeds(c, ghz_context_create(&c->ctx, (int)threads));
}

static void *compress(chunk *c, const void *values, size_t bytes, size_t *size) {
  const size_t count = c->bytes / ghz_type_size(c->parameters.type);
  ghz_lattice lattice;
  if (bytes != c->bytes)
    return fail(c, "a chunk of %zu bytes, where its extents say %zu", bytes, c->bytes);
  if (!succeeds(c, ghz_h5_lattice(&c->parameters, values, count, &lattice)))
    return NULL;
  void *stream = c->stream_bound ? malloc(c->stream_bound) : NULL;
  if (!stream)
    return fail(c, "no memory for %zu bytes", c->stream_bound);
  if (succeeds(c, ghz_compress_shape(c->ctx, &lattice, GHZ_ORDER_BEST, values, &c->shape, stream,
                                     c->stream_bound, size)))
    return stream;
  free(stream);
  return NULL;
}

static void *decompress(chunk *c, ghz_bytes stream, size_t *size) {
  const ghz_type type = c->parameters.type;
  ghz_info info;
  if (!succeeds(c, ghz_info_read(stream, &info)))
    return NULL;
  if (info.lattice.type != type || !ghz_h5_same_shape(&info.shape, &c->shape))
    return fail(c, "a stream of another type or shape than the chunk's");
  *size = c->bytes;
  void *values = malloc(c->bytes);
  if (!values)
    return fail(c, "no memory for %zu bytes", c->bytes);
  if (succeeds(c, ghz_decompress(c->ctx, stream, type, values, (size_t)info.count)))
    return values;
  free(values);
  return NULL;
}

static size_t end(const chunk *c, const void *caller, size_t size) {
  hdf5 h;
  if (size == 0 && c->wrong[0] && open_hdf5(caller, &h)) {
    refuse(&h, "filter", "%s", c->wrong);
    dlclose(h.handle);
  }
  ghz_context_free(c->ctx);
  return size;
}

/* Returns the size of what is then in *buffer, or 0. An optional filter does not make a chunk
 * larger: 0 has HDF5 store the values as they are. */
static size_t filter(unsigned flags, size_t n, const unsigned values[], size_t bytes, size_t *capacity,
                     void **buffer) {
  chunk c;
  size_t size = 0;
  void *made = NULL;
  if (begin(&c, n, values) && flags & FLAG_REVERSE)
    made = decompress(&c, (ghz_bytes){*buffer, bytes}, &size);
  else if (!c.wrong[0])
    made = compress(&c, *buffer, bytes, &size);
  if (made && !(flags & FLAG_REVERSE) && flags & FLAG_OPTIONAL && size >= bytes) {
    free(made);
    made = NULL;
  }
  if (made) {
    free(*buffer);
    *buffer = made;
    *capacity = size;
  }
  return end(&c, __builtin_return_address(0), made ? size : 0);
}

EXPORT int H5PLget_plugin_type(void) {
  return PLUGIN_FILTER;
}

EXPORT const void *H5PLget_plugin_info(void) {
  static const filter_class ghz = {CLASS_VERSION, GHZ_H5_FILTER, 1, 1, "ghz", can_apply, set_local, filter};
  return &ghz;
}
