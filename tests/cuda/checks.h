/* checks.h: declares every check of the GPU half. */
#pragma once
#include "gpu_support.h"

#define CHECK(name) void check_##name(trial *t);
#include "api.inc"
#include "codec.inc"
#include "compute.inc"
#include "hostile.inc"
#undef CHECK
