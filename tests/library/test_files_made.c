/* test_files_made.c: files that calls make: by name, from others by appending, as sums. */
/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* syscall */
#include "allocator.h"
#include "files.h"
#include <errno.h>
#include <fenv.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

TestSuite(files_made, .timeout = 120);

/* ---- By name ---- */
static char folder[] = "/tmp/ghz-files-XXXXXX";

static char *path_in(const char *in, const char *name) {
  char *path = scratch(strlen(in) + strlen(name) + 2);
  sprintf(path, "%s/%s", in, name);
  return path;
}

/* What most of them write, and where. */
static ghz_file_header usual;
static const float *given;
static uint64_t given_count;
static const char *path;

static void make_folder(void) {
  cr_assert_not_null(mkdtemp(folder));
  path = path_in(folder, "a.ghz");
  usual = header_of(&file_cases[7]);
  given = values_of(&file_cases[7], &given_count);
}

static void remove_folder(void) {
  unlink(path);
  cr_assert_eq(rmdir(folder), 0, "an unfinished file stays behind");
}

static void write_as(const char *name, const ghz_file_header *header, const void *values, uint64_t n) {
  ghz_file_writer *w;
  worked(ghz_file_create(name, header, &w), "create");
  worked(ghz_file_write(w, NULL, values, (size_t)n), "write");
  worked(ghz_file_finish(w, NULL), "finish");
}

static void write_named(void) { write_as(path, &usual, given, given_count); }

Test(files_made, get_their_name_when_they_are_whole, .init = make_folder) {
  ghz_file_writer *w;
  ghz_file *f;
  worked(ghz_file_create(path, &usual, &w), "create");
  worked(ghz_file_write(w, NULL, given, 20000), "write");
  cr_assert_neq(access(path, F_OK), 0, "a file that is not complete has its name");
  cr_assert_eq(ghz_file_finish(w, NULL), GHZ_EINVAL, "values are missing");
  cr_assert_neq(access(path, F_OK), 0);
  cr_assert_eq(rmdir(folder), 0, "an unfinished file stays behind");
  cr_assert_eq(ghz_file_create(path, &usual, &w), GHZ_EIO);
  cr_assert(strstr(ghz_context_message(NULL), "a.ghz: No such file"), "%s", ghz_context_message(NULL));
  cr_assert_eq(ghz_file_open(path, &f), GHZ_EIO);
  cr_assert_null(f);
  cr_assert_eq(ghz_file_open("/", &f), GHZ_EINVAL);
}

/* Takes the place of the system's: the library does not look at the umask, because that is to
 * change it, for a moment and for all threads. */
static unsigned umask_calls;
mode_t umask(mode_t mask) {
  umask_calls++;
  return (mode_t)syscall(SYS_umask, mask);
}

static unsigned mode(void) {
  struct stat status;
  cr_assert_eq(stat(path, &status), 0);
  return status.st_mode & 0777;
}

Test(files_made, have_the_mode_of_new_files_or_of_those_that_they_replace, .init = make_folder,
     .fini = remove_folder) {
  const mode_t before = umask(027);
  write_named();
  cr_assert_eq(mode(), 0640, "%o", mode());
  chmod(path, 0604);
  write_named();
  cr_assert_eq(mode(), 0604, "%o", mode());
  umask(before);
  cr_assert_eq(umask_calls, 2, "the library called umask()");
}

/* In the place of the system's, too. */
static unsigned fsync_calls;
static int fsync_fails;
int fsync(int fd) {
  fsync_calls++;
  errno = EIO;
  return fd < 0 || fsync_fails ? -1 : 0;
}

Test(files_made, replace_another_when_they_are_on_the_disk, .init = make_folder, .fini = remove_folder) {
  struct stat before, after;
  ghz_file_writer *w;
  write_named();
  cr_assert_eq(fsync_calls, 0, "nothing was there");
  write_named();
  cr_assert_eq(fsync_calls, 1);
  stat(path, &before);
  fsync_fails = 1;
  worked(ghz_file_create(path, &usual, &w), "create");
  worked(ghz_file_write(w, NULL, given, (size_t)given_count), "write");
  cr_assert_eq(ghz_file_finish(w, NULL), GHZ_EIO);
  cr_assert(stat(path, &after) == 0 && after.st_ino == before.st_ino, "the file that was there is gone");
}

