/* earth.c: owns the velocity model: water above nine tilted, undulating layers that a fault
 * cuts. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "earth.h"

#include <math.h>
#include <stddef.h>

static const float sea_floor = 24, slowest = 1500, fastest = 6000;
static const float speed_gradient = 2; /* inside a layer, per unit of depth */

/* From the top down: the depth where a layer begins, before tilt, undulation and fault, and the
 * speed there. */
static const struct {
  float top, speed;
} layers[] = {{0, 1500},   {34, 2000},  {58, 2600},  {85, 2300}, {118, 3300},
              {140, 4200}, {170, 3700}, {205, 4900}, {240, 5600}};
enum { LAYERS = sizeof layers / sizeof layers[0] };

/* How far the rock at a point has been moved up: by the throw of the fault beyond a dipping plane,
 * else 0. */
static float fault_throw(float z, float y, float x) {
  return x - 0.55f * z - 0.1f * y > 80 ? 26.0f : 0.0f;
}

float earth_speed(float z, float y, float x) {
  if (z < sea_floor)
    return slowest;
  float tilt = 0.18f * x - 0.08f * y;
  float undulation = 8.0f * sinf(0.035f * x + 0.4f) * cosf(0.03f * y);
  float depth = z + tilt + undulation + fault_throw(z, y, x);
  size_t layer = 0;
  while (layer + 1 < LAYERS && depth > layers[layer + 1].top)
    layer++;
  float speed = layers[layer].speed + speed_gradient * (depth - layers[layer].top);
  return fminf(fmaxf(speed, slowest), fastest);
}
