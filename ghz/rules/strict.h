/* strict.h: refuses to be compiled with floating-point numbers other than those that the bounds are
 * proved for (law L3, docs/LAWS.md). CMakeLists.txt sets the flags, after those of the user. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_STRICT_H
#define GHZ_STRICT_H

#include <float.h>

/* GCC says 0 of C with any of its unsafe options, contraction among them. */
#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__ > 0) ||                   \
    defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__) || defined(__NO_SIGNED_ZEROS__) ||           \
    (!defined(__cplusplus) && defined(__GCC_IEC_559) && __GCC_IEC_559 == 0)
#error "libghz's bounds and checks for NaN need IEEE 754: compile with -fno-fast-math -ffp-contract=off"
#endif

#if FLT_EVAL_METHOD != 0 && FLT_EVAL_METHOD != 16
#error "libghz needs floats that are computed as floats: on 32-bit x86 compile with -msse2 -mfpmath=sse"
#endif

#if defined(__clang__) && !defined(__CUDACC__)
#pragma STDC FP_CONTRACT OFF
#endif

#endif
