/* picture.c: owns pictures of an error: which values they show, colours, layout, and the PNG
 * file. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "picture.h"
#include "report/report.h"

#if GHZ_HAVE_PNG
#include <png.h>
#endif

/* ---- The picture ----------------------------------------------------------------------------- */

enum { PANEL_MAX = 640 }; /* pixels of the longer edge of a panel, at most */

/* The first value of the slice, and how far its values are apart. */
static bool choose_slice(picture *p, const char *name, const shape *s, const box *indices) {
  shape rest = *s; /* the dimensions that the slice is one point of, in the order of the array */
  rest.ndim -= 2;
  rest.fortran = false;
  const uint64_t slices = ghz_array_count(&rest);
  shape_index(&rest, slices / 2, p->index);
  if (indices->ndim && indices->ndim != rest.ndim)
    return fail(name, "--slice has %u indices, and %u dimensions are before the last two", indices->ndim,
                rest.ndim);
  for (unsigned i = 0; i < indices->ndim; i++) {
    p->index[i] = indices->from[i];
    if (p->index[i] >= rest.dims[i])
      return fail(name, "--slice: %llu is not inside 0:%llu, the range of dimension %u (from 0)",
                  (unsigned long long)p->index[i], (unsigned long long)rest.dims[i], i);
  }
  p->first = shape_at(s, p->index);
  p->by_columns = s->fortran;
  p->step = s->fortran ? slices : 1;
  return true;
}

bool picture_begin(picture *p, const char *name, const shape *s, const box *indices, bool upward) {
  *p = (picture){.nx = s->dims[s->ndim - 1], .ny = s->dims[s->ndim - 2], .upward = upward};
  if (ghz_array_count(s) == 0)
    return fail(name, "has no values to draw");
  if (!choose_slice(p, name, s, indices))
    return false;
  const uint64_t longest = p->nx > p->ny ? p->nx : p->ny;
  p->stride = longest / PANEL_MAX + (longest % PANEL_MAX != 0);
  p->width = (size_t)((p->nx - 1) / p->stride + 1);
  p->height = (size_t)((p->ny - 1) / p->stride + 1);
  p->original = calloc(p->width * p->height, sizeof *p->original);
  p->result = calloc(p->width * p->height, sizeof *p->result);
  if (p->original && p->result)
    return true;
  picture_free(p);
  return fail(name, "out of memory for the picture");
}

void picture_free(picture *p) {
  free(p->original);
  free(p->result);
  p->original = p->result = NULL;
}

void picture_add(picture *p, uint64_t first, const double *x, const double *y, size_t n) {
  const uint64_t behind = first > p->first ? first - p->first : 0; /* values after the slice's first one */
  uint64_t at = behind / p->step + (behind % p->step != 0);
  for (; at < p->nx * p->ny && p->first + at * p->step < first + n; at++) {
    const uint64_t column = p->by_columns ? at / p->ny : at % p->nx;
    const uint64_t row = p->by_columns ? at % p->ny : at / p->nx;
    const size_t i = (size_t)(p->first + at * p->step - first);
    if (column % p->stride || row % p->stride)
      continue;
    const size_t from_top = (size_t)(row / p->stride),
                 y_pixel = p->upward ? p->height - 1 - from_top : from_top;
    const size_t pixel = y_pixel * p->width + (size_t)(column / p->stride);
    p->original[pixel] = x[i];
    p->result[pixel] = y[i];
  }
}

#if GHZ_HAVE_PNG

/* Units of the grid that letters are drawn on: y is 0 at the bottom of a g, 2 on the baseline, 8 at
 * the top. A unit has so many pixels, as has a stroke's width. */
enum { LETTER_WIDTH = 4, LETTER_ADVANCE = 6, LETTER_TOP = 8, UNIT = 2, TEXT_HEIGHT = UNIT * LETTER_TOP };

/* ---- Letters --------------------------------------------------------------------------------- */

/* The strokes of the characters from the blank on, and behind them of all others an empty box, each
 * ended by a bar: lists of points, two digits a point, x and y. */
