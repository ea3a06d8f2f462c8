/* delays.h: delays messages, and has them arrive in another order. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
#include <stdint.h>

/* From now on; seed 0: no delays. Ranks need seeds of their own. */
void delays(uint64_t seed);

/* Sleeps for a while. */
void delays_pause(void);
