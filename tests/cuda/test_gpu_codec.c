/* test_gpu_codec.c: compression and decompression on the device against the CPU, byte for byte. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "suite.h"

#define CHECK(name) CHECK_IN(gpu_codec, name)
#include "codec.inc"
