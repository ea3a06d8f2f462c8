/* shape.c: owns the dimensions of an array, places in it, and boxes of it: parsing and printing
 * them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "file/header.h"
#include "report/report.h"
#include "report/text.h"
#include "shape.h"

place_text shape_text(const shape *s) {
  place_text t = {"none"};
  size_t used = 0;
  for (unsigned i = 0; i < s->ndim; i++)
    used += (size_t)snprintf(t.text + used, sizeof t.text - used, "%s%llu", i ? "x" : "",
                             (unsigned long long)s->dims[i]);
  if (s->ndim > 1 && s->fortran)
    snprintf(t.text + used, sizeof t.text - used, " (Fortran order)");
  return t;
}

static const char form[] =
    "must be NYxNX or NZxNYxNX: numbers separated by x or commas, slowest dimension first, as in NumPy";

const char *shape_parse(const char *text, shape *s) {
  *s = (shape){.ndim = 0};
  for (const char *at = text;; at++) {
    char *end;
    if (s->ndim == GHZ_FILE_NDIM)
      return "too many dimensions";
    if (!isdigit((unsigned char)*at))
      return form;
    errno = 0;
    s->dims[s->ndim++] = strtoull(at, &end, 10);
    if (errno)
      return "too many values";
    if (s->dims[s->ndim - 1] == 0)
      return "a dimension is 0";
    at = end;
    if (*at == '\0')
      break;
    if (*at != 'x' && *at != 'X' && *at != ',')
      return form;
  }
  return ghz_array_count(s) == GHZ_FILE_UNKNOWN ? "too many values" : NULL;
}

void shape_index(const shape *s, uint64_t at, uint64_t index[GHZ_FILE_NDIM]) {
  for (unsigned i = 0; i < s->ndim; i++) {
    const unsigned axis = s->fortran ? i : s->ndim - 1 - i;
    index[axis] = s->dims[axis] ? at % s->dims[axis] : 0;
    at = s->dims[axis] ? at / s->dims[axis] : 0;
  }
}

uint64_t shape_at(const shape *s, const uint64_t index[GHZ_FILE_NDIM]) {
  uint64_t at = 0;
  for (unsigned i = 0; i < s->ndim; i++) {
    const unsigned axis = s->fortran ? s->ndim - 1 - i : i;
    at = at * s->dims[axis] + index[axis];
  }
  return at;
}

place_text shape_place(const shape *s, uint64_t at) {
  place_text t;
  uint64_t index[GHZ_FILE_NDIM];
  size_t used = (size_t)snprintf(t.text, sizeof t.text, "%llu", (unsigned long long)at);
  if (s->ndim < 2)
    return t;
  shape_index(s, at, index);
  for (unsigned i = 0; i < s->ndim && used < sizeof t.text; i++)
    used += (size_t)snprintf(t.text + used, sizeof t.text - used, "%s%llu%s", i ? ", " : " (",
                             (unsigned long long)index[i], i + 1 == s->ndim ? ")" : "");
  return t;
}

/* ---- Tiles ----------------------------------------------------------------------------------- */

const char *tiles_text(const ghz_shape *s) {
  static const char *const names[] = {"flat", "bricks of 1x32x32", "bricks of 8x8x16"};
  return names[s->dims - 1];
}

const char *tiles_reason(const ghz_shape *chosen, const shape *s, bool flat) {
  const ghz_shape whole = ghz_array_shape(s, 0);
  if (chosen->dims == 3)
    return "";
  if (chosen->dims == whole.dims && whole.dims == 2)
    return "";
  if (whole.dims == 3 && chosen->dims == 2)
    return "8 planes have more than 2^26 values";
  if (flat)
    return "--flat";
  if (s->ndim < 2)
    return s->ndim == 0 ? "no shape is known; --dims gives it" : "one dimension";
  return whole.dims == 1 ? "its dimensions are too small for bricks" : "a plane has more than 2^26 values";
}

void shape_print_json(const shape *s) {
  printf(", \"shape\": ");
  if (s->ndim || s->npy)
    json_numbers(s->dims, s->ndim);
  else
    printf("null");
  printf(", \"fortran_order\": %s, \"npy\": %s", s->fortran ? "true" : "false", s->npy ? "true" : "false");
}

/* ---- A box ----------------------------------------------------------------------------------- */

/* ---- Parsing ---- */

static const char too_large[] = "a number is too large";

/* A number, or the default where there is none. */
static bool parse_end(const char **text, uint64_t none, uint64_t *value) {
  char *end;
  *value = none;
  if (!isdigit((unsigned char)**text))
    return true;
  errno = 0;
  *value = strtoull(*text, &end, 10);
  *text = end;
  return errno == 0;
}

/* "5", "2:7" or ":" of dimension number i. Returns NULL, or what is wrong. */
static const char *parse_range(const char **text, box *b, unsigned i) {
  const char *begin = *text;
  if (!parse_end(text, 0, &b->from[i]))
    return too_large;
  b->index[i] = **text != ':';
  if (b->index[i]) {
    b->to[i] = b->from[i] + 1; /* 2^64 - 1 is no index: placing it says so */
    return *text == begin ? "each dimension needs an index, as 5, or a range, as 2:7 or : for all of it" : NULL;
  }
  ++*text;
  if (!parse_end(text, GHZ_FILE_UNKNOWN, &b->to[i]))
    return too_large;
  return b->from[i] < b->to[i] ? NULL : "the first number of a range must be smaller than the second";
}

const char *box_parse(const char *text, box *b) {
  *b = (box){.ndim = 0};
  for (;; text++) {
    if (b->ndim == GHZ_FILE_NDIM)
      return "too many dimensions";
    const char *wrong = parse_range(&text, b, b->ndim);
    if (wrong)
      return wrong;
    b->ndim++;
    if (*text == '\0')
      return NULL;
    if (*text != ',')
      return "ranges must be separated by commas";
  }
}

static bool fail_outside(const char *name, const box *b, const shape *s, unsigned i) {
  typedef unsigned long long n;
  char range[64];
  if (b->index[i])
    snprintf(range, sizeof range, "%llu", (n)b->from[i]);
  else
    snprintf(range, sizeof range, "%llu:%llu", (n)b->from[i], (n)b->to[i]);
  return fail(name, "--box: %s is not inside 0:%llu, the range of dimension %u (from 0) of shape %s", range,
              (n)s->dims[i], i, shape_text(s).text);
}

bool box_place(const char *name, const shape *s, box *b) {
  if (s->ndim == 0)
    return fail(name, "has no shape; use --range, or compress it with --dims");
  if (b->ndim > s->ndim)
    return fail(name, "--box has %u dimensions, the shape %s has %u", b->ndim, shape_text(s).text, s->ndim);
  for (unsigned i = 0; i < s->ndim; i++) {
    b->to[i] = i >= b->ndim || b->to[i] == GHZ_FILE_UNKNOWN ? s->dims[i] : b->to[i];
    if (b->to[i] > s->dims[i] || b->from[i] >= b->to[i])
      return fail_outside(name, b, s, i);
  }
  b->ndim = s->ndim;
  return true;
}

shape box_shape(const box *b, const shape *array) {
  shape s = {.fortran = array->fortran, .npy = array->npy};
  for (unsigned i = 0; i < b->ndim; i++)
    if (!b->index[i])
      s.dims[s.ndim++] = b->to[i] - b->from[i];
  s.npy |= s.ndim == 0; /* one value, and no row of one */
  return s;
}
