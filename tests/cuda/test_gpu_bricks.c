/* test_gpu_bricks.c: arrays of two and three dimensions on the device against the CPU. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "suite.h"

#define CHECK(name) CHECK_IN(gpu_bricks, name)
#include "bricks.inc"
