/* openmp.h: OpenMP; where a build has none, what its calls are to the only thread. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_OPENMP_H
#define GHZ_OPENMP_H

#ifdef _OPENMP
#include <omp.h>
enum { THREADS_MAX = 4096 }; /* more than any machine has; scratch is a little per thread */
#else
enum { THREADS_MAX = 1 };
typedef int omp_lock_t;
#define omp_get_max_threads() 1
#define omp_get_thread_num() 0
#define omp_init_lock(lock) (void)(lock)
#define omp_set_lock(lock) (void)(lock)
#define omp_unset_lock(lock) (void)(lock)
#define omp_destroy_lock(lock) (void)(lock)
#endif

#endif
