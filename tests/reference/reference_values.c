/* reference_values.c: values of the reference codec to integers and coefficients, and back. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "reference_parts.h"
#include <math.h>
#include <string.h>

size_t ref_value_size(int type) { return type == REF_F32 ? 4 : 8; }

/* ---- Integer types ---- */
static const struct {
  int bytes, is_signed, storage;
} kinds[] = {[REF_I8] = {1, 1, REF_F32},  [REF_I16] = {2, 1, REF_F32}, [REF_I32] = {4, 1, REF_F64},
             [REF_I64] = {8, 1, REF_F64}, [REF_U8] = {1, 0, REF_F32},  [REF_U16] = {2, 0, REF_F32},
             [REF_U32] = {4, 0, REF_F64}};

void ref_set_type(ref_header *h, int type, double eb) {
  h->integers = type > REF_F64 && type <= REF_U32 ? type : 0;
  h->type = h->integers ? kinds[type].storage : type;
  h->said_eb = eb;
  h->eb = !h->integers ? eb : h->type == REF_F32 ? h->step * 17 / 64 : h->step / 128;
}

size_t ref_any_size(int type) { return type > REF_F64 ? (size_t)kinds[type].bytes : ref_value_size(type); }

double ref_any_value(int type, uint64_t bits) {
  if (type <= REF_F64)
    return ref_value(type, bits);
  int above = 64 - 8 * kinds[type].bytes;
  return kinds[type].is_signed ? (double)((int64_t)(bits << above) >> above) : (double)(bits << above >> above);
}

int ref_is_integer(int type, double v) {
  double most = ldexp(1, 8 * kinds[type].bytes - kinds[type].is_signed);
  return v >= (kinds[type].is_signed ? -most : 0) && v < most && floor(v) == v && !(v == 0 && signbit(v));
}

double ref_value(int type, uint64_t bits) {
  if (type == REF_F32) {
    uint32_t low = (uint32_t)bits;
    float x;
    memcpy(&x, &low, 4);
    return (double)x;
  }
  double x;
  memcpy(&x, &bits, 8);
  return x;
}

uint64_t ref_bits(int type, double value) {
  if (isnan(value))
    return type == REF_F32 ? 0x7fc00000u : 0x7ff8000000000000u;
  uint64_t bits = 0;
  if (type == REF_F32) {
    float x = (float)value;
    uint32_t low;
    memcpy(&low, &x, 4);
    return low;
  }
  memcpy(&bits, &value, 8);
  return bits;
}

int ref_missing(const ref_header *h, uint64_t bits) {
  double x = ref_value(h->type, bits);
  return isnan(x) || (h->has_fill && x == h->fill);
}

/* How far coarse float32 values may lie from 0, so that rounding them to float32 in the end keeps
 * the bound: half a step is what quantisation takes of it, and 2^-24 of the value that rounding. */
static double room_of(const ref_header *h) { return (h->eb - h->step / 2) * 16777216; }

/* Such a step keeps the bound of values alone that lie on its multiples. */
int ref_is_grid(const ref_header *h) { return h->step > 2 * h->eb; }

int ref_mode_bits(const ref_header *h, int mode) {
  if (mode == REF_WIDE)
    return h->type == REF_F32 ? 36 : h->cap;
  if (mode == REF_FINE)
    return h->type == REF_F32 ? 23 : 22;
  int bits = 16;
  if (h->type == REF_F32 && ref_is_grid(h))
    return 22;
  if (h->type == REF_F32)
    while (bits < 22 && room_of(h) * (125.0 / 128) > ldexp(h->step, bits))
      bits++;
  return bits;
}

/* ---- From values to integers ---- */
/* The value that was given for a column, NaN where it is missing. */
static double given(const ref_header *h, const ref_tile *t, int i) {
  return ref_missing(h, t->bits[i]) ? NAN : ref_value(h->type, t->bits[i]);
}

double ref_largest(const ref_header *h, const ref_tile *t) {
  double largest = 0;
  for (int i = 0; i < REF_TILE; i++) {
    double x = fabs(given(h, t, i));
    if (ref_inside(t, i) && isfinite(x) && x > largest)
      largest = x;
  }
  return largest;
}

