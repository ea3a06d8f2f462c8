/* test_gpu.c: each check of the GPU half as a test of Criterion, in the suite of its group. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "checks.h"
#include <criterion/criterion.h>

static enum extent wanted(void) {
#ifdef GHZ_EMULATED
  return effort(9) < 9 ? QUICK : USUAL;
#else
  return FULL;
#endif
}

static void run_in_suite(const char *name, check_body *body) {
  if (!device_present())
    cr_skip_test("no CUDA device");
  int failures = run_check(name, body, wanted());
  cr_assert(failures == 0, "%s: %d failures", name, failures);
}

#define CHECK(group, name)                                                                                     \
  Test(group, name, .timeout = 300) { run_in_suite(#name, check_##name); }
#include "checks.inc"
