/* suite.h: a Criterion test of every check of a group: define SUITE, include this and the group. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
#include "checks.h"
#include <criterion/criterion.h>

#ifdef __SANITIZE_ADDRESS__
#define SUITE_EXTENT QUICK
#elif defined GHZ_EMULATED
#define SUITE_EXTENT USUAL
#else
#define SUITE_EXTENT FULL
#endif

static void run_in_suite(const char *name, check_body *body) {
  if (!device_present())
    cr_skip_test("no CUDA device");
  int failures = run_check(name, body, SUITE_EXTENT);
  cr_assert(failures == 0, "%s: %d failures", name, failures);
}

#define CHECK_IN(suite, name)                                                                                  \
  Test(suite, name, .timeout = 300) { run_in_suite(#name, check_##name); }
