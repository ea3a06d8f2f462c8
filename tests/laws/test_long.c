/* test_long.c: law L4 over a long life: a million arrays added to one stream, one after the other,
 * and as many as there may be. The bytes are at all times those of the reference, the values
 * within the bound of the exact sum, and the limit of terms is where it was said. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "long_life.h"

Test(long, million_arrays_f32, .timeout = 600) { live(GHZ_F32, NULL, 1000001); }
Test(long, million_arrays_f64, .timeout = 600) { live(GHZ_F64, NULL, 1000001); }
Test(long, to_the_limit_f32, .timeout = 600) { live_to_the_limit(GHZ_F32, 35); }
Test(long, to_the_limit_f64, .timeout = 600) { live_to_the_limit(GHZ_F64, 35); }
