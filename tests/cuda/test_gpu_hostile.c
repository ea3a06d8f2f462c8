/* test_gpu_hostile.c: damaged streams on the device: the CPU's outcome, and no access outside. */
#include "suite.h"

#define CHECK(name) CHECK_IN(gpu_hostile, name)
#include "hostile.inc"
