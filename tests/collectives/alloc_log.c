/* alloc_log.c: the allocator and some MPI calls, counted. */
#define _GNU_SOURCE
#include "alloc_log.h"

#include <errno.h>
#include <malloc.h>
#include <mpi.h>
#include <stdlib.h>

static alloc_log book;
static long left = -1, failed;

alloc_log alloc_log_now(void) {
  return book;
}

void alloc_log_fail_after(long n) {
  failed = 0;
  __atomic_store_n(&left, n, __ATOMIC_RELAXED);
}

int alloc_log_failed(void) {
  return failed > 0;
}

/* ---- Memory ------------------------------------------------------------------------------------------ */

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

static int refuse(void) {
  if (__atomic_load_n(&left, __ATOMIC_RELAXED) < 0)
    return 0;
  if (__atomic_load_n(&left, __ATOMIC_RELAXED) > 0) {
    __atomic_fetch_sub(&left, 1, __ATOMIC_RELAXED);
    return 0;
  }
  failed++;
  errno = ENOMEM;
  return 1;
}

static void enter(void *p, long sign) {
  if (!p)
    return;
  __atomic_fetch_add(&book.blocks, sign, __ATOMIC_RELAXED);
  __atomic_fetch_add(&book.bytes, sign * (int64_t)malloc_usable_size(p), __ATOMIC_RELAXED);
}

static void *entered(void *p) {
  enter(p, 1);
  return p;
}

void *__wrap_malloc(size_t size) {
  return refuse() ? NULL : entered(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size) {
  return refuse() ? NULL : entered(__real_calloc(count, size));
}

void *__wrap_realloc(void *p, size_t size) {
  if (refuse())
    return NULL;
  enter(p, -1);
  void *q = __real_realloc(p, size);
  enter(q ? q : p, 1);
  return q;
}

void *__wrap_aligned_alloc(size_t alignment, size_t size) {
  return refuse() ? NULL : entered(__real_aligned_alloc(alignment, size));
}

int __wrap_posix_memalign(void **p, size_t alignment, size_t size) {
  if (refuse())
    return ENOMEM;
  int code = __real_posix_memalign(p, alignment, size);
  if (code == 0)
    enter(*p, 1);
  return code;
}

void __wrap_free(void *p) {
  enter(p, -1);
  __real_free(p);
}

/* ---- Objects of MPI ---------------------------------------------------------------------------------- */

#define VISIBLE __attribute__((visibility("default")))

static int count(int code, long by) {
  if (code == MPI_SUCCESS)
    __atomic_fetch_add(&book.objects, by, __ATOMIC_RELAXED);
  return code;
}

VISIBLE int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *made) {
  return count(PMPI_Comm_dup(comm, made), 1);
}

VISIBLE int MPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm *made) {
  return count(PMPI_Comm_create(comm, group, made), 1);
}

VISIBLE int MPI_Comm_group(MPI_Comm comm, MPI_Group *made) {
  return count(PMPI_Comm_group(comm, made), 1);
}

VISIBLE int MPI_Group_free(MPI_Group *group) {
  return count(PMPI_Group_free(group), -1);
}

VISIBLE int MPI_Comm_free(MPI_Comm *comm) {
  return count(PMPI_Comm_free(comm), -1);
}

VISIBLE int MPI_Type_contiguous(int n, MPI_Datatype type, MPI_Datatype *made) {
  return count(PMPI_Type_contiguous(n, type, made), 1);
}

VISIBLE int MPI_Type_free(MPI_Datatype *type) {
  return count(PMPI_Type_free(type), -1);
}

VISIBLE int MPI_Op_create(MPI_User_function *function, int commute, MPI_Op *made) {
  return count(PMPI_Op_create(function, commute, made), 1);
}

VISIBLE int MPI_Op_free(MPI_Op *op) {
  return count(PMPI_Op_free(op), -1);
}
