/* test_files_appended.c: files that are appended to in their place: what is written and when it can
 * be read, one writer at a time, crashes at every call of the system, indexes that are not
 * whole. */
/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "files.h"
#include "rules/bytes.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

TestSuite(files_appended, .timeout = 300);

/* ---- Calls of the system, in the place of the C library's ---- */
typedef enum fault { NONE, DIES, DIES_HALFWAY, FAILS } fault;

static struct {
  long at; /* the call that is struck, from 1 */
  fault kind;
  long calls;
  uint64_t written;
  int no_nameless;       /* no file without a name can be had */
  int no_locks;          /* nor a lock */
  void (*at_lock)(void); /* what happens before the next one */
  void (*at_name)(void); /* and after the next name */
  char done[256];        /* what reached the disk, and when: w, T (a tail), s(ync), n(ame) */
} plan;

static void note(char what) {
  const size_t n = strlen(plan.done);
  if (n + 1 < sizeof plan.done)
    plan.done[n] = what;
}

static void plan_fault(fault kind, long at) {
  plan.kind = kind;
  plan.at = at;
  plan.calls = 0;
}

/* Whether the call is to fail, or, where it is a write, to be made in part. */
static int struck_in(int writes) {
  const int hit = plan.kind != NONE && ++plan.calls == plan.at;
  if (hit && (plan.kind == DIES || (plan.kind == DIES_HALFWAY && !writes)))
    _exit(7);
  errno = ENOSPC;
  return hit;
}

static int struck(void) { return struck_in(0); }

ssize_t write(int fd, const void *from, size_t size) {
  if (struck_in(1)) {
    if (plan.kind == DIES_HALFWAY) {
      syscall(SYS_write, fd, from, size / 2);
      _exit(7);
    }
    return -1;
  }
  plan.written += size;
  note(size == 32 && memcmp((const uint8_t *)from + 24, "GHZINDEX", 8) == 0 ? 'T' : 'w');
  return syscall(SYS_write, fd, from, size);
}

