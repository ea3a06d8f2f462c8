/* canvas.c: owns drawing: rectangles, and text by strokes of a round pen whose edges are smooth. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "canvas.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "letters.h"

#define UNIT ((double)TEXT_HEIGHT / LETTER_TOP) /* pixels of a unit of the letters' grid */
#define PEN 0.8                                 /* half the width of a stroke, in pixels */

bool canvas_begin(canvas *c, size_t width, size_t height) {
  *c = (canvas){.width = width, .height = height, .pixels = malloc(width * height * sizeof *c->pixels)};
  if (c->pixels)
    memset(c->pixels, 255, width * height * sizeof *c->pixels);
  return c->pixels != NULL;
}

void canvas_free(canvas *c) {
  free(c->pixels);
  c->pixels = NULL;
}

void canvas_fill(const canvas *c, size_t x, size_t y, size_t width, size_t height, colour with) {
  for (size_t row = y; row < y + height && row < c->height; row++)
    for (size_t column = x; column < x + width && column < c->width; column++)
      c->pixels[row * c->width + column] = with;
}

/* ---- Text ---- */

typedef struct point {
  double x, y;
} point;

/* The distance of p from the segment from a to b. */
static double distance(point p, point a, point b) {
  double dx = b.x - a.x, dy = b.y - a.y, length = dx * dx + dy * dy;
  double t = length > 0 ? ((p.x - a.x) * dx + (p.y - a.y) * dy) / length : 0;
  t = t < 0 ? 0 : t > 1 ? 1 : t;
  return hypot(p.x - a.x - t * dx, p.y - a.y - t * dy);
}

/* Makes a pixel as dark as the share of it that the pen covers. */
static void ink(const canvas *c, ptrdiff_t x, ptrdiff_t y, double share) {
  if (share <= 0 || x < 0 || y < 0 || (size_t)x >= c->width || (size_t)y >= c->height)
    return;
  colour *pixel = &c->pixels[(size_t)y * c->width + (size_t)x];
  unsigned char shade = (unsigned char)(share < 1 ? 255 - 255 * share : 0);
  if (shade < pixel->red)
    *pixel = (colour){shade, shade, shade};
}

static void draw_segment(const canvas *c, point a, point b) {
  ptrdiff_t left = (ptrdiff_t)floor(fmin(a.x, b.x) - PEN - 1), right = (ptrdiff_t)ceil(fmax(a.x, b.x) + PEN);
  ptrdiff_t top = (ptrdiff_t)floor(fmin(a.y, b.y) - PEN - 1), bottom = (ptrdiff_t)ceil(fmax(a.y, b.y) + PEN);
  for (ptrdiff_t y = top; y <= bottom; y++)
    for (ptrdiff_t x = left; x <= right; x++)
      ink(c, x, y, PEN + 0.5 - distance((point){(double)x + 0.5, (double)y + 0.5}, a, b));
}

/* A point of the letters' grid, in pixels, of a letter whose upper left corner is there. */
static point place(const char *digits, double left, double top) {
  return (point){left + UNIT * (digits[0] - '0'), top + UNIT * (LETTER_TOP - (digits[1] - '0'))};
}

static void draw_letter(const canvas *c, double left, double top, const char *strokes) {
  for (const char *s = strokes; *s; s += *s == ' ')
    for (; s[0] && s[0] != ' '; s += 2)
      if (s[2] && s[2] != ' ')
        draw_segment(c, place(s, left, top), place(s + 2, left, top));
}

size_t canvas_text_width(size_t letters) {
  return (size_t)ceil(UNIT * LETTER_ADVANCE * (double)letters);
}

void canvas_text(const canvas *c, size_t x, size_t y, alignment how, const char *text) {
  double width = UNIT * (LETTER_ADVANCE * (double)strlen(text) - (LETTER_ADVANCE - LETTER_WIDTH));
  double left = (double)x - (how == ALIGN_RIGHT ? width : how == ALIGN_MIDDLE ? floor(width / 2) : 0);
  for (; *text; text++, left += UNIT * LETTER_ADVANCE)
    draw_letter(c, left, (double)y, letter_strokes(*text));
}
