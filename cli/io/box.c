/* box.c: owns the box of --box: parsing it, and placing it in an array. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "box.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

#include "report/report.h"

/* ---- Parsing ---- */

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

const char *box_parse(const char *text, box *b) {
  *b = (box){.ndim = 0};
  for (;; text++) {
    const unsigned i = b->ndim;
    if (i == GHZ_FILE_NDIM)
      return "too many dimensions";
    if (!parse_end(&text, 0, &b->from[i]))
      return "a number is too large";
    if (*text++ != ':')
      return "each range needs a colon: 5:6 takes value 5, and : takes all of a dimension";
    if (!parse_end(&text, GHZ_FILE_UNKNOWN, &b->to[i]))
      return "a number is too large";
    if (b->from[i] >= b->to[i])
      return "the first number of a range must be smaller than the second";
    b->ndim++;
    if (*text == '\0')
      return NULL;
    if (*text != ',')
      return "ranges must be separated by commas";
  }
}

bool box_place(const char *name, const shape *s, box *b) {
  char own[512];
  shape_text(s, own, sizeof own);
  if (s->ndim == 0)
    return fail(name, "has no shape; use --range, or compress it with --dims");
  if (b->ndim != s->ndim)
    return fail(name, "--box has %u range%s, but the shape %s has %u dimensions; : takes all of one", b->ndim,
                b->ndim == 1 ? "" : "s", own, s->ndim);
  for (unsigned i = 0; i < s->ndim; i++) {
    b->to[i] = b->to[i] == GHZ_FILE_UNKNOWN ? s->dims[i] : b->to[i];
    if (b->to[i] > s->dims[i] || b->from[i] >= b->to[i])
      return fail(name, "--box: %llu:%llu is not inside 0:%llu, the range of dimension %u (from 0) of shape %s",
                  (unsigned long long)b->from[i], (unsigned long long)b->to[i], (unsigned long long)s->dims[i],
                  i, own);
  }
  return true;
}

shape box_shape(const box *b, const shape *array) {
  shape s = *array;
  for (unsigned i = 0; i < b->ndim; i++)
    s.dims[i] = b->to[i] - b->from[i];
  return s;
}
