/* picture.h: a picture of an original, its result, and the error between them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CLI_PICTURE_H
#define GHZ_CLI_PICTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "io/output.h"
#include "io/shape.h"

/* A slice of the arrays, thinned to what a picture can show. */
typedef struct picture {
  uint64_t nx, ny;               /* of the slice: the last dimension, and the one before */
  uint64_t index[GHZ_FILE_NDIM]; /* of the other dimensions: which slice is shown */
  bool upward;                   /* the first row is at the bottom */
  uint64_t first, step;          /* the array's first value in the slice, and how far the next one is */
  bool by_columns;               /* they follow each other down the columns: Fortran order */
  uint64_t stride;               /* every stride-th row and column is kept */
  size_t width, height;          /* what is kept */
  double *original, *result;
} picture;

/* What is written into the picture. */
typedef struct picture_labels {
  const char *original, *result; /* titles of the first panels */
  const char *caption;           /* at the bottom, in lines that break at "; " */
  double error;                  /* the colours of the error go from -error to error */
} picture_labels;

/* Chooses a slice of an array of two or more dimensions, which the last two span: that of the
 * indices, or, where there are none, the middle one, the same whatever the order of the memory.
 * On failure, which is printed, there is nothing to free. */
bool picture_begin(picture *p, const char *name, const shape *s, const box *indices, bool upward);

/* Keeps what belongs to the picture of the values first .. first + n - 1. */
void picture_add(picture *p, uint64_t first, const double *x, const double *y, size_t n);

/* Writes the PNG file: three panels side by side, each with a title and a scale of colours. */
bool picture_write(const picture *p, output *to, const picture_labels *labels);

void picture_free(picture *p);

/* Whether this build can write pictures. Prints what is missing if not. */
bool picture_available(void);

#endif
