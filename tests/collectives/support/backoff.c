/* backoff.c: lets waiting ranks give way where there are more of them than cores.
 *
 * MPICH over UCX waits without ever giving up its core, so that a job of 8 ranks on 2 cores spends
 * its time in waiting (tests take ten times as long). It does so through one call of UCX, which
 * this replaces by one that yields when nothing happened, and sleeps when nothing happens for long.
 * Other MPIs never call it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <dlfcn.h>
#include <sched.h>
#include <stddef.h>
#include <time.h>

typedef unsigned progress(void *worker);

__attribute__((visibility("default"))) unsigned ucp_worker_progress(void *worker);

unsigned ucp_worker_progress(void *worker) {
  enum { PATIENT = 4, TIRED = 100 };
  static _Thread_local int idle;
  static progress *next;
  progress *call = __atomic_load_n(&next, __ATOMIC_RELAXED);
  if (call == NULL) {
    *(void **)&call = dlsym(RTLD_NEXT, "ucp_worker_progress");
    __atomic_store_n(&next, call, __ATOMIC_RELAXED);
  }
  unsigned events = call(worker);
  idle = events ? 0 : idle + 1;
  if (idle > TIRED)
    nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
  else if (idle > PATIENT)
    sched_yield();
  return events;
}
