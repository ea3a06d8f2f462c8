/* ghz_hdf5.c: owns the HDF5 filter: chunks of floats as streams of libghz.
 *
 * It is loaded by whatever libhdf5 the process has: a distribution's, or the renamed one inside a
 * Python wheel; perhaps by two of them at once. So it is not linked to any, keeps nothing between
 * calls but the chunks that were read last (recent.h) and what it has warned of, and finds the
 * functions it needs in the library that calls it, by the return address. Of HDF5's binary
 * interface it uses what has not changed since 1.10: 64-bit identifiers, and H5Z_class2_t. Chunks
 * are allocated by malloc(), as HDF5 does. */
/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* dladdr, in caller.h */
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "caller.h"
#include "parameters.h"
#include "recent.h"
#include "rules/value_at.h"

/* ---- What HDF5 declares ---------------------------------------------------------------------- */

enum { CLASS_VERSION = 1, PLUGIN_FILTER = 0, FLAG_OPTIONAL = 0x1, FLAG_REVERSE = 0x100, FILL_BY_USER = 2 };
enum { CLASS_INTEGER = 0, CLASS_FLOAT = 1, LITTLE_ENDIAN_ORDER = 0, SIGNED = 1 };

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

/* ---- A data set is made ---------------------------------------------------------------------- */

/* Integers that fill their bytes. One byte has no order. */
static int find_integers(const hdf5 *h, hid_t id, ghz_type *type) {
  static const ghz_type types[2][5] = {{0, GHZ_U8, GHZ_U16, 0, GHZ_U32}, {0, GHZ_I8, GHZ_I16, 0, GHZ_I32}};
  const size_t size = h->type_size(id);
  if ((size != 1 && size != 2 && size != 4) || h->type_precision(id) != 8 * size || h->type_offset(id) != 0 ||
      (size > 1 && h->type_order(id) != LITTLE_ENDIAN_ORDER))
    return 0;
  *type = types[h->type_sign(id) == SIGNED][size];
  return 1;
}

/* Whether it is IEEE's. H5T_IEEE_F32LE, a variable, may not be looked up: if the program names it,
 * too, the linker has moved it there. */
static int find_type(const hdf5 *h, hid_t id, ghz_type *type) {
  size_t at[5] = {0}; /* sign; exponent and its size; mantissa and its size */
  if (h->type_class(id) == CLASS_INTEGER)
    return find_integers(h, id, type);
  if (h->type_class(id) != CLASS_FLOAT || h->type_order(id) != LITTLE_ENDIAN_ORDER ||
      h->type_fields(id, &at[0], &at[1], &at[2], &at[3], &at[4]) < 0)
    return 0;
  const size_t size = h->type_size(id), bias = h->type_bias(id);
  *type = size == 8 ? GHZ_F64 : GHZ_F32;
  return size == 8   ? bias == 1023 && memcmp(at, (size_t[]){63, 52, 11, 0, 52}, sizeof at) == 0
         : size == 4 ? bias == 127 && memcmp(at, (size_t[]){31, 23, 8, 0, 23}, sizeof at) == 0
                     : 0;
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
               "the type is neither H5T_IEEE_F32LE nor H5T_IEEE_F64LE, little-endian floats of 32 or 64 bits, "
               "nor one of integers of 8, 16 or 32 bits: "
               "choose data sets of these (h5repack -f NAME:UD=..., nccopy -F NAME,...), or convert this one");
  dlclose(h.handle);
  return can;
}

/* Sets the fill value: what the user gives, as a value of the type; else what the data set says, if
 * it says so. 0 is no fill value here: HDF5's default, and a number that data has. */
static int find_fill(const hdf5 *h, hid_t plist, hid_t type_id, ghz_h5_parameters *p) {
  int defined;
  unsigned char own[8] = {0};
  if (p->fill == GHZ_H5_FILL_FOUND)
    p->fill = 0; /* of a data set that these numbers were copied from */
  if (!p->fill) {
    if (h->fill_defined(plist, &defined) < 0)
      return refuse(h, "set_local", "the fill value cannot be read");
    if (defined != FILL_BY_USER)
      return 0;
    if (h->get_fill(plist, type_id, own) < 0)
      return refuse(h, "set_local", "the fill value cannot be read");
    p->fill_value = value_at(p->type, own, 0);
    if (!isfinite(p->fill_value) || p->fill_value == 0)
      return 0;
    p->fill = GHZ_H5_FILL_FOUND;
  }
  if (p->type == GHZ_F32)
    p->fill_value = (double)(float)p->fill_value;
  return isfinite(p->fill_value) ? 0 : refuse(h, "set_local", "the fill value is no float of 32 bits");
}

/* What another filter makes of the values, shuffle say, are other floats: an error within the bound
 * in them is one of any size in the values. */
static int check_first(const hdf5 *h, hid_t plist) {
  unsigned flags;
  size_t n = 0;
  char name[64] = "";
  const int id = h->filter_at(plist, 0, &flags, &n, NULL, sizeof name, name, NULL);
  if (id < 0)
    return refuse(h, "set_local", "the filters cannot be read");
  name[sizeof name - 1] = '\0';
  if (id != GHZ_H5_FILTER)
    return refuse(h, "set_local", "filter %d (%s) comes before this one, which needs the values: leave it out",
                  id, name);
  return 0;
}

