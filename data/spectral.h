/* spectral.h: Gaussian random fields with a power-law spectrum. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_DATA_SPECTRAL_H
#define GHZ_DATA_SPECTRAL_H

#include "fields.h"

#include <stdint.h>

/* A periodic Gaussian random field of mean 0 and variance 1 whose Fourier amplitudes fall as
 * k^slope, where k is the number of periods per edge. To be freed with free(). NULL, with a message
 * about `subject`, if memory is lacking. */
float *gaussian_field(shape dims, double slope, uint64_t seed, const char *subject);

#endif
