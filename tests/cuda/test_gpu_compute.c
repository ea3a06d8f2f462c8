/* test_gpu_compute.c: arithmetic on streams on the device against the CPU, byte for byte. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "suite.h"

#define CHECK(name) CHECK_IN(gpu_compute, name)
#include "compute.inc"