Test(files_made, are_where_links_lead, .init = make_folder, .fini = remove_folder) {
  const char *near = path_in(folder, "near.ghz"), *far = path_in(folder, "far.ghz");
  struct stat status;
  cr_assert_eq(symlink("far.ghz", near), 0);
  for (int turn = 0; turn < 2; turn++) { /* to a file that is not there yet, and to one that is */
    write_as(near, &usual, given, given_count);
    cr_assert(lstat(near, &status) == 0 && S_ISLNK(status.st_mode), "the link is gone");
    cr_assert(lstat(far, &status) == 0 && S_ISREG(status.st_mode), "what the link names is not there");
  }
  unlink(near);
  unlink(far);
}

Test(files_made, do_not_replace_a_file_that_is_protected, .init = make_folder, .fini = remove_folder) {
  ghz_file_writer *w;
  if (geteuid() == 0) /* to whom nothing is protected */
    cr_assert(chown(folder, 65534, 65534) == 0 && setresuid(65534, 65534, 65534) == 0);
  write_named();
  chmod(path, 0444);
  cr_assert_eq(ghz_file_create(path, &usual, &w), GHZ_EIO);
  cr_assert(strstr(ghz_context_message(NULL), "a.ghz: Permission denied"), "%s", ghz_context_message(NULL));
  cr_assert_eq(ghz_file_append(path, 1, &w), GHZ_EIO);
  chmod(path, 0222); /* nor can it be opened to lock it, but it can be replaced */
  write_named();
}

Test(files_made, say_when_they_become_larger_than_a_file_may, .init = make_folder, .fini = remove_folder) {
  ghz_file_writer *w;
  cr_assert_eq(setrlimit(RLIMIT_FSIZE, &(struct rlimit){4096, 4096}), 0);
  worked(ghz_file_create(path, &usual, &w), "create");
  cr_assert_eq(ghz_file_write(w, NULL, given, (size_t)given_count),
               GHZ_EIO); /* and no SIGXFSZ ended the test */
  cr_assert(strstr(ghz_context_message(NULL), "a.ghz: File too large"), "%s", ghz_context_message(NULL));
  ghz_file_abandon(w);
}

/* ---- Out of memory ---- */
/* Values whose write failed are not left out of what is written later. */
static int write_refused(const ghz_file_header *h, memory_file *m, const float *x, long refused) {
  const ghz_file_sink sink = memory_sink(m);
  ghz_context *ctx;
  ghz_file_writer *w;
  ghz_status status = GHZ_OK;
  worked(ghz_context_create(&ctx, 1), "a context");
  worked(ghz_file_create_sink(&sink, h, &w), "create");
  allocator_refuse(refused, refused);
  for (int part = 0; part < 4; part++) {
    const ghz_status now = ghz_file_write(w, ctx, x + 10000 * part, 10000);
    status = status == GHZ_OK ? now : status;
  }
  const int reached = allocator_refused() > 0;
  allocator_refuse(0, 0);
  cr_assert_eq(status, reached ? GHZ_ENOMEM : GHZ_OK, "allocation %ld", refused);
  cr_assert_eq(ghz_file_finish(w, ctx), status, "allocation %ld", refused);
  ghz_context_free(ctx);
  return reached;
}

Test(files_made, have_all_values_or_none) {
  CONTEXT(ctx, NULL, 1);
  MEMORY_FILE(m);
  static const file_case c = {.ndim = 1, .dims = {40000}, .frame_values = 16384};
  uint64_t count;
  const float *x = values_of(&c, &count);
  long refused = 0;
  write_case(&c, ctx, &m); /* from now on m has room */
  ghz_file_header h = header_of(&c);
  h.array.ndim = 0;
  h.array.npy = 0;
  h.count = GHZ_FILE_UNKNOWN;
  worked(ghz_file_choose_frames(&h, 1, 16384), "frames");
  while (write_refused(&h, &m, x, ++refused))
    cr_assert_lt(refused, 1000);
  cr_assert_gt(refused, 4, "%ld allocations", refused);
}

