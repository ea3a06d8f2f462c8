/* checks.h: declares every check of the GPU half. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
#include "gpu_support.h"

#define CHECK(group, name) void check_##name(trial *t);
#include "checks.inc"
#undef CHECK
