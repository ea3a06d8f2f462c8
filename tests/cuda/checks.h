/* checks.h: declares every check of the GPU half. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
#include "gpu_support.h"

#define CHECK(name) void check_##name(trial *t);
#include "api.inc"
#include "bricks.inc"
#include "codec.inc"
#include "compute.inc"
#include "hostile.inc"
#undef CHECK