/* Who reads a pipe knows by a short frame that none follows. */
Test(files_made, of_an_unknown_number_end_with_a_short_frame) {
  CONTEXT(ctx, NULL, 1);
  MEMORY_FILE(m);
  ghz_file_header h = {.lattice = lattice_abs(GHZ_F32, 1e-3), .count = GHZ_FILE_UNKNOWN};
  const ref_bytes s = stream_of(ctx, &h.lattice, GHZ_ORDER_BEST, "walk", 5000, 1);
  const ghz_file_sink sink = memory_sink(&m);
  ghz_file_writer *w;
  worked(ghz_file_choose_frames(&h, 1, 16384), "frames");
  worked(ghz_file_create_sink(&sink, &h, &w), "create");
  worked(ghz_file_write_stream(w, ctx, view(s)), "a short frame");
  cr_assert_eq(ghz_file_write_stream(w, ctx, view(s)), GHZ_EINVAL);
  worked(ghz_file_finish(w, ctx), "finish");
  ghz_status status;
  cr_assert_not_null(read_frames(&m, 0, ctx, &status));
  worked(status, "one frame");
}

/* ---- From others ---- */
Test(files_made, are_appended_to, .init = make_folder, .fini = remove_folder) {
  CONTEXT(ctx, NULL, 1);
  static const file_case parts[][2] = {
      {{.ndim = 3, .dims = {11, 30, 50}, .frame_values = 16384},
       {.ndim = 3, .dims = {29, 30, 50}, .frame_values = 16384}},
      {{.ndim = 2, .dims = {75, 200}, .frame_values = 16384},
       {.ndim = 2, .dims = {225, 200}, .frame_values = 16384}},
      {{.ndim = 3, .dims = {40, 30, 5}, .fortran = 1, .frame_values = 4096},
       {.ndim = 3, .dims = {40, 30, 9}, .fortran = 1, .frame_values = 4096}},
      {{.ndim = 1, .dims = {20000}, .frame_values = 16384},
       {.ndim = 1, .dims = {30000}, .frame_values = 16384}},
      {{.ndim = 0, .dims = {20000}, .frame_values = 16384}, {.ndim = 0, .dims = {3}, .frame_values = 16384}},
      {{.ndim = 2, .dims = {33, 200}, .frame_values = 6600},
       {.ndim = 2, .dims = {67, 200}, .frame_values = 6600}},
      {{.ndim = 2, .dims = {0, 100}, .frame_values = 16384},
       {.ndim = 2, .dims = {9, 100}, .frame_values = 16384}},
  };
  for (size_t i = 0; i < COUNT(parts); i++) {
    SCOPE;
    uint64_t counts[2];
    float *of[2], *y;
    ghz_file_writer *w;
    ghz_file *f;
    for (int j = 0; j < 2; j++)
      of[j] = values_of(&parts[i][j], &counts[j]);
    usual = header_of(&parts[i][0]);
    write_as(path, &usual, of[0], counts[0]);
    const unsigned slow = usual.array.fortran ? usual.array.ndim - 1 : 0;
    worked(ghz_file_append(path, parts[i][1].dims[slow], &w), say("appending %zu", i));
    worked(ghz_file_write(w, ctx, of[1], (size_t)counts[1]), "more");
    worked(ghz_file_finish(w, ctx), "finish");
    worked(ghz_file_open(path, &f), "open");
    const uint64_t all = counts[0] + counts[1];
    cr_assert_eq(ghz_file_get_info(f)->header.count, all, "case %zu", i);
    y = scratch((size_t)all * 4);
    worked(ghz_file_read(f, ctx, GHZ_F32, 0, (size_t)all, y), "read");
    for (uint64_t v = 0; v < all; v++) {
      const float want = v < counts[0] ? of[0][v] : of[1][v - counts[0]];
      cr_assert(within(want, y[v], 1e-3), "case %zu, value %llu", i, (unsigned long long)v);
    }
    MEMORY_FILE(copy);
    const ghz_file_sink sink = memory_sink(&copy);
    worked(ghz_file_create_sink(&sink, &ghz_file_get_info(f)->header, &w), "a copy");
    for (ghz_frame frame = {0};;) { /* and frame by frame, which compares the index, and can be copied */
      worked(ghz_file_next(f, ctx, &frame), say("case %zu, frame", i));
      if (frame.stream.size == 0) {
        ghz_frame_free(&frame);
        break;
      }
      worked(ghz_file_write_stream(w, ctx, frame.stream), say("case %zu, frame copied", i));
    }
    worked(ghz_file_finish(w, ctx), "finish");
    ghz_file_close(f);
    ghz_status status;
    const float *copied = read_frames(&copy, 1, ctx, &status);
    worked(status, "the copy");
    cr_assert_null(values_differ(copied, y, (size_t)all, GHZ_F32), "case %zu, copied", i);
  }
}

