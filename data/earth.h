/* earth.h: the speed of sound in the model under the wave fields. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_DATA_EARTH_H
#define GHZ_DATA_EARTH_H

/* Edge of the model, in its own unit; the grid of a wave field divides it evenly, whatever the
 * grid's size. */
#define EARTH_EDGE 256.0f
#define EARTH_METRES_PER_UNIT 10.0f

/* Speed of sound in metres per second at depth z; all coordinates are in [0, EARTH_EDGE). */
float earth_speed(float z, float y, float x);

#endif
