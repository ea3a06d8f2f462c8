/* npy.c: owns the order of the bytes of values, turning it and seeing that it is wrong, and the
 * header of .npy files. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input.h"
#include "npy.h"
#include "report/report.h"
#include "report/text.h"

enum { SAMPLE = 4096, SAMPLE_LEAST = 16 };

/* Magnitudes of 1e-21 to 1e21, which physical quantities and most fill values have. Of random bits
 * half the float32 are such, and a fifteenth of the float64. */
enum { EXPONENT_MOST = 70 };

static inline void turn(unsigned char *at, size_t count, size_t size) {
  for (size_t i = 0; i < count; i++, at += size)
    for (size_t low = 0, high = size - 1; low < high; low++, high--) {
      const unsigned char byte = at[low];
      at[low] = at[high];
      at[high] = byte;
    }
}

void byte_order_turn(ghz_type type, void *values, size_t count) {
  const size_t size = ghz_type_size(type);
  if (size == 8) /* sizes that the compiler knows */
    turn(values, count, 8);
  else if (size == 4)
    turn(values, count, 4);
  else
    turn(values, count, size);
}

/* The value at `bytes`, turned or not. */
static double value_of(ghz_type type, const unsigned char *bytes, bool turned) {
  union {
    float single;
    double wide;
  } copy;
  memcpy(&copy, bytes, ghz_type_size(type));
  if (turned)
    byte_order_turn(type, &copy, 1);
  return type == GHZ_F64 ? copy.wide : (double)copy.single;
}

static bool is_usual(double x) {
  return isfinite(x) && x != 0 && abs(ilogb(x)) <= EXPONENT_MOST;
}

bool byte_order_suspect(ghz_type type, const void *values, size_t count) {
  const size_t size = ghz_type_size(type), step = count / SAMPLE | 1; /* odd: not in step with rows */
  size_t seen = 0, usual = 0, usual_turned = 0;
  if (type != GHZ_F32 && type != GHZ_F64) /* integers have no exponents */
    return false;
  for (size_t i = 0; i < count; i += step) {
    const unsigned char *at = (const unsigned char *)values + i * size;
    const double x = value_of(type, at, false), turned = value_of(type, at, true);
    if (turned == 0 || !(fabs(turned) < 1e30)) /* nothing, NaN, or a large fill value */
      continue;
    seen++;
    usual += is_usual(x);
    usual_turned += is_usual(turned);
  }
  return seen >= SAMPLE_LEAST && usual <= seen / 4 * 3 && usual_turned >= seen - seen / 20;
}

/* ---- .npy ------------------------------------------------------------------------------------ */

#define TEXT_MAX 65536 /* longest header that is read */

/* As NumPy has it, behind the order of bytes: "f4". */
static number_text npy_type(ghz_type type) {
  number_text t;
  snprintf(t.text, sizeof t.text, "%c%zu", *type_name(type), ghz_type_size(type));
  return t;
}

/* What follows "'key':" in the header's dictionary, or NULL. */
static const char *find_key(const char *text, const char *key) {
  char quoted[32];
  for (const char *quote = "'\""; *quote; quote++) {
    snprintf(quoted, sizeof quoted, "%c%s%c", *quote, key, *quote);
    const char *at = strstr(text, quoted);
    if (!at)
      continue;
    at += strlen(quoted);
    at += strspn(at, " ");
    if (*at != ':')
      return NULL;
    return at + 1 + strspn(at + 1, " ");
  }
  return NULL;
}

static bool parse_descr(const char *name, const char *at, ghz_type *type, bool *big_endian) {
  char descr[16] = "";
  if (at && (*at == '\'' || *at == '"')) {
    size_t n = strcspn(at + 1, "'\"");
    if (n < sizeof descr)
      memcpy(descr, at + 1, n);
  }
  const bool order = descr[0] == '<' || descr[0] == '>' || (descr[0] == '|' && descr[2] == '1');
  *big_endian = descr[0] == '>';
  for (*type = GHZ_F32; order && *type <= GHZ_U32; ++*type)
    if (strcmp(descr + 1, npy_type(*type).text) == 0)
      return true;
  return fail(name,
              "unknown type %s; only float32 ('<f4'), float64 ('<f8') and integers ('<i2') can be compressed",
              descr[0] ? descr : "of its elements");
}