double ref_coarse_limit(const ref_header *h) {
  double least = 65536 * h->step, most = 4194304 * h->step, room = room_of(h) * (31.0 / 32);
  if (ref_is_grid(h) && h->type == REF_F32)
    return most;
  return h->type == REF_F64 ? least : fmin(most, fmax(least, room));
}

/* The mode by the largest magnitude, or -1 outside the lattice. */
static int mode_of(const ref_header *h, double largest) {
  if (largest >= (h->type == REF_F32 ? 0x1p127 : 0x1p1023))
    return -1;
  if (largest <= ref_coarse_limit(h))
    return REF_COARSE;
  if (largest <= 0x1p22 * h->step)
    return REF_FINE;
  if (largest <= ldexp(h->step, h->cap))
    return REF_WIDE;
  return -1;
}

double ref_unit(const ref_header *h, int mode) {
  return h->type == REF_F32 && mode != REF_COARSE ? h->step / 2 : h->step;
}

static int64_t quantum(const ref_header *h, int mode, double largest, double x) {
  if (h->type == REF_F32 && mode == REF_COARSE && largest <= 32768 * h->step) {
    float inverse = (float)(1 / h->step);
    float product = (float)x * inverse;
    return (int64_t)rintf(product);
  }
  double inverse = 1 / ref_unit(h, mode);
  return (int64_t)rint(x * inverse);
}

/* Zeros that are values, not missing ones. */
static int all_bits_zero(const ref_header *h, const ref_tile *t) {
  for (int i = 0; i < REF_TILE; i++)
    if (ref_inside(t, i) && (t->bits[i] != 0 || ref_missing(h, 0)))
      return 0;
  return 1;
}

/* A special position takes the integer before it; those at the start, the first finite one. */
static void fill_hidden(ref_tile *t) {
  int64_t last = 0;
  for (int i = REF_TILE - 1; i >= 0; i--)
    if (ref_inside(t, i) && !t->plus[i] && !t->minus[i])
      last = t->q[i];
  for (int i = 0; i < REF_TILE; i++)
    if (ref_inside(t, i)) {
      if (t->plus[i] || t->minus[i])
        t->q[i] = last;
      last = t->q[i];
    }
}

/* On a grid a finite value has to come back exactly, and what its multiple is off by and what
 * rounding takes of sums have to stay within the bound. */
static int off_grid(const ref_header *h, double largest, double x) {
  if (!ref_is_grid(h) || !isfinite(x))
    return 0;
  double multiple = rint(x / h->step) * h->step, back = ref_value(h->type, ref_bits(h->type, multiple)),
         share = h->type == REF_F64             ? 0x1p-51
                 : largest <= 4194304 * h->step ? 17 * 0x1p-28
                                                : 17 * 0x1p-32;
  return back != x || fabs(multiple - x) + fabs(x) * share > h->eb;
}

int ref_tile_quantise(const ref_header *h, ref_tile *t) { return ref_tile_quantise_in(h, REF_COARSE, t); }

int ref_tile_quantise_in(const ref_header *h, int least, ref_tile *t) {
  memset(t->q, 0, sizeof t->q);
  memset(t->plus, 0, sizeof t->plus);
  memset(t->minus, 0, sizeof t->minus);
  memset(t->c, 0, sizeof t->c);
  t->raw = t->mode = t->order = t->turned = t->coefficients = t->one = 0;
  if (h->step == 0)
    return all_bits_zero(h, t);
  double largest = ref_largest(h, t);
  t->mode = mode_of(h, largest);
  if (t->mode < 0)
    return 0;
  if (t->mode < least && largest > 0)
    t->mode = least;
  for (int i = 0; i < REF_TILE; i++) {
    if (!ref_inside(t, i))
      continue;
    double x = given(h, t, i);
    t->plus[i] = isnan(x) || x == INFINITY;
    t->minus[i] = isnan(x) || x == -INFINITY;
    if (off_grid(h, largest, x))
      return 0;
    if (isfinite(x))
      t->q[i] = quantum(h, t->mode, largest, x);
  }
  fill_hidden(t);
  return 1;
}