/* The streams of a longer array would have 8 x 8 x 32 values, those that are there have 24 x 32. */
Test(files_made, are_not_appended_to_if_other_bricks_would_follow, .init = make_folder, .fini = remove_folder) {
  static const file_case c = {.ndim = 3, .dims = {3, 8, 32}, .frame_values = 16384};
  usual = header_of(&c);
  given = values_of(&c, &given_count);
  ghz_file_writer *w;
  write_named();
  cr_assert_eq(ghz_file_append(path, 5, &w), GHZ_EINVAL);
  cr_assert(strstr(ghz_context_message(NULL), "1 x 24 x 32, the longer one would be 8 x 8 x 32"), "%s",
            ghz_context_message(NULL));
  ghz_file_header scalar = {.array.npy = 1, .lattice = usual.lattice, .count = 1};
  need(ghz_file_choose_frames(&scalar, 0, 0), "frames");
  write_as(path, &scalar, given, 1);
  cr_assert_eq(ghz_file_append(path, 1, &w), GHZ_EINVAL);
  cr_assert(strstr(ghz_context_message(NULL), "is a scalar"), "%s", ghz_context_message(NULL));
}

/* ---- Sums ---- */
enum { FILES_MOST = 35 };

/* Files that are open; they are closed when the block ends. */
typedef struct file_set {
  memory_file m[FILES_MOST];
  ghz_file *f[FILES_MOST];
  size_t count;
} file_set;

static void files_close(file_set *s) {
  for (size_t j = 0; j < s->count; j++) {
    ghz_file_close(s->f[j]);
    memory_file_free(&s->m[j]);
  }
}

#define FILES(name) file_set name __attribute__((cleanup(files_close))) = {.count = 0}

/* Every second one is read as a pipe. */
static void add_case(file_set *s, ghz_context *ctx, const file_case *c) {
  write_case(c, ctx, &s->m[s->count]);
  s->f[s->count] = opened(&s->m[s->count], (int)(s->count % 2));
  s->count++;
}

/* Of 1000 values, without coefficients. */
static const file_case thousand = {.ndim = 1, .dims = {1000}, .frame_values = 16384};

static void add_thousand(file_set *s, ghz_context *ctx, const float *values) {
  const ghz_file_header header = header_of(&thousand);
  const ghz_file_sink sink = memory_sink(&s->m[s->count]);
  ghz_file_writer *w;
  worked(ghz_file_create_sink(&sink, &header, &w), "create");
  worked(ghz_file_set_order(w, GHZ_ORDER_LORENZO), "order");
  worked(ghz_file_write(w, ctx, values, 1000), "write");
  worked(ghz_file_finish(w, ctx), "finish");
  s->f[s->count] = opened(&s->m[s->count], 1);
  s->count++;
}

