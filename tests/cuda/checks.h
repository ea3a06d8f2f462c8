/* checks.h: declares every check of the GPU half. */
#ifndef GHZ_TESTS_CHECKS_H
#define GHZ_TESTS_CHECKS_H

#include "gpu_support.h"

#define CHECK(name) void check_##name(trial *t);
#include "api.inc"
#include "codec.inc"
#include "compute.inc"
#include "hostile.inc"
#undef CHECK

#endif