static const char strokes[] =
    "|2824 2222|1816 3836|1218 3238 0444 0646|463616053443321203 2921|0248 0707 4343|420617273603123244|"
    "2826|38262432|18262412|2723 0446 0644|0545 2723|2211|1535|2222|0248|123243473818070312|0728221232|"
    "07183847460242|07183847463525 3544433212 1203|32380444|480805354443321203|3818070312324344351504|"
    "084822|150607183847463515040312324344 4435|1232434738180706153546|2222 2525|2211 2525|470543|"
    "0444 0646|074503|071838474625 2524 2222|34361624343443473818070312 1232|022842 1434|"
    "0535464738080232434435|4738180703123243|02082847432202|48080242 0535|480802 0535|"
    "47381807031232434525|0208 4248 0545|1838 2822 1232|4843321203|0802 480542|080242|0208254842|"
    "02084248|123243473818070312|02083847463505|123243473818070312 2442|02083847463505 2542|"
    "473818070615354443321203|0848 2822|080312324348|082248|0812253248|0842 4802|082548 2522|08480242|"
    "38181232|0842|18383212|062846|0141|1827|16364542 441403123243|0802 0516364543321203|"
    "4536160503123243|4842 4536160503123243|04444536160503123243|48382722 0636|46413010 4536160503123243|"
    "0802 0516364542|2622 2828|36312010 3838|0802 360442|282332|0602 05162522 25364542|0602 0516364542|"
    "123243453616050312|0600 0516364543321203|4640 4536160503123243|0602 04152646|45361605143443321203|"
    "18132242 0636|0603123243 4642|062246|0612253246|0642 4602|0622 4610|06460242|38272615242332|2921|"
    "18272635242312|04153546|0208484202";
enum { LETTERS = 95 };

static const char *letter_strokes(char c) {
  const char *at = strokes;
  for (int i = c >= ' ' && c - ' ' < LETTERS ? c - ' ' : LETTERS; i > 0; i--)
    at = strchr(at, '|') + 1;
  return at;
}

typedef struct colour {
  unsigned char red, green, blue;
} colour;

typedef struct canvas {
  colour *pixels; /* row after row, the top one first */
  size_t width, height;
} canvas;

/* Writes a line whose top is at y. x is its left end, its middle or its right end. */
typedef enum alignment { ALIGN_LEFT, ALIGN_MIDDLE, ALIGN_RIGHT } alignment;

/* ---- A canvas -------------------------------------------------------------------------------- */

static void canvas_fill(const canvas *c, size_t x, size_t y, size_t width, size_t height, colour with) {
  for (size_t row = y; row < y + height && row < c->height; row++)
    for (size_t column = x; column < x + width && column < c->width; column++)
      c->pixels[row * c->width + column] = with;
}

/* ---- Text ---- */

/* From a point of a letter's grid to another, each two digits; the letter's upper left corner is at
 * left, top. */
static void draw_stroke(const canvas *c, size_t left, size_t top, const char *from, const char *to) {
  for (int i = 0; i <= 32; i++) {
    const int x = from[0] * (32 - i) + to[0] * i - 32 * '0', y = from[1] * (32 - i) + to[1] * i - 32 * '0';
    canvas_fill(c, left + (size_t)(x * UNIT / 32), top + TEXT_HEIGHT - (size_t)(y * UNIT / 32), UNIT, UNIT,
                (colour){0, 0, 0});
  }
}

static void draw_letter(const canvas *c, size_t left, size_t top, const char *drawn) {
  for (const char *s = drawn; *s && *s != '|'; s += *s == ' ')
    for (; s[0] >= '0' && s[0] <= '9'; s += 2)
      if (s[2] >= '0' && s[2] <= '9')
        draw_stroke(c, left, top, s, s + 2);
}

static size_t text_width(size_t letters) {
  return letters ? UNIT * (LETTER_ADVANCE * (letters - 1) + LETTER_WIDTH) : 0;
}

