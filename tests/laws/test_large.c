/* test_large.c: more than 2^32 values: 16 GiB of zero pages, and a few values near the end. */
/* SPDX-License-Identifier: BSD-3-Clause */
#define _DEFAULT_SOURCE /* mmap of anonymous pages */
#include "support.h"
#include <stdio.h>
#include <sys/mman.h>

#define MANY (((size_t)1 << 32) + 5)

static void *map(size_t size) {
  void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED)
    return NULL;
  return p;
}

/* Bytes of memory that could be had, from the kernel's own estimate; 0 if it does not say. */
static size_t memory_available(void) {
  FILE *f = fopen("/proc/meminfo", "r");
  char line[128];
  unsigned long long kilobytes = 0;
  while (f && fgets(line, sizeof line, f))
    if (sscanf(line, "MemAvailable: %llu kB", &kilobytes) == 1)
      break;
  if (f)
    fclose(f);
  return (size_t)kilobytes * 1024;
}

static int sanitized(void) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return 1;
#else
  return 0;
#endif
}

static void check_tail(ghz_context *ctx, ghz_bytes s, size_t first, const float *x, double factor) {
  float y[3000];
  size_t count = MANY - first;
  succeeded(ghz_decompress_range(ctx, s, GHZ_F32, first, count, y), ctx, "range");
  for (size_t i = 0; i < count; i++)
    cr_assert(within(factor * (double)x[first + i], (double)y[i], 0.1 * factor), "value %zu", first + i);
}

static void check_slices(ghz_context *ctx, ghz_bytes s) {
  ghz_slice tail;
  succeeded(ghz_slice_view(s, MANY / 1024 - 1, 2, &tail), ctx, "view");
  cr_assert_eq(ghz_slice_count(&tail), 1024 + 5);
  float y[1029];
  succeeded(ghz_slice_decompress(ctx, &tail, GHZ_F32, y), ctx, "slice");
}

Test(large, beyond_32_bit_counts, .timeout = 300) {
  size_t room = ghz_size_bound(MANY, GHZ_F32, 2);
  cr_assert_gt(room, MANY * 4);
  if (sanitized() || memory_available() < (size_t)3 << 30)
    cr_skip_test("a sanitizer, or less than 3 GiB of memory");
  float *x = map(MANY * 4);
  uint8_t *dst = map(room), *sum = map(room);
  if (!x || !dst || !sum)
    cr_skip_test("no address space");
  for (size_t i = MANY - 2900; i < MANY; i += 3)
    x[i] = (float)(i % 1000);
  x[((size_t)1 << 31) + 7] = 12;
  mprotect(x, MANY * 4, PROT_READ);
  ghz_context *ctx = context_on(NULL, 0);
  ghz_lattice l = lattice_abs(GHZ_F32, 0.1);
  ghz_bytes s = {dst, 0}, twice = {sum, 0};
  succeeded(ghz_compress(ctx, &l, GHZ_ORDER_BEST, x, MANY, dst, room, &s.size), ctx, "compress");
  ghz_info info;
  succeeded(ghz_info_read(s, &info), ctx, "info");
  cr_assert_eq(info.count, MANY);
  cr_assert_eq(info.tiles, MANY / 1024 + 1);
  cr_assert_lt(s.size, 12 << 20);
  check_tail(ctx, s, MANY - 3000, x, 1);
  succeeded(ghz_add(ctx, s, s, sum, room, &twice.size), ctx, "add");
  check_tail(ctx, twice, MANY - 3000, x, 2);
  float y[1];
  succeeded(ghz_decompress_range(ctx, s, GHZ_F32, ((size_t)1 << 31) + 7, 1, y), ctx, "middle");
  cr_assert(within(12, (double)y[0], 0.1));
  check_slices(ctx, s);
  ghz_context_free(ctx);
  munmap(x, MANY * 4);
  munmap(dst, room);
  munmap(sum, room);
}
