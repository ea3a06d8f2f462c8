/* picture.c: owns pictures: thinning a slice, colours, and the PNG file. */
#include "picture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/output.h"
#include "report/report.h"

#ifdef GHZ_HAVE_PNG
#include <png.h>
#endif

enum { PANEL_MAX = 1024, PANEL_MIN = 256, GAP = 8 };

bool picture_begin(picture *p, const char *name, const uint64_t dims[3]) {
  uint64_t longest = dims[0] > dims[1] ? dims[0] : dims[1];
  if (dims[0] == 0 || dims[1] == 0 || dims[2] == 0)
    return fail(name, "has no values to draw");
  *p = (picture){.nx = dims[0], .ny = dims[1], .first = dims[2] / 2 * dims[0] * dims[1]};
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
  uint64_t end = p->first + p->nx * p->ny;
  if (first >= end || first + n <= p->first)
    return;
  size_t from = first < p->first ? (size_t)(p->first - first) : 0;
  size_t to = first + n > end ? (size_t)(end - first) : n;
  for (size_t i = from; i < to; i++) {
    uint64_t at = first + i - p->first, column = at % p->nx, row = at / p->nx;
    if (column % p->stride || row % p->stride)
      continue;
    size_t pixel = (size_t)(row / p->stride) * p->width + (size_t)(column / p->stride);
    p->original[pixel] = x[i];
    p->result[pixel] = y[i];
  }
}

#ifdef GHZ_HAVE_PNG

typedef struct colour {
  unsigned char red, green, blue;
} colour;

static const colour missing = {160, 160, 160}; /* NaN and infinities */
static const colour values_map[] = {{68, 1, 84},    {71, 44, 122},  {59, 81, 139},
                                    {44, 113, 142}, {33, 144, 141}, {39, 173, 129},
                                    {92, 200, 99},  {170, 220, 50}, {253, 231, 37}};
static const colour error_map[] = {{5, 48, 97}, {67, 147, 195}, {247, 247, 247}, {214, 96, 77}, {103, 0, 31}};

/* The colour at `part`, from 0 to 1, of a map of n colours. */
static colour pick(const colour *map, int n, double part) {
  if (!isfinite(part))
    return missing;
  double at = (part < 0 ? 0 : part > 1 ? 1 : part) * (n - 1);
  int i = at < n - 1 ? (int)at : n - 2;
  double t = at - i;
  colour a = map[i], b = map[i + 1];
  return (colour){(unsigned char)lround(a.red + t * (b.red - a.red)),
                  (unsigned char)lround(a.green + t * (b.green - a.green)),
                  (unsigned char)lround(a.blue + t * (b.blue - a.blue))};
}

typedef struct canvas {
  colour *pixels;
  size_t width, height, zoom;
} canvas;

static void fill_square(const canvas *c, size_t x, size_t y, colour with) {
  for (size_t row = 0; row < c->zoom; row++)
    for (size_t column = 0; column < c->zoom; column++)
      c->pixels[(y + row) * c->width + x + column] = with;
}

static void draw_panels(const picture *p, const canvas *c, double scale) {
  double min = INFINITY, max = -INFINITY;
  size_t panel = p->width * c->zoom + GAP;
  for (size_t i = 0; i < p->width * p->height; i++) {
    min = isfinite(p->original[i]) && p->original[i] < min ? p->original[i] : min;
    max = isfinite(p->original[i]) && p->original[i] > max ? p->original[i] : max;
  }
  double half_range = max / 2 - min / 2;
  for (size_t i = 0; i < p->width * p->height; i++) {
    size_t x = i % p->width * c->zoom, y = i / p->width * c->zoom;
    double a = p->original[i], b = p->result[i];
    double part_a = half_range > 0 ? (a / 2 - min / 2) / half_range : a * 0 + 0.5;
    double part_b = half_range > 0 ? (b / 2 - min / 2) / half_range : b * 0 + 0.5;
    double error = scale > 0 ? (b - a) / scale / 2 + 0.5 : (b - a) * 0 + 0.5;
    fill_square(c, x, y, pick(values_map, 9, part_a));
    fill_square(c, x + panel, y, pick(values_map, 9, part_b));
    fill_square(c, x + 2 * panel, y, pick(error_map, 5, error));
  }
}

/* Encodes the canvas and writes it. */
static bool write_png(const canvas *c, const char *path, bool force) {
  png_image image = {.version = PNG_IMAGE_VERSION, .format = PNG_FORMAT_RGB};
  image.width = (png_uint_32)c->width;
  image.height = (png_uint_32)c->height;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
  unsigned char *bytes = malloc(size);
  output out;
  if (!bytes)
    return fail(path, "out of memory for the picture");
  bool ok = png_image_write_to_memory(&image, bytes, &size, 0, c->pixels, 0, NULL) ||
            fail(path, "libpng: %s", image.message);
  ok = ok && output_open(&out, path, force) && output_end(&out, output_write(&out, bytes, size));
  free(bytes);
  return ok;
}

bool picture_write(const picture *p, const char *path, bool force, double scale) {
  size_t longest = p->width > p->height ? p->width : p->height;
  canvas c = {.zoom = longest < PANEL_MIN ? PANEL_MIN / longest : 1};
  c.width = 3 * p->width * c.zoom + 2 * GAP;
  c.height = p->height * c.zoom;
  c.pixels = malloc(c.width * c.height * sizeof *c.pixels);
  if (!c.pixels)
    return fail(path, "out of memory for the picture");
  memset(c.pixels, 255, c.width * c.height * sizeof *c.pixels);
  draw_panels(p, &c, scale);
  bool ok = write_png(&c, path, force);
  free(c.pixels);
  return ok;
}

bool picture_available(void) {
  return true;
}

#else

bool picture_write(const picture *p, const char *path, bool force, double scale) {
  (void)p, (void)path, (void)force, (void)scale;
  return picture_available();
}

bool picture_available(void) {
  return fail("--png", "this ghz was built without libpng; build it with libpng-dev installed");
}

#endif
