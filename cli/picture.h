/* picture.h: a picture of an original, its result, and the error between them. */
#ifndef GHZ_CLI_PICTURE_H
#define GHZ_CLI_PICTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A slice of the arrays, thinned to what a picture can show. */
typedef struct picture {
  uint64_t nx, ny;      /* of the slice, fastest first */
  uint64_t first;       /* the array's first value in the slice */
  uint64_t stride;      /* every stride-th row and column is kept */
  size_t width, height; /* what is kept */
  double *original, *result;
} picture;

/* Chooses the middle slice of an array of dims[0] x dims[1] x dims[2]. False: said why, nothing to free. */
bool picture_begin(picture *p, const char *name, const uint64_t dims[3]);

/* Keeps what belongs to the picture of the values first .. first + n - 1. */
void picture_add(picture *p, uint64_t first, const double *x, const double *y, size_t n);

/* Writes the PNG file; errors are drawn from -scale to scale. */
bool picture_write(const picture *p, const char *path, bool force, double scale);

void picture_free(picture *p);

/* Whether pictures can be written: prints what is missing if not. */
bool picture_available(void);

#endif