static bool parse_shape(const char *at, shape *s) {
  if (!at || *at++ != '(')
    return false;
  for (s->ndim = 0;; s->ndim++) {
    at += strspn(at, " ");
    if (*at == ')')
      return true;
    if (s->ndim == GHZ_FILE_NDIM || !isdigit((unsigned char)*at))
      return false;
    char *end;
    errno = 0;
    s->dims[s->ndim] = strtoull(at, &end, 10);
    if (errno)
      return false;
    at = end + strspn(end, " L");
    if (*at == ',')
      at++;
    else if (*at != ')')
      return false;
  }
}

static bool parse_text(const char *name, const char *text, ghz_type *type, bool *big_endian, shape *s) {
  *s = (shape){.npy = true};
  if (!parse_descr(name, find_key(text, "descr"), type, big_endian))
    return false;
  const char *order = find_key(text, "fortran_order");
  if (!order || (strncmp(order, "True", 4) != 0 && strncmp(order, "False", 5) != 0))
    return fail(name, "damaged .npy header: no fortran_order");
  s->fortran = order[0] == 'T';
  if (!parse_shape(find_key(text, "shape"), s))
    return fail(name, "damaged .npy header, or more than %d dimensions", GHZ_FILE_NDIM);
  return ghz_array_count(s) != GHZ_FILE_UNKNOWN || fail(name, "damaged .npy header: the shape is too large");
}

bool npy_read_header(file *f, ghz_type *type, bool *big_endian, shape *s) {
  unsigned char prefix[12] = {0};
  size_t got;
  if (!file_read(f, prefix, 10, &got))
    return false;
  if (got < 10 || memcmp(prefix, NPY_MAGIC, 6) != 0)
    return fail(f->name, "not a NumPy .npy file");
  size_t length = prefix[8] + 256u * prefix[9];
  if (prefix[6] < 1 || prefix[6] > 3)
    return fail(f->name, "unknown version %u of the .npy format", prefix[6]);
  if (prefix[6] > 1) {
    if (!file_read(f, prefix + 10, 2, &got))
      return false;
    length += ((size_t)prefix[10] << 16) + ((size_t)prefix[11] << 24);
  }
  if (length > TEXT_MAX)
    return fail(f->name, "damaged .npy header: %zu bytes long", length);
  char *text = malloc(length + 1);
  if (!text)
    return fail(f->name, "out of memory");
  bool ok = file_read(f, text, length, &got);
  if (ok && got < length)
    ok = fail(f->name, "truncated: ends in the .npy header");
  text[ok ? got : 0] = '\0';
  ok = ok && parse_text(f->name, text, type, big_endian, s);
  free(text);
  return ok;
}

size_t npy_header(ghz_type type, bool big_endian, const shape *s, char header[NPY_HEADER_MAX]) {
  char dims[NPY_HEADER_MAX - 128] = "";
  size_t used = 0;
  for (unsigned i = 0; i < s->ndim; i++)
    used += (size_t)snprintf(dims + used, sizeof dims - used, "%s%llu%s", i ? " " : "",
                             (unsigned long long)s->dims[i], i + 1 < s->ndim || s->ndim == 1 ? "," : "");
  int length =
      snprintf(header + 10, NPY_HEADER_MAX - 10, "{'descr': '%c%s', 'fortran_order': %s, 'shape': (%s), }",
               ghz_type_size(type) == 1 ? '|'
               : big_endian             ? '>'
                                        : '<',
               npy_type(type).text, s->fortran ? "True" : "False", dims);
  size_t end = 10 + (size_t)length, size = (end + 1 + 63) / 64 * 64;
  if (size < 128)
    size = 128;
  memset(header + end, ' ', size - 1 - end);
  header[size - 1] = '\n';
  memcpy(header, NPY_MAGIC "\x01\x00", 8);
  header[8] = (char)((size - 10) & 255);
  header[9] = (char)((size - 10) >> 8);
  return size;
}