/* ---- Coefficients ---- */
/* The values, hidden ones where they are special, by column. */
static void visible(const ref_header *h, const ref_tile *t, double *x) {
  double last = 0;
  for (int i = REF_TILE - 1; i >= 0; i--)
    if (ref_inside(t, i) && !t->plus[i] && !t->minus[i])
      last = ref_value(h->type, t->bits[i]);
  for (int i = 0; i < REF_TILE; i++)
    if (ref_inside(t, i)) {
      x[i] = t->plus[i] || t->minus[i] ? last : ref_value(h->type, t->bits[i]);
      last = x[i];
    }
}

static int smaller(int a, int b) { return a < b ? a : b; }

/* The value of a column, outside that of the nearest column inside. */
static double nearest(const ref_tile *t, const double *x, int i) {
  ref_brick b = ref_brick_of(t->dims);
  int ix = smaller(i % b.x, t->x - 1), iy = smaller(i / b.x % b.y, t->y - 1),
      iz = smaller(i / b.x / b.y, t->z - 1);
  return x[(iz * b.y + iy) * b.x + ix];
}

static int any(const int64_t *v) {
  for (int i = 0; i < REF_TILE; i++)
    if (v[i] != 0)
      return 1;
  return 0;
}

double ref_tile_leave(const ref_header *h, ref_tile *t) {
  double x[REF_TILE] = {0}, inverse = 1 / h->step, largest = 0;
  ref_wide k[REF_TILE];
  visible(h, t, x);
  ref_inverse(t->dims, t->c, k);
  for (int i = 0; i < REF_TILE; i++)
    if (ref_inside(t, i)) {
      double left = x[i] * inverse - ldexp((double)k[i], -ref_transform_shift(t->dims));
      t->q[i] = (int64_t)rint(left);
      largest = fmax(largest, fabs(left));
    }
  t->coefficients = 1;
  t->order = t->turned = 0;
  return largest;
}

int ref_tile_transform(const ref_header *h, ref_tile *t) {
  if (ref_largest(h, t) > 0x1p18 * h->step)
    return 0;
  double x[REF_TILE] = {0}, factor = 0x1p-5 / h->step;
  float e[REF_TILE];
  visible(h, t, x);
  for (int i = 0; i < REF_TILE; i++) {
    double v = nearest(t, x, i);
    e[i] = h->type == REF_F32 ? (float)v * (float)factor : (float)(v * factor);
  }
  ref_forward(t->dims, e);
  ref_keep(t->dims, e, t->c);
  if (!any(t->c))
    return 0;
  ref_tile_leave(h, t);
  return 1;
}

/* ---- From integers to values ---- */
/* With coefficients: what a column is in multiples of 2^-s step. */
static ref_wide fine_integer(const ref_header *h, const ref_tile *t, int i) {
  static _Thread_local int64_t last[REF_TILE];
  static _Thread_local ref_wide k[REF_TILE];
  static _Thread_local int last_dims;
  int shift = ref_transform_shift(t->dims) - (h->type == REF_F32 && t->mode != REF_COARSE);
  if (last_dims != t->dims || memcmp(last, t->c, sizeof last) != 0) {
    memcpy(last, t->c, sizeof last);
    last_dims = t->dims;
    ref_inverse(t->dims, t->c, k);
  }
  return k[i] + (ref_wide)t->q[i] * ((ref_wide)1 << shift);
}

double ref_tile_value(const ref_header *h, const ref_tile *t, int i) {
  if (t->raw)
    return given(h, t, i);
  if (t->plus[i] || t->minus[i])
    return t->plus[i] && t->minus[i] ? NAN : t->plus[i] ? INFINITY : -INFINITY;
  if (t->one)
    return ref_value(h->type, t->bits[0]);
  if (t->coefficients)
    return ldexp((double)fine_integer(h, t, i), -ref_transform_shift(t->dims)) * h->step;
  return (double)t->q[i] * ref_unit(h, t->mode);
}

uint64_t ref_tile_decode(const ref_header *h, const ref_tile *t, int i, int out_type) {
  double y = ref_tile_value(h, t, i);
  y = isnan(y) && h->has_fill ? h->fill : y;
  return out_type > REF_F64 ? (uint64_t)(int64_t)y : ref_bits(out_type, y);
}
