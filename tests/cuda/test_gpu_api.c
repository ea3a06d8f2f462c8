/* test_gpu_api.c: how the calls for a device behave: arguments, memory, streams, limits. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "suite.h"

#define CHECK(name) CHECK_IN(gpu_api, name)
#include "api.inc"
