/* faults.c: owns faults: preloaded into a command, it makes chosen calls fail, be interrupted, or
 * meet a signal.
 *
 * GHZ_FAULT=CALLS:FIRST:LAST:KIND[:ERROR], GHZ_FAULT_LOG=DESCRIPTOR
 *   CALLS        the name of a call, or files, memory or threads: all calls of that class
 *   FIRST, LAST  the calls that are struck, counted from 1, from main on
 *   KIND         fail   returns an error: ERROR, a number, or one that suits the call
 *                rough  every other call that may be interrupted is; the reads and writes between
 *                       move half of the bytes
 *                zero   reads and writes (others are not counted) move nothing, and return 0
 *                term   a SIGTERM arrives before the call; late: just after it; stop: a SIGSTOP
 * GHZ_FAULT_NAMED: no file is without a name.
 * To the log goes a line about the first call that is struck: "CALL ERROR DESCRIPTOR PATH". */
/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- The plan ---- */
static struct {
  char calls[32], kind[8];
  long first, last;
  int error, log;
  long count; /* calls so far, from main on */
  int armed;
} plan;

static void arm(void) {
  const char *text = getenv("GHZ_FAULT"), *log = getenv("GHZ_FAULT_LOG");
  if (!text || sscanf(text, "%31[^:]:%ld:%ld:%7[^:]:%d", plan.calls, &plan.first, &plan.last, plan.kind,
                      &plan.error) < 4)
    return;
  plan.log = log ? atoi(log) : -1;
  plan.armed = 1;
}

/* What can happen to a call beside failing: a signal interrupts it; it moves some bytes alone. */
typedef enum nature { QUICK, SLOW, TRANSFER } nature;

/* A call that may be struck. */
typedef struct call {
  nature nature;
  const char *name, *class;
  int error; /* that suits it */
  int fd;    /* or -1 */
  const char *path;
} call;

/* What becomes of a call. */
typedef enum verdict { PASS, FAIL, SHORT, ZERO, LATE } verdict;

/* What a call is about: "-" where that is no file. */
static void find_path(const call *c, char path[PATH_MAX]) {
  char link[64];
  strcpy(path, "-");
  if (c->path) {
    snprintf(path, PATH_MAX, "%s", c->path);
  } else if (c->fd >= 0) {
    snprintf(link, sizeof link, "/proc/self/fd/%d", c->fd);
    ssize_t n = readlink(link, path, PATH_MAX - 1);
    path[n > 0 ? n : 1] = '\0';
  }
}

/* LLVM's OpenMP keeps a file in memory to find its copies, and ends the program if it cannot. */
static int is_foreign(const call *c) {
  char path[PATH_MAX];
  find_path(c, path);
  return strncmp(path, "/dev/shm/__KMP_", 15) == 0 || strncmp(path, "/__KMP_", 7) == 0;
}

static void note(const call *c, int error) {
  char line[PATH_MAX + 64], path[PATH_MAX];
  find_path(c, path);
  int n = snprintf(line, sizeof line, "%s %d %d %s\n", c->name, error, c->fd, path);
  syscall(SYS_write, plan.log, line, (size_t)n);
}

static int planned(const char *kind) { return strcmp(plan.kind, kind) == 0; }

/* Whether the plan is about such calls. */
static int concerns(const call *c) {
  if (!plan.armed || (strcmp(plan.calls, c->name) != 0 && strcmp(plan.calls, c->class) != 0))
    return 0;
  nature least = planned("zero") ? TRANSFER : planned("rough") ? SLOW : QUICK;
  return c->nature >= least && !is_foreign(c);
}

/* Counts a call; sets errno if it is to fail. */
static verdict judge(call c) {
  if (!concerns(&c))
    return PASS;
  long count = __atomic_add_fetch(&plan.count, 1, __ATOMIC_RELAXED);
  if (count < plan.first || count > plan.last)
    return PASS;
  int error = planned("rough") ? EINTR : plan.error ? plan.error : c.error;
  if (count == plan.first)
    note(&c, error);
  if (planned("term") || planned("stop"))
    raise(planned("term") ? SIGTERM : SIGSTOP);
  if (planned("late"))
    return LATE;
  if (planned("zero"))
    return ZERO;
  if (planned("rough") && count % 2 == 0)
    return SHORT;
  if (!planned("fail") && !planned("rough"))
    return PASS;
  errno = error;
  return FAIL;
}

static void *real(const char *name) {
  void *function = dlsym(RTLD_NEXT, name);
  if (!function)
    abort();
  return function;
}

/* After a call. */
static void finish(verdict v) {
  if (v == LATE)
    raise(SIGTERM);
}

/* ---- From main on ---- */
typedef int main_function(int argc, char **argv, char **environment);
typedef int start_function(main_function *start, int argc, char **argv, void (*init)(void), void (*fini)(void),
                           void (*loader_fini)(void), void *stack_end);
start_function __libc_start_main;

static main_function *main_of_command;

static int armed_main(int argc, char **argv, char **environment) {
  arm();
  int code = main_of_command(argc, argv, environment);
  plan.armed = 0; /* what runs at the exit, such as the counters of a coverage build, is not tested */
  return code;
}

int __libc_start_main(main_function *start, int argc, char **argv, void (*init)(void), void (*fini)(void),
                      void (*loader_fini)(void), void *stack_end) {
  main_of_command = start;
  return ((start_function *)real("__libc_start_main"))(armed_main, argc, argv, init, fini, loader_fini,
                                                       stack_end);
}

/* ---- Files ---- */
#define FILES(nature, name, error, fd, path) ((call){nature, name, "files", error, fd, path})

