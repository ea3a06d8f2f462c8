/* test_gpu_hostile.c: damaged streams on the device: the CPU's outcome, and no access outside. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "suite.h"

#define CHECK(name) CHECK_IN(gpu_hostile, name)
#include "hostile.inc"
