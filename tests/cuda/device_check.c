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

static int is_called(const named_check *check, const char *word) {
  return strcmp(check->name, word) == 0 || strcmp(check->group, word) == 0;
}

static int chosen(const named_check *check, int count, char **names) {
  int any = 0;
  for (int i = 0; i < count; i++) {
    if (names[i][0] == '-')
      continue;
    any = 1;
    if (is_called(check, names[i]))
      return 1;
  }
  return !any;
}

static int known(const char *word) {
  for (int i = 0; i < CHECKS; i++)
    if (is_called(&all[i], word))
      return 1;
  return 0;
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
  int passed = 0, failed = 0;
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--list") == 0)
      return list_checks();
    if (strcmp(argv[i], "--quick") == 0)
      extent = QUICK;
    else if (strcmp(argv[i], "--usual") == 0)
      extent = USUAL;
    else if (!known(argv[i])) {
      fprintf(stderr, "device_check: no check or option '%s'; --list names the checks\n", argv[i]);
      return 2;
    }
  }
  if (!device_present()) {
    puts("no CUDA device");
    return 77;
  }
  for (int i = 0; i < CHECKS; i++) {
    if (!chosen(&all[i], argc - 1, argv + 1))
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
