/* signals.c: owns the one unfinished file, where it has a name, which a signal or an early exit
 * removes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "signals.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Signals that end a program: from a user, a scheduler, or a runtime that gives up. */
static const int caught[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU, SIGALRM, SIGUSR1, SIGUSR2, SIGABRT};
static const char *volatile unfinished;

/* What a signal handler may call. */
static void remove_temporary(void) {
  if (unfinished)
    unlink(unfinished);
}

static void remove_and_die(int signal_number) {
  remove_temporary();
  signal(signal_number, SIG_DFL);
  raise(signal_number);
}

static sigset_t caught_set(void) {
  sigset_t set;
  sigemptyset(&set);
  for (size_t i = 0; i < sizeof caught / sizeof *caught; i++)
    sigaddset(&set, caught[i]);
  return set;
}

void signals_install(void) {
  atexit(remove_temporary); /* the OpenMP runtime ends a program by exit() where it lacks memory */
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
  struct sigaction action = {.sa_handler = remove_and_die, .sa_mask = caught_set(), .sa_flags = SA_RESTART};
  for (size_t i = 0; i < sizeof caught / sizeof *caught; i++) {
    struct sigaction old;
    if (sigaction(caught[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
      sigaction(caught[i], &action, NULL);
  }
}

/* Lets no signal come between making a file and knowing its name, nor while it changes its name. */
static void hold(sigset_t *old) {
  const sigset_t set = caught_set();
  sigprocmask(SIG_BLOCK, &set, old);
}

static void let_go(const sigset_t *old) {
  const int error = errno;
  sigprocmask(SIG_SETMASK, old, NULL);
  errno = error;
}

int signals_create(temporary_file *u, const char *path, bool named, const struct stat *old) {
  sigset_t set;
  hold(&set);
  const int error = ghz_temporary_create(u, path, named, old);
  unfinished = u->nameless ? NULL : u->name;
  let_go(&set);
  return error;
}

int signals_commit(temporary_file *u, int only_if_absent) {
  sigset_t set;
  hold(&set);
  unfinished = NULL;
  const int error = ghz_temporary_publish(u, only_if_absent);
  ghz_temporary_remove(u);
  ghz_temporary_free(u);
  let_go(&set);
  return error;
}

void signals_discard(temporary_file *u) {
  ghz_temporary_remove(u);
  unfinished = NULL;
  ghz_temporary_free(u);
}

int signals_scratch(const char **directory) {
  char pattern[4096];
  sigset_t set;
  const char *chosen = getenv("TMPDIR");
  *directory = chosen && *chosen ? chosen : "/tmp";
  int length = snprintf(pattern, sizeof pattern, "%s/ghz-XXXXXX", *directory);
  if (length < 0 || (size_t)length >= sizeof pattern) {
    errno = ENAMETOOLONG;
    return -1;
  }
  hold(&set);
  int fd = mkstemp(pattern);
  if (fd >= 0)
    unlink(pattern);
  let_go(&set);
  return fd;
}