Test(files_made, add_up_without_decoding) {
  CONTEXT(ctx, NULL, 2);
  static const int64_t some[] = {3, -1, 0, 2};
  for (size_t i = 0; i < file_case_count; i++) {
    SCOPE;
    FILES(files);
    MEMORY_FILE(sum);
    const size_t k = i % 2 ? 4 : 20;
    while (files.count < k)
      add_case(&files, ctx, &file_cases[i]);
    ghz_file_header of_sum = ghz_file_get_info(files.f[1])->header;
    of_sum.lattice.eb = 0;
    const ghz_file_sink sink = memory_sink(&sum);
    const ghz_file_operation op = {
        .coefficients = k == 4 ? some : NULL, .factor = 1, .divisor = k == 4 ? 0 : 20};
    ghz_file_writer *w;
    worked(ghz_file_create_sink(&sink, &of_sum, &w), "create");
    worked(ghz_file_sum(ctx, k, files.f, &op, w), say("case %zu", i));
    worked(ghz_file_finish(w, ctx), "finish");
    const uint8_t *y = file_values(&sum, ctx, "the sum"), *one = file_values(&files.m[0], ctx, "one");
    for (size_t v = 0; v < of_sum.count; v++) {
      const double a = value_at(of_sum.lattice.type, one, v), b = value_at(of_sum.lattice.type, y, v);
      const double times = k == 4 ? 4 : 1;
      cr_assert(a == of_sum.lattice.fill || within(times * a, b, times * 2e-3), "case %zu, value %zu: %g, %g",
                i, v, a, b);
    }
  }
}

Test(files_made, have_the_extremes_of_all) {
  CONTEXT(ctx, NULL, 1);
  for (int extremum = -1; extremum < 2; extremum += 2) {
    FILES(files);
    ghz_frame result = {0};
    float v[1000];
    for (int j = 0; j < 3; j++) { /* the last one is the least, and the largest */
      for (int i = 0; i < 1000; i++)
        v[i] = (float)(j == 2 ? 100 * extremum : j);
      add_thousand(&files, ctx, v);
    }
    worked(
        ghz_file_next_sum(ctx, 3, files.f, &(ghz_file_operation){.factor = 1, .extremum = extremum}, &result),
        "extremes");
    worked(ghz_decompress(ctx, result.stream, GHZ_F32, v, 1000), "decompress");
    for (int i = 0; i < 1000; i++)
      cr_assert(within(100 * extremum, v[i], 1e-3), "value %d: %g", i, (double)v[i]);
    ghz_frame_free(&result);
  }
}

/* Values outside the lattice: gaps that no fill names stay in a mean of any number of files, all of
 * which has the bytes of ghz_mean, so that they can be added to those. */
Test(files_made, keep_equal_gaps_in_means) {
  CONTEXT(ctx, NULL, 1);
  static const size_t counts[] = {2, 3, 7, 15, 16, 17, 33, FILES_MOST};
  static const float gaps[] = {-3.4e38F, 9.96921e36F};
  for (size_t t = 0; t < COUNT(counts); t++) {
    SCOPE;
    FILES(files);
    const size_t k = counts[t];
    ghz_frame mean = {0}, frame[FILES_MOST];
    ghz_bytes streams[FILES_MOST];
    float v[1000];
    memset(frame, 0, sizeof frame);
    for (size_t j = 0; j < k; j++) {
      for (size_t i = 0; i < 1000; i++)
        v[i] = i % 500 == 3 ? gaps[i / 500] : i == 5 && j == 4 ? 1e37F : (float)(i + j);
      add_thousand(&files, ctx, v);
      ghz_file *again = opened(&files.m[j], 1);
      worked(ghz_file_next(again, ctx, &frame[j]), "a frame");
      streams[j] = frame[j].stream;
      ghz_file_close(again);
    }
    worked(ghz_file_next_sum(ctx, k, files.f, &(ghz_file_operation){.factor = 1, .divisor = k}, &mean),
           "a mean");
    ref_bytes want = bytes_new(ghz_shape_bound(&mean.info.shape, GHZ_F32, (uint32_t)k));
    worked(ghz_mean(ctx, k, streams, want.data, want.size, &want.size), "ghz_mean");
    same_bytes((ref_bytes){(uint8_t *)mean.memory, mean.stream.size}, want, say("%zu files", k));
    worked(ghz_decompress(ctx, mean.stream, GHZ_F32, v, 1000), "decompress");
    for (int i = 3; i < 1000; i += 500)
      cr_assert(v[i] == gaps[i / 500], "%zu files: %g", k, (double)v[i]);
    for (size_t j = 0; j < k; j++)
      ghz_frame_free(&frame[j]);
    ghz_frame_free(&mean);
  }
}

