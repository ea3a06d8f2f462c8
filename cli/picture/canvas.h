/* canvas.h: a picture in memory: pixels, rectangles, text. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CLI_CANVAS_H
#define GHZ_CLI_CANVAS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct colour {
  unsigned char red, green, blue;
} colour;

typedef struct canvas {
  colour *pixels; /* row after row, the top one first */
  size_t width, height;
} canvas;

/* Makes a white canvas. False if memory is lacking. */
bool canvas_begin(canvas *c, size_t width, size_t height);
void canvas_free(canvas *c);

void canvas_fill(const canvas *c, size_t x, size_t y, size_t width, size_t height, colour with);

enum { TEXT_HEIGHT = 16 }; /* pixels from the top of the tallest letter to the bottom of the lowest */

/* Writes a line whose top is at y. x is its left end, its middle or its right end. */
typedef enum alignment { ALIGN_LEFT, ALIGN_MIDDLE, ALIGN_RIGHT } alignment;
size_t canvas_text_width(size_t letters);
void canvas_text(const canvas *c, size_t x, size_t y, alignment how, const char *text);

#endif
