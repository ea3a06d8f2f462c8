/* quad.h: floating-point numbers of 113 bits: what errors are measured and matrices inverted in. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_QUAD_H
#define TESTS_QUAD_H

#include <float.h>

#if defined(__SIZEOF_FLOAT128__)
typedef __float128 quad;
#else
typedef long double quad; /* as on 64-bit ARM */
_Static_assert(LDBL_MANT_DIG == 113, "no floating-point numbers of 113 bits");
#endif

#endif