/* The arrays, in an order, and what is said of the first that differs; NULL: they add. Whatever
 * their order: one without dimensions adds to any of as many values. */
Test(files_made, of_other_arrays_do_not_add) {
  CONTEXT(ctx, NULL, 1);
  static const file_case none = {.ndim = 0, .dims = {600}, .frame_values = 16384, .flat = 1},
                         wide = {.ndim = 2, .dims = {20, 30}, .frame_values = 16384, .flat = 1},
                         tall = {.ndim = 2, .dims = {30, 20}, .frame_values = 16384, .flat = 1},
                         longer = {.ndim = 3, .dims = {40, 30, 50}, .frame_values = 30000};
  const struct {
    const file_case *of[3];
    const char *why;
  } sets[] = {{{&none, &wide, &tall}, "dimensions differ"},
              {{&wide, &none, &tall}, "dimensions differ"},
              {{&wide, &tall, &none}, "dimensions differ"},
              {{&none, &none, &tall}, NULL},
              {{&file_cases[7], &file_cases[4]}, "dimensions differ from memory.ghz"},
              {{&file_cases[7], &file_cases[8]}, "fill"},
              {{&file_cases[7], &longer}, "number of values per frame differs from memory.ghz"}};
  for (size_t i = 0; i < COUNT(sets); i++) {
    FILES(files);
    ghz_frame result = {0};
    const ghz_file_operation op = {.factor = 1};
    for (int j = 0; j < 3 && sets[i].of[j]; j++)
      add_case(&files, ctx, sets[i].of[j]);
    cr_assert_eq(ghz_file_next_sum(ctx, files.count, files.f, &op, &result),
                 sets[i].why ? GHZ_EMISMATCH : GHZ_OK, "%zu: %s", i, ghz_context_message(NULL));
    cr_assert(!sets[i].why || strstr(ghz_context_message(NULL), sets[i].why), "%s", ghz_context_message(NULL));
    cr_assert_eq(ghz_file_next_sum(ctx, 2, (ghz_file *[]){files.f[0], files.f[0]}, &op, &result), GHZ_EINVAL);
    ghz_frame_free(&result);
  }
}

#if defined(__x86_64__)
/* A bound that is denormal is a lattice where the caller flushes such, and no flag is raised. */
Test(files_made, denormal_bound) {
  static const double x[3] = {1, -7, 1e300};
  ghz_file_header h = {.lattice = lattice_abs(GHZ_F64, 4.9e-324), .count = 3};
  ghz_file_writer *w;
  ghz_file *file = NULL;
  MEMORY_FILE(m);
  const ghz_file_sink sink = memory_sink(&m);
  worked(ghz_file_choose_frames(&h, 1, 0), "frames");
  worked(ghz_file_create_sink(&sink, &h, &w), "create");
  feclearexcept(FE_ALL_EXCEPT);
  _mm_setcsr(_mm_getcsr() | 0x8040u);
  const ghz_status written = ghz_file_write(w, NULL, x, 3), finished = ghz_file_finish(w, NULL);
  const ghz_file_source source = memory_source(&m, 1);
  const ghz_status open = ghz_file_open_source(&source, &file);
  const int flags = fetestexcept(FE_ALL_EXCEPT);
  fesetenv(FE_DFL_ENV);
  cr_assert(written == GHZ_OK && finished == GHZ_OK && open == GHZ_OK, "%s", ghz_context_message(NULL));
  ghz_file *again = opened(&m, 1);
  cr_assert(ghz_file_get_info(file)->bound >= h.lattice.eb);
  cr_assert_eq(ghz_file_get_info(file)->bound, ghz_file_get_info(again)->bound);
  ghz_file_close(again);
  cr_assert_eq(flags, 0, "flags %x", flags);
  ghz_file_close(file);
}
#endif
