/* box.c: owns the box of --box: parsing it, and placing it in an array. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "box.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "report/report.h"

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
  char own[512], range[64];
  shape_text(s, own, sizeof own);
  if (b->index[i])
    snprintf(range, sizeof range, "%llu", (n)b->from[i]);
  else
    snprintf(range, sizeof range, "%llu:%llu", (n)b->from[i], (n)b->to[i]);
  return fail(name, "--box: %s is not inside 0:%llu, the range of dimension %u (from 0) of shape %s", range,
              (n)s->dims[i], i, own);
}

bool box_place(const char *name, const shape *s, box *b) {
  char own[512];
  shape_text(s, own, sizeof own);
  if (s->ndim == 0)
    return fail(name, "has no shape; use --range, or compress it with --dims");
  if (b->ndim > s->ndim)
    return fail(name, "--box has %u dimensions, the shape %s has %u", b->ndim, own, s->ndim);
  for (; b->ndim < s->ndim; b->ndim++) {
    b->from[b->ndim] = 0;
    b->to[b->ndim] = GHZ_FILE_UNKNOWN;
    b->index[b->ndim] = false;
  }
  for (unsigned i = 0; i < s->ndim; i++) {
    b->to[i] = b->to[i] == GHZ_FILE_UNKNOWN ? s->dims[i] : b->to[i];
    if (b->to[i] > s->dims[i] || b->from[i] >= b->to[i])
      return fail_outside(name, b, s, i);
  }
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