static void canvas_text(const canvas *c, size_t x, size_t y, alignment how, const char *text) {
  const size_t width = text_width(strlen(text));
  x -= how == ALIGN_RIGHT ? width : how == ALIGN_MIDDLE ? width / 2 : 0;
  for (; *text; text++, x += UNIT * LETTER_ADVANCE)
    draw_letter(c, x, y, letter_strokes(*text));
}

/* ---- Colours ---- */

static const colour missing = {160, 160, 160}; /* NaN and infinities */
static const colour value_colours[] = {{68, 1, 84},    {71, 44, 122},  {59, 81, 139},
                                       {44, 113, 142}, {33, 144, 141}, {39, 173, 129},
                                       {92, 200, 99},  {170, 220, 50}, {253, 231, 37}};
static const colour error_colours[] = {
    {5, 48, 97}, {67, 147, 195}, {247, 247, 247}, {214, 96, 77}, {103, 0, 31}};

/* Colours for the values from low to high, evenly spread. */
typedef struct scale {
  const colour *colours;
  int n;
  double low, high;
} scale;

static colour mix(colour a, colour b, double t) {
  return (colour){(unsigned char)lround(a.red + t * (b.red - a.red)),
                  (unsigned char)lround(a.green + t * (b.green - a.green)),
                  (unsigned char)lround(a.blue + t * (b.blue - a.blue))};
}

/* The colour of a value. Halves, so that the range of float64 does not overflow. */
static colour pick(const scale *s, double value) {
  double range = s->high / 2 - s->low / 2;
  double part = range > 0 ? (value / 2 - s->low / 2) / range : 0.5;
  if (!isfinite(value) || isnan(part))
    return missing;
  double at = (part < 0 ? 0 : part > 1 ? 1 : part) * (s->n - 1);
  int i = at < s->n - 1 ? (int)at : s->n - 2;
  return mix(s->colours[i], s->colours[i + 1], at - i);
}

static scale scale_of_values(const picture *p) {
  scale s = {value_colours, sizeof value_colours / sizeof *value_colours, INFINITY, -INFINITY};
  for (size_t i = 0; i < p->width * p->height; i++) {
    double x = p->original[i];
    s.low = isfinite(x) && x < s.low ? x : s.low;
    s.high = isfinite(x) && x > s.high ? x : s.high;
  }
  if (s.low > s.high)
    s.low = s.high = 0;
  return s;
}

static scale scale_of_errors(double error) {
  return (scale){error_colours, sizeof error_colours / sizeof *error_colours, 0 - error, error};
}

/* ---- Layout ---- */

enum {
  PANEL_MIN = 300,                   /* pixels of the longer edge of a panel, at least */
  COLUMN_MIN = 340,                  /* pixels for a panel with its title and scale, at least */
  GAP = 20,                          /* around panels and text */
  BAR = 12,                          /* height of a scale of colours */
  TOP = GAP + TEXT_HEIGHT + GAP / 2, /* above the panels: the titles */
  BELOW = GAP / 2 + BAR + GAP / 4 + TEXT_HEIGHT + GAP, /* the panels: scales and their numbers */
  CAPTION = TEXT_HEIGHT + GAP
};

/* Where things lie on the canvas. */
typedef struct layout {
  size_t zoom;          /* pixels of a value's edge */
  size_t width, height; /* of a panel */
  size_t column;        /* width of a column, which holds a panel in its middle */
} layout;

static layout lay_out(const picture *p) {
  size_t longest = p->width > p->height ? p->width : p->height;
  layout l = {.zoom = longest < PANEL_MIN ? (PANEL_MIN + longest - 1) / longest : 1};
  l.width = p->width * l.zoom;
  l.height = p->height * l.zoom;
  l.column = l.width > COLUMN_MIN ? l.width : COLUMN_MIN;
  return l;
}

static double panel_value(const picture *p, int panel, size_t i) {
  return panel == 0 ? p->original[i] : panel == 1 ? p->result[i] : p->result[i] - p->original[i];
}