int open64(const char *path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  const unsigned mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, unsigned) : 0;
  va_end(list);
  if (plan.no_nameless && (flags & O_TMPFILE) == O_TMPFILE) {
    errno = EOPNOTSUPP;
    return -1;
  }
  return struck() ? -1 : (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int fsync(int fd) {
  note('s');
  return struck() ? -1 : fd < 0;
}

int rename(const char *from, const char *to) {
  void (*const then)(void) = plan.at_name;
  note('n');
  const int failed = (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
  plan.at_name = NULL;
  if (then)
    then();
  return failed;
}

int flock(int fd, int how) {
  void (*const first)(void) = plan.at_lock;
  plan.at_lock = NULL;
  if (first)
    first();
  errno = ENOLCK;
  return struck() || plan.no_locks ? -1 : (int)syscall(SYS_flock, fd, how);
}
int ftruncate64(int fd, off64_t size) { return struck() ? -1 : (int)syscall(SYS_ftruncate, fd, size); }
off64_t lseek64(int fd, off64_t at, int whence) { return struck() ? -1 : syscall(SYS_lseek, fd, at, whence); }

ssize_t pread64(int fd, void *to, size_t size, off64_t at) {
  return struck() ? -1 : syscall(SYS_pread64, fd, to, size, at);
}

int linkat(int from, const char *old, int to, const char *new, int flags) {
  note('n');
  return struck() ? -1 : (int)syscall(SYS_linkat, from, old, to, new, flags);
}

/* ---- An array that grows ---- */
enum { STEPS = 12, ROWS = 20, COLUMNS = 40, STEP = ROWS * COLUMNS };

static char folder[] = "/tmp/ghz-appended-XXXXXX";
static const char *path;
static float *x; /* of all steps */

static void make_folder(void) {
  cr_assert_not_null(mkdtemp(folder));
  char *name = scratch(sizeof folder + 8);
  sprintf(name, "%s/a.ghz", folder);
  path = name;
  x = scratch(STEPS * STEP * sizeof *x);
  for (size_t i = 0; i < STEPS * STEP; i++)
    x[i] = (float)((i * i) % 977) / 64;
}

static void remove_folder(void) {
  unlink(path);
  cr_assert_eq(rmdir(folder), 0, "an unfinished file stays behind");
}

static ghz_file_header header_of_steps(uint64_t steps, int flat) {
  ghz_file_header h = {.array = {.ndim = 3, .dims = {steps, ROWS, COLUMNS}},
                       .lattice = lattice_abs(GHZ_F32, 1e-2),
                       .count = steps * STEP};
  worked(ghz_file_choose_frames(&h, flat, 3 * STEP), "frames");
  return h;
}

static ghz_status write_steps(ghz_file_writer *w, uint64_t from, uint64_t to) {
  return ghz_file_write(w, NULL, x + from * STEP, (size_t)(to - from) * STEP);
}

static void create_steps(uint64_t steps, int flat) {
  const ghz_file_header h = header_of_steps(steps, flat);
  ghz_file_writer *w;
  worked(ghz_file_create(path, &h, &w), "create");
  worked(write_steps(w, 0, steps), "write");
  worked(ghz_file_finish(w, NULL), "finish");
}

static ghz_status append_steps(uint64_t from, uint64_t to) {
  ghz_file_writer *w;
  ghz_status status = ghz_file_append(path, to - from, &w);
  if (status != GHZ_OK)
    return status;
  status = write_steps(w, from, to);
  const ghz_status finished = ghz_file_finish(w, NULL);
  return status == GHZ_OK ? finished : status;
}

/* Reads the file in both ways, and checks all values that it has. Returns how many steps. */
static uint64_t check_file(ghz_file *f, const char *what) {
  const uint64_t count = ghz_file_get_info(f)->header.count;
  uint64_t seen = 0;
  float *y = scratch((size_t)count * sizeof *y + 1);
  cr_assert(ghz_file_get_info(f)->indexed && count % STEP == 0, "%s: %llu values", what,
            (unsigned long long)count);
  worked(ghz_file_read(f, NULL, GHZ_F32, 0, (size_t)count, y), what);
  for (uint64_t v = 0; v < count; v++)
    cr_assert(within(x[v], y[v], 1e-2), "%s: value %llu", what, (unsigned long long)v);
  for (ghz_frame frame = {0};; seen += frame.info.count) {
    worked(ghz_file_next(f, NULL, &frame), what);
    if (frame.stream.size == 0) {
      ghz_frame_free(&frame);
      break;
    }
  }
  cr_assert_eq(seen, count, "%s", what);
  return count / STEP;
}

static ghz_file *open_file(const char *what) {
  ghz_file *f;
  worked(ghz_file_open(path, &f), what);
  return f;
}

static uint64_t steps_of(const char *what) {
  ghz_file *f = open_file(what);
  const uint64_t steps = check_file(f, what);
  ghz_file_close(f);
  return steps;
}

static memory_file bytes_of_file(void) {
  struct stat status;
  cr_assert_eq(stat(path, &status), 0);
  memory_file m = {.size = (size_t)status.st_size, .data = scratch((size_t)status.st_size)};
  FILE *file = fopen(path, "rb");
  cr_assert_eq(fread(m.data, 1, m.size, file), m.size);
  fclose(file);
  return m;
}

/* With so many bytes of what was not finished. */
static memory_file with_garbage(const memory_file *m, size_t garbage) {
  memory_file longer = {.size = m->size + garbage, .data = scratch(m->size + garbage)};
  memcpy(longer.data, m->data, m->size);
  memset(longer.data + m->size, 'x', garbage);
  return longer;
}

static void put_file(const memory_file *m) {
  FILE *file = fopen(path, "wb");
  cr_assert_eq(fwrite(m->data, 1, m->size, file), m->size);
  fclose(file);
}

/* ---- What is there afterwards ---- */
Test(files_appended, hold_all_steps_and_change_no_byte_of_the_old, .init = make_folder, .fini = remove_folder) {
  for (int flat = 0; flat < 2; flat++) {
    create_steps(1, flat);
    for (uint64_t step = 1; step < STEPS; step++) {
      const memory_file before = bytes_of_file();
      worked(append_steps(step, step + 1), "append");
      const memory_file after = bytes_of_file();
      cr_assert(after.size > before.size && memcmp(before.data, after.data, before.size) == 0);
      cr_assert_eq(steps_of("appended"), step + 1);
    }
  }
}

/* From a pipe they are refused where the index of the beginning should be the end. */
Test(files_appended, are_not_read_from_pipes, .init = make_folder, .fini = remove_folder) {
  create_steps(2, 1);
  worked(append_steps(2, 4), "append");
  memory_file m = bytes_of_file();
  ghz_status status;
  (void)read_frames(&m, 0, NULL, &status);
  cr_assert_eq(status, GHZ_ECORRUPT);
  cr_assert(strstr(ghz_context_message(NULL), "appended to is not read from a pipe"), "%s",
            ghz_context_message(NULL));
}

/* ---- How much is written ---- */
/* Once what is new, and each entry of the index a few times, however many frames there are: by
 * flushes of one writer, and by appends. */
Test(files_appended, write_little, .init = make_folder, .fini = remove_folder) {
  enum { MANY = 1500, VALUES = 1000 };
  float y[VALUES];
  for (int appends = 0; appends < 2; appends++) {
    ghz_file_writer *w = NULL;
    ghz_file_header h = {.lattice = lattice_abs(GHZ_F32, 1e-6), .count = appends ? VALUES : MANY * VALUES};
    worked(ghz_file_choose_frames(&h, 1, 0), "frames");
    plan.written = 0;
    for (uint64_t i = 0, state = 1; i < MANY; i++) {
      for (int v = 0; v < VALUES; v++) /* that do not compress */
        y[v] = (float)((double)input_random(&state) / 1e15);
      if (!w)
        worked(i ? ghz_file_append(path, VALUES, &w) : ghz_file_create(path, &h, &w), "begin");
      worked(ghz_file_write(w, NULL, y, VALUES), "write");
      worked(appends ? ghz_file_finish(w, NULL) : ghz_file_flush(w, NULL), "finish or flush");
      w = appends ? NULL : w;
    }
    if (w)
      worked(ghz_file_finish(w, NULL), "finish");
    ghz_file *f = open_file("many frames");
    const ghz_file_info *info = ghz_file_get_info(f);
    cr_assert(info->frames == MANY && info->header.count == MANY * VALUES);
    cr_assert_leq(plan.written, info->bytes + 1000, "%llu written", (unsigned long long)plan.written);
    cr_assert_leq(info->unused, MANY * 600, "%llu bytes unused", (unsigned long long)info->unused);
    ghz_file_close(f);
    unlink(path);
  }
  create_steps(1, 1);
}

/* ---- What others see meanwhile ---- */
Test(files_appended, are_read_up_to_where_they_were_flushed, .init = make_folder, .fini = remove_folder) {
  for (int created = 0; created < 2; created++)
    for (int flat = 0; flat < 2; flat++) {
      const ghz_file_header h = header_of_steps(STEPS, flat);
      ghz_file_writer *w;
      uint64_t step = created ? 0 : 2;
      unlink(path);
      if (!created)
        create_steps(step, flat);
      worked(created ? ghz_file_create(path, &h, &w) : ghz_file_append(path, STEPS - step, &w), "begin");
      worked(ghz_file_flush(w, NULL), "nothing yet");
      cr_assert_eq(access(path, F_OK) == 0, !created);
      for (; step < STEPS - 1; step++) {
        ghz_file *before = step ? open_file("before") : NULL;
        worked(write_steps(w, step, step + 1), "write");
        cr_assert(!before || steps_of("not flushed") == step);
        worked(ghz_file_flush(w, NULL), "flush");
        worked(ghz_file_flush(w, NULL), "again");
        cr_assert_eq(steps_of("flushed"), step + 1);
        cr_assert(!before || check_file(before, "opened before") == step);
        ghz_file_close(before);
      }
      if (created) { /* what was flushed stays */
        ghz_file_abandon(w);
        cr_assert_eq(steps_of("abandoned"), step);
        continue;
      }
      worked(write_steps(w, step, STEPS), "the last");
      worked(ghz_file_finish(w, NULL), "finish");
      cr_assert_eq(steps_of("finished"), STEPS);
    }
}

Test(files_appended, are_flushed_between_steps, .init = make_folder, .fini = remove_folder) {
  ghz_file_header h = header_of_steps(STEPS, 1);
  ghz_file_writer *w;
  MEMORY_FILE(m);
  const ghz_file_sink sink = memory_sink(&m);
  worked(ghz_file_create(path, &h, &w), "create");
  worked(ghz_file_write(w, NULL, x, STEP + 1), "write");
  cr_assert_eq(ghz_file_flush(w, NULL), GHZ_EINVAL);
  cr_assert(strstr(ghz_context_message(NULL), "a step of the slowest dimension has 800"), "%s",
            ghz_context_message(NULL));
  worked(ghz_file_write(w, NULL, x + STEP + 1, STEP - 1), "the rest of the step");
  worked(ghz_file_flush(w, NULL), "flush");
  cr_assert_eq(steps_of("two steps"), 2);
  ghz_file_abandon(w);
  worked(ghz_file_create_sink(&sink, &h, &w), "calls");
  cr_assert_eq(ghz_file_flush(w, NULL), GHZ_EINVAL);
  ghz_file_abandon(w);
  h = (ghz_file_header){.lattice = h.lattice, .count = GHZ_FILE_UNKNOWN};
  worked(ghz_file_choose_frames(&h, 1, 0), "frames");
  worked(ghz_file_create(path, &h, &w), "create");
  cr_assert_eq(ghz_file_flush(w, NULL), GHZ_EINVAL);
  ghz_file_abandon(w);
  cr_assert_eq(ghz_file_flush(NULL, NULL), GHZ_EINVAL);
}

/* A reader whose file gets shorter is told so. */
Test(files_appended, that_are_truncated_while_open_are_refused, .init = make_folder, .fini = remove_folder) {
  create_steps(4, 1);
  worked(append_steps(4, STEPS), "append");
  const memory_file whole = bytes_of_file();
  float *y = scratch(STEPS * STEP * sizeof *y);
  for (size_t size = 0; size < whole.size; size += 97) {
    put_file(&whole);
    ghz_file *f = open_file("whole");
    ghz_frame frame = {0};
    ghz_status status;
    cr_assert_eq(truncate(path, (off_t)size), 0);
    status = ghz_file_read(f, NULL, GHZ_F32, 0, STEPS * STEP, y);
    cr_assert(status == GHZ_ECORRUPT || status == GHZ_OK, "%d", (int)status);
    do
      status = ghz_file_next(f, NULL, &frame);
    while (status == GHZ_OK && frame.stream.size > 0);
    cr_assert(status == GHZ_ECORRUPT || (status == GHZ_OK && size + ghz_file_get_info(f)->bytes > whole.size),
              "%zu of %zu bytes: %d", size, whole.size, (int)status);
    ghz_frame_free(&frame);
    ghz_file_close(f);
  }
}

/* ---- One writer at a time ---- */
static void *append_in_thread(void *status) {
  *(ghz_status *)status = append_steps(2, 3);
  return NULL;
}

Test(files_appended, have_one_writer_at_a_time, .init = make_folder, .fini = remove_folder) {
  ghz_file_header h = header_of_steps(STEPS, 1);
  ghz_file_writer *w, *other;
  ghz_status status = GHZ_OK;
  pthread_t thread;
  for (int created = 0; created < 2; created++) {
    unlink(path);
    if (!created)
      create_steps(2, 1);
    worked(created ? ghz_file_create(path, &h, &w) : ghz_file_append(path, 1, &w), "the first writer");
    worked(write_steps(w, created ? 0 : 2, created ? 2 : 3), "write");
    worked(ghz_file_flush(w, NULL), "flush");
    cr_assert_eq(ghz_file_append(path, 1, &other), GHZ_EBUSY);
    cr_assert_null(other);
    cr_assert(strstr(ghz_context_message(NULL), "a.ghz: is being appended to by another writer"), "%s",
              ghz_context_message(NULL));
    cr_assert_eq(pthread_create(&thread, NULL, append_in_thread, &status), 0);
    pthread_join(thread, NULL);
    cr_assert_eq(status, GHZ_EBUSY, "a thread");
    ghz_file_abandon(w);
    worked(append_steps(created ? 2 : 3, 5), "when the first has ended");
    cr_assert_eq(steps_of("all"), 5);
  }
}

/* A file that a writer appends to is not replaced, and one that is being replaced is not appended
 * to; where there are no locks, both are done. */
Test(files_appended, are_not_replaced_meanwhile, .init = make_folder, .fini = remove_folder) {
  const ghz_file_header h = header_of_steps(3, 1);
  char *way = scratch(sizeof folder + 8), *old = scratch(sizeof folder + 8);
  ghz_file_writer *w, *other;
  sprintf(way, "%s/link", folder);
  sprintf(old, "%s/old", folder);
  cr_assert_eq(symlink("a.ghz", way), 0);
  create_steps(2, 1);
  worked(ghz_file_append(way, STEPS - 2, &w), "append");
  for (int i = 0; i < 2; i++) {
    cr_assert_eq(ghz_file_create(i ? way : path, &h, &other), GHZ_EBUSY);
    cr_assert(strstr(ghz_context_message(NULL), "is being appended to by another writer"));
  }
  worked(write_steps(w, 2, STEPS), "write");
  worked(ghz_file_finish(w, NULL), "finish");
  cr_assert_eq(steps_of("appended to"), STEPS);
  cr_assert_eq(link(path, old), 0);
  worked(ghz_file_create(way, &h, &w), "create");
  worked(ghz_file_create(path, &h, &other), "twice: the last one stays");
  ghz_file_abandon(other);
  cr_assert_eq(append_steps(0, 1), GHZ_EBUSY, "it is about to be replaced");
  worked(write_steps(w, 0, 3), "write");
  worked(ghz_file_flush(w, NULL), "flush");
  cr_assert_eq(append_steps(0, 1), GHZ_EBUSY, "the new one is appended to");
  cr_assert_eq(ghz_file_append(old, 1, &other), GHZ_OK, "and the old one is free");
  ghz_file_abandon(other);
  worked(ghz_file_finish(w, NULL), "finish");
  worked(append_steps(3, 4), "when all is done");
  plan.no_locks = 1;
  worked(ghz_file_append(path, 1, &w), "append");
  worked(ghz_file_create(path, &h, &other), "create");
  ghz_file_abandon(other);
  ghz_file_abandon(w);
  unlink(way);
  unlink(old);
}

/* Also one that was not there when the new one was begun, and one that has replaced what was. */
Test(files_appended, are_not_replaced_at_last, .init = make_folder, .fini = remove_folder) {
  const ghz_file_header h = header_of_steps(3, 1);
  ghz_file_writer *w, *late;
  for (int there = 0; there < 2; there++) {
    if (there)
      create_steps(2, 1);
    worked(ghz_file_create(path, &h, &late), "begin");
    worked(write_steps(late, 0, 3), "write");
    create_steps(1, 1);
    worked(ghz_file_append(path, 1, &w), "append");
    worked(write_steps(w, 1, 2), "write");
    cr_assert_eq(ghz_file_finish(late, NULL), GHZ_EBUSY);
    worked(ghz_file_finish(w, NULL), "finish");
    cr_assert_eq(steps_of("what was appended"), 2);
    unlink(path);
  }
  create_steps(1, 1);
}

/* Who appends to a file that has its name no more is told so. */
typedef enum loss { STAYS, REMOVED, REPLACED, MOVED, LEFT, LOSSES } loss;

static void lose(loss how, const char *aside) {
  const ghz_file_header h = header_of_steps(3, 1);
  ghz_file_writer *w;
  plan.no_locks = 1; /* which mv does not ask for */
  if (how == REPLACED) {
    worked(ghz_file_create(path, &h, &w), "create");
    worked(write_steps(w, 0, 3), "write");
    worked(ghz_file_finish(w, NULL), "finish");
  }
  plan.no_locks = 0;
  if (how == REMOVED)
    unlink(path);
  if (how == MOVED)
    cr_assert_eq(rename(path, aside), 0);
  if (how == LEFT) /* the name is relative */
    cr_assert_eq(chdir("/"), 0);
}

Test(files_appended, are_missed_when_they_are_gone, .init = make_folder, .fini = remove_folder) {
  char *aside = scratch(sizeof folder + 8);
  sprintf(aside, "%s/aside", folder);
  for (loss how = STAYS; how < LOSSES; how++)
    for (int more = 0; more < 2; more++) {
      const ghz_status expected = how == STAYS || how == LEFT ? GHZ_OK : GHZ_EIO;
      ghz_file_writer *w;
      create_steps(2, 1);
      cr_assert_eq(chdir(folder), 0);
      worked(ghz_file_append("a.ghz", 2, &w), "append");
      worked(write_steps(w, 2, 3), "write");
      worked(ghz_file_flush(w, NULL), "flush");
      lose(how, aside);
      if (more)
        worked(write_steps(w, 3, 4), "write");
      cr_assert_eq(ghz_file_flush(w, NULL), expected, "loss %d", (int)how);
      cr_assert(expected == GHZ_OK ||
                    strstr(ghz_context_message(NULL), "a.ghz: was replaced, moved or removed"),
                "%s", ghz_context_message(NULL));
      if (more)
        cr_assert_eq(ghz_file_finish(w, NULL), expected, "loss %d", (int)how);
      else
        ghz_file_abandon(w);
      cr_assert(how != MOVED || rename(aside, path) == 0);
      cr_assert(how == REMOVED || steps_of("left") == (how == REPLACED ? 3 : 3 + (uint64_t)more));
      unlink(path);
    }
  create_steps(1, 1);
}

/* A writer that opened a file, and locked it when it had been replaced, appends to the new one. */
static void replace_file(void) { create_steps(3, 1); }

Test(files_appended, are_those_of_the_name_behind_the_lock, .init = make_folder, .fini = remove_folder) {
  create_steps(2, 1);
  plan.at_lock = replace_file;
  worked(append_steps(3, 5), "append");
  cr_assert_eq(steps_of("the new one"), 5);
}

/* Of two that replace a file at the same time each may, and the last one has. */
Test(files_appended, are_replaced_by_several_at_once, .init = make_folder, .fini = remove_folder) {
  create_steps(2, 1);
  plan.at_name = replace_file;
  create_steps(4, 1);
  cr_assert_eq(steps_of("the last one"), 3);
}

/* Those that are told to wait do, and none is lost. */
Test(files_appended, keep_what_eight_processes_append, .init = make_folder, .fini = remove_folder) {
  enum { WRITERS = 8 };
  create_steps(1, 1);
  for (int i = 0; i < WRITERS; i++)
    if (fork() == 0) {
      ghz_status status;
      ghz_file_writer *w;
      while ((status = ghz_file_append(path, 1, &w)) == GHZ_EBUSY)
        usleep(1000);
      if (status == GHZ_OK)
        status = write_steps(w, 0, 1);
      _exit(status == GHZ_OK ? ghz_file_finish(w, NULL) != GHZ_OK : 1);
    }
  for (int i = 0, code; i < WRITERS; i++)
    cr_assert(wait(&code) > 0 && code == 0, "a writer: %d", code);
  ghz_file *f = open_file("eight");
  cr_assert_eq(ghz_file_get_info(f)->header.array.dims[0], 1 + WRITERS);
  ghz_file_close(f);
}

/* ---- Crashes, and disks that are full ---- */
/* What a process does to the file; it begins with `steps` steps. */
typedef struct task {
  const char *name;
  uint64_t steps;
  size_t garbage; /* of an append before, which was not finished */
  ghz_status (*run)(void);
} task;

static ghz_status run_append(void) { return append_steps(4, 9); }

/* Flushes after so many steps. */
static ghz_status write_all(ghz_file_writer *w, uint64_t from, uint64_t to, uint64_t by) {
  ghz_status status = GHZ_OK;
  for (uint64_t step = from; step < to && status == GHZ_OK; step += by) {
    status = write_steps(w, step, step + by);
    if (status == GHZ_OK)
      status = ghz_file_flush(w, NULL);
  }
  const ghz_status finished = ghz_file_finish(w, NULL);
  return status == GHZ_OK ? finished : status;
}

static ghz_status run_flushes(void) {
  ghz_file_writer *w;
  const ghz_status status = ghz_file_append(path, 6, &w);
  return status == GHZ_OK ? write_all(w, 4, 10, 2) : status;
}

static ghz_status run_create(void) {
  const ghz_file_header h = header_of_steps(6, 1);
  ghz_file_writer *w;
  const ghz_status status = ghz_file_create(path, &h, &w);
  return status == GHZ_OK ? write_all(w, 0, 6, 3) : status;
}

static const task tasks[] = {{"append", 4, 0, run_append},
                             {"append behind what was not finished", 4, 50000, run_append},
                             {"flush", 4, 0, run_flushes},
                             {"create and flush", 4, 0, run_create}};

static memory_file begin_task(const task *t) {
  create_steps(t->steps, 1);
  worked(append_steps(t->steps, t->steps + 1), "one more"); /* and that is not the beginning */
  create_steps(t->steps, 1);
  return bytes_of_file();
}

/* Runs the task in a process of its own, with the call `at` struck. Returns its exit code. */
static int run_task(const task *t, fault kind, long at) {
  const pid_t child = fork();
  if (child == 0) {
    plan_fault(kind, at);
    const ghz_status status = t->run();
    _exit(status == GHZ_OK ? plan.calls < at ? 1 : 0 : 2);
  }
  int code;
  cr_assert_eq(waitpid(child, &code, 0), child);
  cr_assert(WIFEXITED(code), "%s, call %ld: signal", t->name, at);
  return WEXITSTATUS(code);
}

/* What was not finished is no part of the file from the next append on, however long it was. */
static void sweep(const task *t, fault kind) {
  const memory_file clean = begin_task(t), before = with_garbage(&clean, t->garbage);
  long calls = 0;
  if (t->garbage > 16) /* the beginning of a frame, whose length says more than there is */
    memcpy(before.data + clean.size, (uint8_t[8]){0, 64}, 8);
  cr_assert_eq(run_task(t, NONE, 1), 1, "%s", t->name);
  const memory_file whole = bytes_of_file();
  for (int code = 0; code != 1; calls++) { /* 1: no call was struck */
    SCOPE;
    const char *what = say("%s, fault %d at call %ld", t->name, (int)kind, calls + 1);
    put_file(&before);
    code = run_task(t, kind, calls + 1);
    const uint64_t steps = steps_of(what);
    const memory_file after = bytes_of_file();
    cr_assert(code != 1 || (after.size == whole.size && memcmp(after.data, whole.data, whole.size) == 0),
              "%s: another file", what);
    cr_assert(code == 2 ? kind == FAILS : code != 7 || kind != FAILS, "%s: %d", what, code);
    if (code == 2 && steps == t->steps && t->run != run_create) {
      cr_assert(after.size <= before.size && memcmp(after.data, before.data, after.size) == 0,
                "%s: something stays behind what was there", what);
    }
    if (steps < STEPS)
      worked(append_steps(steps, STEPS), what);
    cr_assert_eq(steps_of(what), STEPS);
  }
  cr_assert_gt(calls, 10, "%s: %ld calls", t->name, calls);
}

Test(files_appended, survive_a_crash_at_every_call, .init = make_folder, .fini = remove_folder) {
  for (size_t i = 0; i < COUNT(tasks); i++)
    for (fault kind = DIES; kind <= FAILS; kind++)
      sweep(&tasks[i], kind);
}

/* The bytes before a tail, and all of a file before its name. */
Test(files_appended, reach_the_disk_in_order, .init = make_folder, .fini = remove_folder) {
  const ghz_file_header h = header_of_steps(2, 1);
  for (int there = 0; there < 2; there++) {
    ghz_file_writer *w;
    unlink(path);
    if (there)
      create_steps(1, 1);
    memset(plan.done, 0, sizeof plan.done);
    worked(ghz_file_create(path, &h, &w), "create");
    worked(write_steps(w, 0, 1), "write");
    worked(ghz_file_flush(w, NULL), "flush");
    const char *name = strchr(plan.done, 'n'), *tail = strchr(plan.done, 'T');
    cr_assert(tail && name > tail && memchr(tail, 's', (size_t)(name - tail)), "%s", plan.done);
    memset(plan.done, 0, sizeof plan.done);
    worked(write_steps(w, 1, 2), "write");
    worked(ghz_file_finish(w, NULL), "finish");
    const size_t n = strlen(plan.done);
    cr_assert(n > 3 && strcmp(plan.done + n - 4, "wsTs") == 0, "%s", plan.done);
  }
}

Test(files_appended, begin_where_the_last_ended, .init = make_folder, .fini = remove_folder) {
  ghz_file_writer *w;
  create_steps(4, 1);
  const memory_file m = bytes_of_file(), longer = with_garbage(&m, 50000);
  put_file(&longer);
  worked(ghz_file_append(path, 1, &w), "append");
  cr_assert_eq(bytes_of_file().size, m.size, "what was not finished stays behind what is appended");
  ghz_file_abandon(w);
}

/* ---- Tails in part, and damaged indexes ---- */

/* Checks that a changed file of ten steps is one of `steps`, and grows on; 0: it is refused. */
static void becomes(const memory_file *m, uint64_t steps, const char *what) {
  ghz_file *f;
  put_file(m);
  const ghz_status status = ghz_file_open(path, &f);
  if (steps == 0) {
    cr_assert_eq(status, GHZ_ECORRUPT, "%s: %d", what, (int)status);
    cr_assert_eq(ghz_file_append(path, 1, &(ghz_file_writer *){NULL}), GHZ_ECORRUPT, "%s", what);
    return;
  }
  worked(status, what);
  cr_assert((ghz_file_get_info(f)->unfinished > 0) == (steps < 10), "%s", what);
  ghz_file_close(f);
  cr_assert_eq(steps_of(what), steps, "%s", what);
  worked(append_steps(steps, 11), what);
  cr_assert_eq(steps_of(what), 11, "%s", what);
}

/* Ten steps, the last eight in so many frames, of which the last index has those of before, too. */
static memory_file file_in_frames(uint64_t frames) {
  const ghz_lattice l = header_of_steps(10, 1).lattice;
  ghz_file_writer *w;
  unlink(path);
  create_steps(2, 1);
  worked(ghz_file_append(path, 8, &w), "append");
  for (uint64_t i = 1, at = 2 * STEP, end; i < frames; i++, at = end) {
    ref_bytes s = {.data = scratch(4096)};
    end = 2 * STEP + 8 * STEP * i / (frames - 1);
    worked(ghz_compress(NULL, &l, GHZ_ORDER_BEST, x + at, end - at, s.data, 4096, &s.size), "compress");
    worked(ghz_file_write_stream(w, NULL, view(s)), "a frame");
  }
  worked(ghz_file_finish(w, NULL), "finish");
  const memory_file m = bytes_of_file();
  cr_assert_eq(load_u64(m.data + m.size - 32), frames);
  return m;
}

/* One is not lost with the first byte of its number; one is lost with that alone. */
static const uint64_t numbers_of_frames[] = {200, 256, 320};

/* The system died while a tail was written: any first bytes of it are 0. */
Test(files_appended, are_what_they_were_before_a_tail_in_part, .init = make_folder, .fini = remove_folder) {
  for (size_t i = 0; i < COUNT(numbers_of_frames); i++) {
    const memory_file m = file_in_frames(numbers_of_frames[i]);
    uint8_t *tail = m.data + m.size - 32, sound[32];
    memcpy(sound, tail, 32);
    for (size_t lost = 1; lost <= 32; lost++) {
      memcpy(tail, sound, 32);
      memset(tail, 0, lost);
      becomes(&m, memcmp(tail, sound, 32) ? 2 : 10, say("%zu bytes are lost", lost));
      memcpy(tail, sound, 32);
      memset(tail + 32 - lost, 0, lost);
      becomes(&m, 2, say("the last %zu bytes are lost", lost));
    }
  }
}

/* A damaged index is not taken for one that was not finished. */
Test(files_appended, are_refused_where_the_last_index_is_damaged, .init = make_folder, .fini = remove_folder) {
  for (size_t i = 0; i < COUNT(numbers_of_frames); i++) {
    const memory_file m = file_in_frames(numbers_of_frames[i]);
    uint8_t *tail = m.data + m.size - 32, *index = tail - load_u64(tail + 8);
    for (uint8_t *at = index; at < tail + 24; at += at < tail - 97 ? 97 : 1) {
      SCOPE;
      *at ^= 0x10;
      becomes(&m, 0, say("file %zu, byte %td of the last index", i, at - index));
      *at ^= 0x10;
    }
    tail[0] = 0;
    tail[-1] ^= 1;           /* in a checksum of a page */
    if (load_u64(tail) != 0) /* or it is none */
      becomes(&m, 0, "damaged, and with a tail in part");
  }
}

/* The walk passes an index whose tail says its own size. */
Test(files_appended, end_behind_the_last_whole_index, .init = make_folder, .fini = remove_folder) {
  create_steps(2, 1);
  worked(append_steps(2, 4), "append");
  memory_file m = bytes_of_file(), longer = with_garbage(&m, 100);
  put_file(&longer);
  cr_assert_eq(steps_of("behind two"), 4);
  longer.data[m.size - 24] ^= 8;
  put_file(&longer);
  cr_assert_eq(steps_of("behind one"), 2);
}

/* ---- Without a name ---- */
static int entries_of_folder(void) {
  DIR *d = opendir(folder);
  int count = 0;
  while (readdir(d))
    count++;
  closedir(d);
  return count - 2; /* . and .. */
}

/* Where the system has such files, which is found out first. */
Test(files_appended, have_no_name_until_they_are_whole, .init = make_folder, .fini = remove_folder) {
  const int fd = open64(folder, O_TMPFILE | O_RDWR, 0600), has = fd >= 0;
  close(fd);
  for (plan.no_nameless = 0; plan.no_nameless < 2; plan.no_nameless++)
    for (int there = 0; there < 2; there++) {
      const ghz_file_header h = header_of_steps(3, 1);
      ghz_file_writer *w;
      unlink(path);
      if (there)
        create_steps(1, 1);
      worked(ghz_file_create(path, &h, &w), "create");
      worked(write_steps(w, 0, 3), "write");
      cr_assert_eq(entries_of_folder(), there + (plan.no_nameless || !has), "names of an unfinished file");
      worked(ghz_file_finish(w, NULL), "finish");
      cr_assert_eq(entries_of_folder(), 1);
      cr_assert_eq(steps_of("finished"), 3);
    }
}
