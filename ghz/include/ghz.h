/* ghz.h: the older name of what is now in three headers and <ghz/ghz.h>. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <ghz/cuda.h>
#include <ghz/numbers.h>
#include <ghz/slice.h>