static herr_t complete(const hdf5 *h, hid_t plist, hid_t type_id) {
  unsigned flags, words[GHZ_H5_WORDS_MAX];
  size_t n = GHZ_H5_WORDS_MAX, bytes;
  ghz_h5_parameters p;
  ghz_shape shape;
  if (h->get_filter(plist, GHZ_H5_FILTER, &flags, &n, words, 0, NULL, NULL) < 0)
    return refuse(h, "set_local", "the filter's numbers cannot be read");
  if (check_first(h, plist) < 0)
    return -1;
  const char *wrong = n > GHZ_H5_WORDS_MAX ? "too many numbers: " GHZ_H5_HINT : ghz_h5_read(n, words, &p);
  if (wrong)
    return refuse(h, "set_local", "%s", wrong);
  if (!find_type(h, type_id, &p.type))
    return refuse(h, "set_local", "the type is neither H5T_IEEE_F32LE nor H5T_IEEE_F64LE");
  if (ghz_h5_integers(p.type) && (p.bound.kind != GHZ_STEP || p.bound.value != 1))
    return refuse(
        h, "set_local",
        "integers are compressed without loss alone: `ghz h5args --lossless`, ghz.Hdf5(lossless=True)");
  const int rank = h->get_chunk(plist, GHZ_H5_RANK_MAX, p.chunk);
  if (rank < 1 || rank > GHZ_H5_RANK_MAX)
    return refuse(h, "set_local", "the data set has no chunks");
  p.rank = (unsigned)rank;
  wrong = ghz_h5_shape(&p, &shape, &bytes);
  if (wrong)
    return refuse(h, "set_local", "%s", wrong);
  if (find_fill(h, plist, type_id, &p) < 0)
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

static recent_chunk recent_of(const chunk *c, size_t n, const unsigned *numbers, const void *values) {
  const ghz_h5_parameters *p = &c->parameters;
  return (recent_chunk){.numbers = numbers,
                        .count_of_numbers = n,
                        .type = p->type,
                        .count = c->bytes / ghz_type_size(p->type),
                        .values = values,
                        .has_fill = p->fill != 0,
                        .fill = p->fill_value};
}

/* A chunk that was read and changed in part is compressed as that, so that its values do not
 * drift. */
static ghz_status compress_again(const chunk *c, const recent_chunk *values, const ghz_lattice *lattice,
                                 void *stream, size_t *size) {
  recent_stream *old = ghz_recent_take(values);
  ghz_status status = GHZ_EINVAL;
  if (old)
    status = ghz_update(c->ctx, ghz_recent_bytes(old), lattice, values->values, stream, c->stream_bound, size);
  ghz_recent_return(old);
  return status;
}

/* Says on stderr what the bound takes from a chunk, and fill values that nobody named: once for the
 * numbers of a data set. */
static void warn(const chunk *c, const recent_chunk *values, const ghz_lattice *lattice) {
  static _Atomic uint64_t told;
  char text[400];
  ghz_loss loss;
  uint64_t set = 0;
  for (size_t i = 0; i < values->count_of_numbers; i++)
    set = (set ^ values->numbers[i]) * UINT64_C(0x9e3779b97f4a7c15);
  const uint64_t bit = UINT64_C(1) << (set >> 58);
  if (!(told & bit) && ghz_lattice_loss(c->ctx, lattice, values->values, values->count, 0, &loss) == GHZ_OK &&
      ghz_loss_text(&loss, "ghz h5args --fill ", text, sizeof text) && !(atomic_fetch_or(&told, bit) & bit))
    fprintf(stderr, "ghz, filter of HDF5: in a chunk %s\n", text);
}

static void *compress(chunk *c, const recent_chunk *chunk_values, size_t bytes, size_t *size) {
  const void *values = chunk_values->values;
  const size_t count = c->bytes / ghz_type_size(c->parameters.type);
  ghz_lattice lattice;
  if (bytes != c->bytes)
    return fail(c, "a chunk of %zu bytes, where its extents say %zu", bytes, c->bytes);
  if (!succeeds(c, ghz_h5_lattice(&c->parameters, values, count, &lattice)))
    return NULL;
  warn(c, chunk_values, &lattice);
  void *stream = c->stream_bound ? malloc(c->stream_bound) : NULL;
  if (!stream)
    return fail(c, "no memory for %zu bytes", c->stream_bound);
  if (compress_again(c, chunk_values, &lattice, stream, size) == GHZ_OK ||
      succeeds(c, ghz_compress_shape(c->ctx, &lattice, GHZ_ORDER_BEST, values, &c->shape, stream,
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
  if (info.lattice.type != type || !ghz_shape_equal(&info.shape, &c->shape))
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
  else if (!c.wrong[0]) {
    const recent_chunk of = recent_of(&c, n, values, *buffer);
    made = compress(&c, &of, bytes, &size);
  }
  if (made && !(flags & FLAG_REVERSE) && flags & FLAG_OPTIONAL && size >= bytes) {
    free(made);
    made = NULL;
  }
  if (made && flags & FLAG_REVERSE) {
    const recent_chunk of = recent_of(&c, n, values, made);
    ghz_recent_keep(&of, *buffer, bytes);
  } else if (made) {
    free(*buffer);
  }
  if (made) {
    *buffer = made;
    *capacity = size;
  }
  return end(&c, __builtin_return_address(0), made ? size : 0);
}

EXPORT int H5PLget_plugin_type(void) {
  return PLUGIN_FILTER;
}

EXPORT const void *H5PLget_plugin_info(void) {
  static const filter_class ghz = {CLASS_VERSION, GHZ_H5_FILTER, 1,         1,
                                   GHZ_H5_NAME,   can_apply,     set_local, filter};
  return &ghz;
}
