/* poll.c: preloaded into ranks: a poll that sleeps, and does not spin.
 *
 * MPI libraries poll without end. On an emulated cluster the ranks that poll take the cores from
 * those that work. After a few empty polls in a row this one waits up to 50 us for a
 * descriptor to become ready; arriving data wake them at once. Polls with other work between them
 * never wait. */
/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include <poll.h>
#include <stdint.h>
#include <time.h>

#define EMPTY_POLLS 4  /* in a row before the first wait */
#define IN_A_ROW 20000 /* ns at most between two polls with nothing else between them */

static const struct timespec nap = {.tv_nsec = 50000};
static _Thread_local int empty_polls;
static _Thread_local int64_t last_poll;

static int64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int may_wait(void) {
  if (now_ns() - last_poll > IN_A_ROW)
    empty_polls = 0;
  return empty_polls >= EMPTY_POLLS;
}

static int noted(int ready) {
  empty_polls = ready == 0 ? empty_polls + 1 : 0;
  last_poll = now_ns();
  return ready;
}

/* ppoll is the same call under a name that is not replaced here. */
int poll(struct pollfd *fds, nfds_t n, int timeout) {
  struct timespec limit = {.tv_sec = timeout / 1000, .tv_nsec = timeout % 1000 * 1000000L};
  if (timeout != 0)
    return ppoll(fds, n, timeout < 0 ? NULL : &limit, NULL);
  return noted(ppoll(fds, n, n > 0 && may_wait() ? &nap : &limit, NULL));
}
