/* alloc_log.h: what the library holds: memory, and objects of MPI; and memory that runs out on demand.
 *
 * Programs that use it are linked with --wrap for the allocator, which sees the library and the tests, but not MPI. */
#ifndef GHZ_TESTS_ALLOC_LOG_H
#define GHZ_TESTS_ALLOC_LOG_H

#include <stdint.h>

/* What is held now. */
typedef struct alloc_log {
  long blocks;               /* of memory, held now */
  long allocations;          /* since the start */
  int64_t bytes, most_bytes; /* held now; the most so far since alloc_log_reset_most */
  long objects;              /* communicators, groups, types and operations of MPI, held now */
} alloc_log;

alloc_log alloc_log_now(void);

/* The allocation after `n` more fails, and all that follow, until a call with n < 0. */
void alloc_log_fail_after(long n);

/* Whether any has failed since alloc_log_fail_after. */
int alloc_log_failed(void);

#endif
