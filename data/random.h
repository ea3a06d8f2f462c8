/* random.h: random numbers that are functions of (seed, index), so that any thread can make any of
 * them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_DATA_RANDOM_H
#define GHZ_DATA_RANDOM_H

#include <math.h>
#include <stdint.h>

#define RANDOM_TWO_PI 6.283185307179586476925

/* The finaliser of splitmix64: a bijection that passes the usual tests when fed a counter. */
static inline uint64_t random_mix(uint64_t x) {
  x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
  return x ^ (x >> 31);
}

/* 64 random bits: element `index` of the splitmix64 sequence that starts at a hash of the seed. */
static inline uint64_t random_bits(uint64_t seed, uint64_t index) {
  return random_mix(random_mix(seed + 1) + (index + 1) * UINT64_C(0x9e3779b97f4a7c15));
}

/* Uniform in the open interval (0, 1). */
static inline double random_uniform(uint64_t seed, uint64_t index) {
  return ((double)(random_bits(seed, index) >> 12) + 0.5) * 0x1p-52;
}

/* Normal, mean 0 and variance 1 (Box and Muller). Uses the uniform numbers 2*index and 2*index +
 * 1. */
static inline double random_normal(uint64_t seed, uint64_t index) {
  double radius = sqrt(-2.0 * log(random_uniform(seed, 2 * index)));
  return radius * cos(RANDOM_TWO_PI * random_uniform(seed, 2 * index + 1));
}

/* Laplace, mean 0 and scale 1 (inverse of the distribution function). */
static inline double random_laplace(uint64_t seed, uint64_t index) {
  double u = random_uniform(seed, index);
  return u < 0.5 ? log(2.0 * u) : -log(2.0 * (1.0 - u));
}

#endif
