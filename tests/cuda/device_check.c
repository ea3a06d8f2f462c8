/* device_check.c: runs every check of the GPU half on the device of this machine, or on one that is
 * emulated, where it does less.
 *
 *   device_check [--quick | --usual] [--list] [name or group...]
 *
 * --quick is for slow tools such as compute-sanitizer. Exit status: 0 all passed, 1 some failed, 2
 * bad usage, 77 no CUDA device. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "checks.h"
#include <stdio.h>
#include <string.h>
#include <time.h>

typedef struct named_check {
  const char *group, *name;
  check_body *body;
} named_check;

static const named_check all[] = {
#define CHECK(group, name) {#group, #name, check_##name},
#include "checks.inc"
};
enum { CHECKS = sizeof all / sizeof *all };

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Chooses the checks that a word names; returns how many. */
static int choose(const char *word, int *chosen) {
  int count = 0;
  for (int i = 0; i < CHECKS; i++)
    if (strcmp(all[i].name, word) == 0 || strcmp(all[i].group, word) == 0)
      count += chosen[i] = 1;
  return count;
}

static enum extent usual_extent(void) {
#ifdef GHZ_EMULATED
  return effort(9) < 9 ? QUICK : USUAL;
#else
  return FULL;
#endif
}

static int list_checks(void) {
  for (int i = 0; i < CHECKS; i++)
    puts(all[i].name);
  return 0;
}

int main(int argc, char **argv) {
  enum extent extent = usual_extent();
  int passed = 0, failed = 0, named = 0, chosen[CHECKS] = {0};
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--list") == 0)
      return list_checks();
    if (strcmp(argv[i], "--quick") == 0)
      extent = QUICK;
    else if (strcmp(argv[i], "--usual") == 0)
      extent = USUAL;
    else if (choose(argv[i], chosen))
      named = 1;
    else {
      fprintf(stderr, "device_check: no check or option '%s'; --list names the checks\n", argv[i]);
      return 2;
    }
  }
  if (!device_present()) {
    puts("no CUDA device");
    return 77;
  }
  for (int i = 0; i < CHECKS; i++) {
    if (named && !chosen[i])
      continue;
    double start = seconds();
    printf("%-36s ", all[i].name);
    fflush(stdout);
    int failures = run_check(all[i].name, all[i].body, extent);
    if (failures)
      printf("\n%-36s ", all[i].name);
    printf("%-6s %8.2f s\n", failures ? "FAILED" : "ok", seconds() - start);
    failed += failures != 0;
    passed += failures == 0;
  }
  printf("%d passed, %d failed\n", passed, failed);
  return failed != 0;
}
