/* test_gpu_api.c: how the calls for a device behave: arguments, memory, streams, limits. */
#include "suite.h"

#define CHECK(name) CHECK_IN(gpu_api, name)
#include "api.inc"
