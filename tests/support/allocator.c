/* allocator.c: stands between the library and the allocator, by the linker's --wrap. */
/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "allocator.h"
#include <errno.h>
#include <malloc.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *p, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
int __real_posix_memalign(void **p, size_t alignment, size_t size);
void __real_free(void *p);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *p, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
int __wrap_posix_memalign(void **p, size_t alignment, size_t size);
void __wrap_free(void *p);

size_t allocator_largest;
static long count, live;                 /* changed by several threads */
static int64_t bytes;                    /* so is this */
static long start, first, last, refused; /* by the test alone, while nothing else runs */

long allocator_count(void) { return __atomic_load_n(&count, __ATOMIC_RELAXED); }
long allocator_live(void) { return __atomic_load_n(&live, __ATOMIC_RELAXED); }
int64_t allocator_bytes(void) { return __atomic_load_n(&bytes, __ATOMIC_RELAXED); }

void allocator_refuse(long from, long to) {
  start = allocator_count();
  first = from;
  last = to;
  refused = 0;
}

long allocator_refused(void) { return __atomic_load_n(&refused, __ATOMIC_RELAXED); }

/* Counts an allocation; 0 if it is refused. */
static int granted(size_t size) {
  long number = __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED) - start;
  size_t largest = __atomic_load_n(&allocator_largest, __ATOMIC_RELAXED);
  while (size > largest && !__atomic_compare_exchange_n(&allocator_largest, &largest, size, 1, __ATOMIC_RELAXED,
                                                        __ATOMIC_RELAXED))
    ;
  if (number < first || number > last)
    return 1;
  __atomic_add_fetch(&refused, 1, __ATOMIC_RELAXED);
  errno = ENOMEM;
  return 0;
}

/* Counts a block that is held now, or no longer (by -1). */
static void *counted(void *p, long by) {
  if (p) {
    __atomic_add_fetch(&live, by, __ATOMIC_RELAXED);
    __atomic_add_fetch(&bytes, by * (int64_t)malloc_usable_size(p), __ATOMIC_RELAXED);
  }
  return p;
}

void *__wrap_malloc(size_t size) { return granted(size) ? counted(__real_malloc(size), 1) : NULL; }

void *__wrap_calloc(size_t n, size_t size) {
  return granted(n * size) ? counted(__real_calloc(n, size), 1) : NULL;
}

void *__wrap_realloc(void *p, size_t size) {
  if (!granted(size))
    return NULL;
  counted(p, -1);
  void *moved = __real_realloc(p, size);
  counted(moved ? moved : p, 1);
  return moved;
}

void *__wrap_aligned_alloc(size_t alignment, size_t size) {
  return granted(size) ? counted(__real_aligned_alloc(alignment, size), 1) : NULL;
}

int __wrap_posix_memalign(void **p, size_t alignment, size_t size) {
  if (!granted(size))
    return ENOMEM;
  int error = __real_posix_memalign(p, alignment, size);
  if (!error)
    counted(*p, 1);
  return error;
}

void __wrap_free(void *p) {
  counted(p, -1);
  __real_free(p);
}