/* Defines `symbol`, which the plan calls `name`, and which gives `failure` when struck. */
#define DEFINE(result, failure, symbol, name, error, fd, path, parameters, arguments)                          \
  result symbol parameters {                                                                                   \
    verdict v = judge(FILES(QUICK, name, error, fd, path));                                                    \
    if (v == FAIL)                                                                                             \
      return failure;                                                                                          \
    result r = ((result(*) parameters)real(#symbol))arguments;                                                 \
    finish(v);                                                                                                 \
    return r;                                                                                                  \
  }

#define DEFINE_STATUS(symbol, name)                                                                            \
  DEFINE(int, -1, symbol, name, EACCES, -1, path, (const char *path, struct stat64 *status), (path, status))

/* The calls that ghz makes, by the names that glibc gives them where files have 64 bits. */
DEFINE_STATUS(stat64, "stat")
DEFINE_STATUS(lstat64, "lstat")
DEFINE(int, -1, fstat64, "fstat", EIO, fd, NULL, (int fd, struct stat64 *status), (fd, status))
DEFINE(off64_t, -1, lseek64, "lseek", EIO, fd, NULL, (int fd, off64_t offset, int whence), (fd, offset, whence))
DEFINE(int, -1, mkstemp64, "mkstemp", EROFS, -1, pattern, (char *pattern), (pattern))
DEFINE(int, -1, fsync, "fsync", EIO, fd, NULL, (int fd), (fd))
DEFINE(int, -1, fchmod, "fchmod", EPERM, fd, NULL, (int fd, mode_t mode), (fd, mode))
DEFINE(int, -1, linkat, "linkat", EPERM, -1, to, (int at, const char *from, int in, const char *to, int flags),
       (at, from, in, to, flags))
DEFINE(int, -1, rename, "rename", EACCES, -1, from, (const char *from, const char *to), (from, to))
DEFINE(int, -1, unlink, "unlink", EACCES, -1, path, (const char *path), (path))
DEFINE(ssize_t, -1, readlink, "readlink", EACCES, -1, path, (const char *path, char *to, size_t room),
       (path, to, room))

/* Of text: its writes are hidden in the C library. */
int fflush(FILE *stream) {
  verdict v = PASS;
  if (stream && __fpending(stream) > 0)
    v = judge(FILES(QUICK, "fflush", ENOSPC, fileno(stream), NULL));
  if (v == FAIL)
    return EOF;
  int result = ((int (*)(FILE *))real("fflush"))(stream);
  finish(v);
  return result;
}

int open64(const char *path, int flags, ...) {
  const int nameless = (flags & O_TMPFILE) == O_TMPFILE;
  if (nameless && getenv("GHZ_FAULT_NAMED")) {
    errno = EOPNOTSUPP;
    return -1;
  }
  va_list list;
  va_start(list, flags);
  mode_t mode = flags & O_CREAT || nameless ? va_arg(list, mode_t) : 0;
  va_end(list);
  verdict v = judge(FILES(SLOW, nameless ? "tmpfile" : "open", EACCES, -1, path));
  if (v == FAIL)
    return -1;
  int fd = ((int (*)(const char *, int, ...))real("open64"))(path, flags, mode);
  finish(v);
  return fd;
}

/* As in Linux, the descriptor is gone even where close fails. */
int close(int fd) {
  verdict v = judge(FILES(SLOW, "close", EIO, fd, NULL));
  int error = errno, result = ((int (*)(int))real("close"))(fd);
  finish(v);
  if (v != FAIL)
    return result;
  errno = error;
  return -1;
}

/* The verdict on a call that moves *size bytes, which is set to those that it may. */
static verdict judge_transfer(const char *name, int error, int fd, size_t *size) {
  verdict v = judge(FILES(TRANSFER, name, error, fd, NULL));
  if (v == SHORT)
    *size -= *size / 2;
  return v;
}

/* Defines a read or a write. */
#define DEFINE_TRANSFER(symbol, name, error, parameters, arguments)                                            \
  ssize_t symbol parameters {                                                                                  \
    verdict v = judge_transfer(name, error, fd, &size);                                                        \
    if (v == FAIL || v == ZERO)                                                                                \
      return v == FAIL ? -1 : 0;                                                                               \
    ssize_t n = ((ssize_t(*) parameters)real(#symbol))arguments;                                               \
    finish(v);                                                                                                 \
    return n;                                                                                                  \
  }

DEFINE_TRANSFER(read, "read", EIO, (int fd, void *to, size_t size), (fd, to, size))
DEFINE_TRANSFER(pread64, "pread", EIO, (int fd, void *to, size_t size, off64_t at), (fd, to, size, at))
DEFINE_TRANSFER(write, "write", ENOSPC, (int fd, const void *from, size_t size), (fd, from, size))

/* ---- Threads ---- */
typedef int create_function(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
                            void *argument);

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
                   void *argument) {
  if (judge((call){QUICK, "pthread_create", "threads", EAGAIN, -1, NULL}) == FAIL)
    return errno;
  return ((create_function *)real("pthread_create"))(thread, attributes, start, argument);
}

/* ---- Memory: a sanitizer keeps it for itself ---- */
#ifndef GHZ_FAULTS_WITHOUT_MEMORY

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *p, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static int refused(const char *name) { return judge((call){QUICK, name, "memory", ENOMEM, -1, NULL}) == FAIL; }
void *malloc(size_t size) { return refused("malloc") ? NULL : __libc_malloc(size); }
void *calloc(size_t count, size_t size) { return refused("calloc") ? NULL : __libc_calloc(count, size); }
void *realloc(void *p, size_t size) { return refused("realloc") ? NULL : __libc_realloc(p, size); }
void *aligned_alloc(size_t alignment, size_t size) {
  return refused("aligned_alloc") ? NULL : __libc_memalign(alignment, size);
}

#endif