/* The bar of all colours from left to right, with the numbers at its ends and in its middle. */
static void draw_scale(const canvas *c, size_t x, size_t y, size_t width, const scale *s) {
  const alignment how[] = {ALIGN_LEFT, ALIGN_MIDDLE, ALIGN_RIGHT};
  for (size_t i = 0; i < width; i++) {
    double part = (double)i / (double)(width - 1);
    canvas_fill(c, x + i, y, 1, BAR, pick(s, s->low * (1 - part) + s->high * part));
  }
  double middle = s->low / 2 + s->high / 2, negligible = 1e-3 * (s->high / 2 - s->low / 2);
  const double numbers[] = {s->low, fabs(middle) < negligible ? 0 : middle, s->high};
  for (size_t i = 0; i < 3; i++) {
    char number[32];
    snprintf(number, sizeof number, "%.3g", numbers[i]);
    canvas_text(c, x + width * i / 2, y + BAR + GAP / 4, how[i], number);
  }
}

static void draw_panel(const picture *p, const canvas *c, const layout *l, int panel, const char *title,
                       const scale *s) {
  size_t left = GAP + (size_t)panel * (l->column + GAP), x = left + (l->column - l->width) / 2;
  canvas_text(c, left + l->column / 2, GAP, ALIGN_MIDDLE, title);
  for (size_t i = 0; i < p->width * p->height; i++)
    canvas_fill(c, x + i % p->width * l->zoom, TOP + i / p->width * l->zoom, l->zoom, l->zoom,
                pick(s, panel_value(p, panel, i)));
  draw_scale(c, left, TOP + l->height + GAP / 2, l->column, s);
}

/* Writes the caption in as many lines as it takes, and returns their number. Without a canvas of
 * any height nothing is drawn. */
static size_t draw_caption(const canvas *c, size_t top, const char *caption) {
  char line[256];
  size_t lines = 0;
  for (const char *at = caption; *at; lines++) {
    size_t end = strlen(at);
    for (size_t i = end; text_width(end) > c->width - 2 * GAP && i > 0; i--)
      if (at[i] == ';')
        end = i;
    snprintf(line, sizeof line, "%.*s", (int)end, at);
    canvas_text(c, c->width / 2, top + lines * CAPTION, ALIGN_MIDDLE, line);
    at += end;
    at += strspn(at, "; ");
  }
  return lines;
}

/* ---- The file ---- */

static bool write_png(const canvas *c, output *to) {
  png_image image = {.version = PNG_IMAGE_VERSION, .format = PNG_FORMAT_RGB};
  image.width = (png_uint_32)c->width;
  image.height = (png_uint_32)c->height;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
  unsigned char *bytes = malloc(size);
  if (!bytes)
    return fail(to->name, "out of memory for the picture");
  bool ok = png_image_write_to_memory(&image, bytes, &size, 0, c->pixels, 0, NULL) ||
            fail(to->name, "libpng: %s", image.message);
  ok = ok && output_write(to, bytes, size);
  free(bytes);
  return ok;
}

bool picture_write(const picture *p, output *to, const picture_labels *labels) {
  const layout l = lay_out(p);
  const scale values = scale_of_values(p), errors = scale_of_errors(labels->error);
  canvas c = {.width = 3 * l.column + 4 * GAP};
  c.height = TOP + l.height + BELOW + draw_caption(&(canvas){.width = c.width}, 0, labels->caption) * CAPTION;
  c.pixels = malloc(c.width * c.height * sizeof *c.pixels);
  if (!c.pixels)
    return fail(to->name, "out of memory for the picture");
  memset(c.pixels, 255, c.width * c.height * sizeof *c.pixels); /* white */
  draw_panel(p, &c, &l, 0, labels->original, &values);
  draw_panel(p, &c, &l, 1, labels->result, &values);
  draw_panel(p, &c, &l, 2, "error (result - original)", &errors);
  draw_caption(&c, TOP + l.height + BELOW, labels->caption);
  const bool ok = write_png(&c, to);
  free(c.pixels);
  return ok;
}

bool picture_available(void) {
  return true;
}

#else

bool picture_write(const picture *p, output *to, const picture_labels *labels) {
  (void)p, (void)to, (void)labels;
  return picture_available();
}

bool picture_available(void) {
  return fail("--png", "this ghz was built without libpng; build it with libpng-dev installed");
}

#endif
