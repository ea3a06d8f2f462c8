/* reference_residuals.c: residuals of the reference codec: from integers and back, flat and in
 * bricks. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "reference_parts.h"
#include <string.h>

ref_brick ref_brick_of(int dims) {
  if (dims == 3)
    return (ref_brick){8, 8, 16};
  return dims == 2 ? (ref_brick){1, 32, 32} : (ref_brick){1, 1, REF_TILE};
}

int ref_orders(int dims) { return dims == 3 ? 4 : 3; }

int ref_inside(const ref_tile *t, int i) {
  if (t->dims < 2)
    return i < t->n;
  ref_brick b = ref_brick_of(t->dims);
  return i % b.x < t->x && i / b.x % b.y < t->y && i / b.x / b.y < t->z;
}

/* ---- Flat tiles ---- */
static void flat_residuals(const ref_tile *t, uint64_t *r, uint64_t *anchor, uint64_t *slope) {
  uint64_t q[REF_TILE];
  for (int i = 0; i < REF_TILE; i++)
    q[i] = (uint64_t)t->q[i];
  *anchor = t->order >= 1 && t->n > 0 ? q[0] : 0;
  *slope = t->order == 2 && t->n > 1 ? q[1] - q[0] : 0;
  for (int i = t->order; i < t->n; i++) {
    if (t->order == 0)
      r[i] = q[i];
    else if (t->order == 1)
      r[i] = q[i] - q[i - 1];
    else
      r[i] = q[i] - 2 * q[i - 1] + q[i - 2];
  }
}

static void flat_integers(const ref_tile *t, uint64_t *r, uint64_t anchor, uint64_t slope) {
  uint64_t value = anchor, difference = slope;
  for (int i = 0; i < t->n; i++) {
    if (t->order == 0) {
      value = r[i];
    } else if (i > 0) {
      if (t->order == 1)
        difference = r[i];
      else if (i > 1)
        difference += r[i];
      value += difference;
    }
    r[i] = value;
  }
}

/* ---- Bricks ---- */
/* Axis 0 is x. */
static int stride_of(ref_brick b, int axis) { return axis == 0 ? 1 : axis == 1 ? b.x : b.x * b.y; }
static int length_of(ref_brick b, int axis) { return axis == 0 ? b.x : axis == 1 ? b.y : b.z; }

static int first_on(ref_brick b, int axis, int i) { return i / stride_of(b, axis) % length_of(b, axis) == 0; }

/* Whether a column is taken less the one before it along an axis: along as many axes as the order
 * says, all that have one before; along those after, one that is the first along the axes between
 * and along the last one of the order. */
static int differs_along(ref_brick b, int order, int axis, int i) {
  if (order == 0 || first_on(b, axis, i))
    return 0;
  for (int other = order - 1; other < axis && axis >= order; other++)
    if (!first_on(b, other, i))
      return 0;
  return 1;
}

static void clear_outside(const ref_tile *t, uint64_t *r) {
  for (int i = 0; i < REF_TILE; i++)
    if (!ref_inside(t, i))
      r[i] = 0;
}

static void brick_residuals(const ref_tile *t, uint64_t *r, uint64_t *anchor) {
  ref_brick b = ref_brick_of(t->dims);
  for (int i = 0; i < REF_TILE; i++)
    r[i] = (uint64_t)t->q[i];
  for (int axis = 0; axis < 3; axis++)
    for (int i = REF_TILE - 1; i >= 0; i--)
      if (differs_along(b, t->order, axis, i))
        r[i] -= r[i - stride_of(b, axis)];
  clear_outside(t, r);
  if (t->order > 0) {
    *anchor = r[0];
    r[0] = 0;
  }
}

static void brick_integers(const ref_tile *t, uint64_t *r, uint64_t anchor) {
  ref_brick b = ref_brick_of(t->dims);
  clear_outside(t, r);
  if (t->order > 0)
    r[0] = anchor;
  for (int axis = 2; axis >= 0; axis--)
    for (int i = 0; i < REF_TILE; i++)
      if (differs_along(b, t->order, axis, i))
        r[i] += r[i - stride_of(b, axis)];
  clear_outside(t, r);
}

/* ---- Both ---- */
/* Of a turned tile, columns x < 8 of eight lines change places with their transposes. */
int ref_stored_at(const ref_tile *t, int i) {
  int x = i % 32, y = i / 32;
  return t->turned && x < 8 ? 32 * (y / 8 * 8 + x) + y % 8 : i;
}

void ref_residuals(const ref_tile *t, int64_t *r, int64_t *anchor, int64_t *slope) {
  uint64_t u[REF_TILE] = {0}, first = 0, second = 0;
  if (t->dims < 2)
    flat_residuals(t, u, &first, &second);
  else
    brick_residuals(t, u, &first);
  for (int i = 0; i < REF_TILE; i++)
    r[ref_stored_at(t, i)] = (int64_t)u[i];
  *anchor = (int64_t)first;
  *slope = (int64_t)second;
}

void ref_integrate(ref_tile *t, const int64_t *r, int64_t anchor, int64_t slope, int narrow) {
  uint64_t u[REF_TILE];
  for (int i = 0; i < REF_TILE; i++)
    u[i] = (uint64_t)r[ref_stored_at(t, i)];
  if (t->dims < 2)
    flat_integers(t, u, (uint64_t)anchor, (uint64_t)slope);
  else
    brick_integers(t, u, (uint64_t)anchor);
  for (int i = 0; i < REF_TILE; i++)
    t->q[i] = !ref_inside(t, i) ? 0 : narrow ? (int64_t)(int32_t)(uint32_t)u[i] : (int64_t)u[i];
}
