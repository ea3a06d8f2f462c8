/* arguments.c: owns the arguments of options: reading them, and saying what is wrong with them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "arguments.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "file/header.h"
#include "report/report.h"
#include "table.h"

bool parse_double(const char *text, double *value) {
  char *end;
  *value = strtod(text, &end);
  return end != text && *end == '\0';
}

static bool parse_u64(const char *text, uint64_t *value, char stop, const char **rest) {
  char *end;
  errno = 0;
  if (*text < '0' || *text > '9')
    return false;
  *value = strtoull(text, &end, 10);
  *rest = end;
  return errno == 0 && *end == stop;
}

static int set_bound(options *o, ghz_bound_kind kind, const char *name, const char *text) {
  double value;
  if (strchr(text, '=') && strcmp(o->verb, "h5args") == 0)
    return (o->named[kind] = text, o->lists_given = true, -1);
  if (o->bound_given)
    return fail_usage(o->verb, "give one bound only: --abs, --rel, --psnr, --step or --grid");
  if (!parse_double(text, &value))
    return fail_usage(o->verb, "--%s %s: not a number", name, text);
  if (!isfinite(value) || !(value > 0))
    return fail_usage(o->verb, "--%s %s: the bound must be a positive, finite number", name, text);
  o->bound_given = true;
  o->bound = (ghz_bound){kind, value};
  return -1;
}

static int set_grid(options *o, const char *text) {
  if (o->bound_given)
    return fail_usage(o->verb, "give one bound only: --abs, --rel, --psnr, --step or --grid");
  if (strcmp(text, "auto") != 0)
    return fail_usage(o->verb, "--grid %s: must be auto; a quantum that is known: --step %s", text, text);
  o->bound_given = o->grid_auto = true;
  o->bound = (ghz_bound){GHZ_STEP, 0};
  return -1;
}

static int set_type(options *o, const char *text) {
  if (!type_parse(text, &o->type.type))
    return fail_usage(o->verb, "--type %s: unknown type; must be f32, f64, or int8 to int64, uint8 to uint32",
                      text);
  o->type.given = true;
  return -1;
}

static int set_order(options *o, const char *text) {
  if (strcmp(text, "best") == 0)
    o->order = GHZ_ORDER_BEST;
  else if (strcmp(text, "lorenzo") == 0)
    o->order = GHZ_ORDER_LORENZO;
  else if (text[0] >= '0' && text[0] <= '3' && text[1] == '\0')
    o->order = text[0] - '0';
  else
    return fail_usage(o->verb, "--order %s: must be 0, 1, 2, 3, lorenzo or best", text);
  return -1;
}

static int set_range(options *o, const char *text) {
  const char *rest;
  o->range_given = true;
  if (parse_u64(text, &o->range_first, ':', &rest) && parse_u64(rest + 1, &o->range_count, '\0', &rest) &&
      o->range_count > 0)
    return -1;
  return fail_usage(o->verb, "--range %s: must be FIRST:COUNT, with a COUNT above 0", text);
}

static int set_dims(options *o, const char *text) {
  if (*text == '?')
    return fail_usage(o->verb, "--dims %s: give one order; %s tune shows the largest ratio for the true one",
                      text, GHZ_COMMAND_NAME);
  const char *wrong = shape_parse(text, &o->dims);
  return wrong ? fail_usage(o->verb, "--dims %s: %s", text, wrong) : -1;
}

static int set_box(options *o, const char *text) {
  const char *wrong = box_parse(text, &o->box);
  return wrong ? fail_usage(o->verb, "--box %s: must be A:B,C,...; %s", text, wrong) : -1;
}

static int set_frame_values(options *o, const char *text) {
  const char *rest;
  if (parse_u64(text, &o->frame_values, '\0', &rest) && o->frame_values > 0 &&
      o->frame_values % GHZ_CHUNK == 0 && o->frame_values <= FRAME_VALUES_MAX)
    return -1;
  return fail_usage(o->verb, "--frame-values %s: must be a multiple of %d, at most %llu", text, GHZ_CHUNK,
                    (unsigned long long)FRAME_VALUES_MAX);
}

static int set_sum_of(options *o, const char *text) {
  const char *rest;
  if (parse_u64(text, &o->sum_of, '\0', &rest) && o->sum_of > 0 && o->sum_of <= ghz_terms_limit(35))
    return -1;
  return fail_usage(o->verb, "--sum-of %s: the number of files must be 1 to %u", text, ghz_terms_limit(35));
}

static int set_ratio(options *o, const char *text) {
  if (parse_double(text, &o->ratio) && isfinite(o->ratio) && o->ratio > 0)
    return -1;
  return fail_usage(o->verb, "--ratio %s: must be a positive, finite number", text);
}

static int set_fill(options *o, const char *text) {
  if (!parse_double(text, &o->fill))
    return fail_usage(o->verb, "--fill %s: not a number", text);
  if (!isfinite(o->fill))
    return fail_usage(o->verb, "--fill %s: must be a finite number; NaN and infinities are always kept", text);
  o->has_fill = true;
  return -1;
}

static int set_threads(options *o, const char *text) {
  const char *rest;
  uint64_t n;
  if (!parse_u64(text, &n, '\0', &rest) || n > 4096)
    return fail_usage(o->verb, "-T %s: the number of threads must be 0 to 4096", text);
  o->threads = (int)n;
  return -1;
}

static int set_pack(options *o, const char *name, const char *text) {
  const char *rest;
  uint64_t level = GHZ_FILE_PACK;
  if (text && (!parse_u64(text, &level, '\0', &rest) || level < 1 || level > 2))
    return fail_usage(o->verb, "--%s %s: the level must be 1 (by zstd) or 2 (smaller)", name, text);
  o->pack = (int)level;
  return -1;
}

static int set_extreme(options *o, enum extreme extreme) {
  if (o->extreme != EXTREME_NONE && o->extreme != extreme)
    return fail_usage(o->verb, "give --min or --max, not both");
  o->extreme = extreme;
  return -1;
}

int option_apply(options *o, int key, const char *argument) {
  switch (key) {
  case 'o':
    return (o->output = argument, -1);
  case 'c':
    return (o->output = "-", -1);
  case 'f':
    return (o->force = o->type.forced = true, -1);
  case 'q':
    return (report_set_level(LEVEL_QUIET), -1);
  case 'v':
    return (report_set_level(LEVEL_VERBOSE), -1);
  case 'T':
    return set_threads(o, argument);
  case ABS:
    return set_bound(o, GHZ_ABS, "abs", argument);
  case REL:
    return set_bound(o, GHZ_REL, "rel", argument);
  case STEP:
    return set_bound(o, GHZ_STEP, "step", argument);
  case LOSSLESS:
    return set_bound(o, GHZ_STEP, "lossless", "1");
  case PSNR:
    return set_bound(o, GHZ_PSNR, "psnr", argument);
  case GRID:
    return set_grid(o, argument);
  case ORDER:
    return set_order(o, argument);
  case TYPE:
    return set_type(o, argument);
  case BIG_END:
    return (o->type.big_endian = true, -1);
  case RANGE:
    return set_range(o, argument);
  case JSON:
    return (o->json = true, -1);
  case PNG:
    return (o->png = argument, -1);
  case DIMS:
    return set_dims(o, argument);
  case FLAT:
    return (o->flat = true, -1);
  case BOX:
    return set_box(o, argument);
  case MIN:
    return set_extreme(o, EXTREME_MIN);
  case MAX:
    return set_extreme(o, EXTREME_MAX);
  case PACK:
    return set_pack(o, "pack", argument);
  case LEVEL:
    return set_pack(o, "level", argument);
  case '1':
    return set_pack(o, "level", "1");
  case '2':
    return set_pack(o, "level", "2");
  case TOGETHER:
    return (o->together = true, -1);
  case LIKE:
    return (o->like = argument, -1);
  case SUM_OF:
    return set_sum_of(o, argument);
  case RATIO:
    return set_ratio(o, argument);
  case FILL:
    return set_fill(o, argument);
  case PLACES:
    return (o->differing_places = true, -1);
  case VAR:
    return (o->var = argument, -1);
  case FRAME_VALUES:
    return set_frame_values(o, argument);
  default:
    return -1;
  }
}
