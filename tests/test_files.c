/* test_files.c: files: what is written is read, in frames, ranges and boxes, whole and appended to,
 * from calls and by name; sums of files are those of their streams. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "file/pack.h"
#include "files.h"
#include <unistd.h>

TestSuite(files, .timeout = 120);

/* The values that reading a file gives, by the frames, which other tests compare with the codec. */
static void *truth(memory_file *m, ghz_context *ctx, const char *what) {
  ghz_status status;
  void *x = read_frames(m, 1, ctx, &status);
  worked(status, what);
  return x;
}

/* ---- Frames ---- */
Test(files, come_back_within_the_bound_at_will_and_one_after_the_other) {
  CONTEXT(ctx, NULL, 2);
  for (size_t i = 0; i < file_case_count; i++) {
    SCOPE;
    MEMORY_FILE(m);
    const file_case *c = &file_cases[i];
    const ghz_lattice l = header_of(c).lattice;
    ghz_status status;
    uint64_t count;
    const void *x = values_of(c, &count);
    write_case(c, ctx, &m);
    const void *y = truth(&m, ctx, say("case %zu", i)), *z = read_frames(&m, 0, ctx, &status);
    worked(status, say("case %zu as a pipe", i));
    same_values(z, y, (size_t)count, c->type, say("case %zu as a pipe", i));
    for (size_t v = 0; v < count; v++)
      cr_assert(kept_on(&l, x, c->type, y, v), "case %zu, value %zu", i, v);
  }
}

Test(files, say_what_they_hold) {
  CONTEXT(ctx, NULL, 1);
  MEMORY_FILE(m);
  const file_case *c = &file_cases[8];
  const ghz_file_header h = header_of(c);
  write_case(c, ctx, &m);
  ghz_file *f = opened(&m, 1);
  const ghz_file_info *info = ghz_file_get_info(f);
  cr_assert_eq(m.reads, 1, "%u reads to open a file", m.reads);
  cr_assert(info->indexed && info->version == 3 && info->bytes == m.size);
  cr_assert_eq(memcmp(&info->header.array, &h.array, sizeof h.array), 0);
  cr_assert_eq(info->header.count, h.count);
  cr_assert_eq(info->header.frame_values, h.frame_values);
  cr_assert(info->header.shape.dims == 3 && memcmp(info->header.shape.extent, h.shape.extent, 24) == 0);
  cr_assert(info->header.lattice.step == h.lattice.step && info->header.lattice.eb == h.lattice.eb &&
            info->header.lattice.has_fill && info->header.lattice.fill == h.lattice.fill);
  cr_assert(info->frames == 5 && info->packed == (ghz_pack_available() ? 5 : 0) && info->terms == 1 &&
            info->transform && !info->inexact);
  cr_assert(info->bound >= h.lattice.eb && info->bound < 1.001 * h.lattice.eb);
  ghz_file_close(f);
}

/* ---- Parts ---- */
static void check_range(ghz_file *f, ghz_context *ctx, const file_case *c, const uint8_t *y, uint64_t first,
                        uint64_t count, const char *what) {
  const size_t size = ghz_type_size(c->type);
  uint8_t *got = scratch((size_t)count * size);
  worked(ghz_file_read(f, ctx, c->type, first, (size_t)count, got), what);
  same_values(got, y + first * size, (size_t)count, c->type, what);
}

Test(files, give_any_range) {
  CONTEXT(ctx, NULL, 2);
  for (size_t i = 0; i < file_case_count; i++) {
    SCOPE;
    MEMORY_FILE(m);
    uint64_t state = i, count = header_of(&file_cases[i]).count;
    write_case(&file_cases[i], ctx, &m);
    const uint8_t *y = truth(&m, ctx, "all");
    ghz_file *f = opened(&m, 1), *pipe = opened(&m, 0);
    for (int turn = 0; turn < 30 * effort(); turn++) {
      const uint64_t first = input_below(&state, count + 1), n = input_below(&state, count - first + 1);
      const char *what = say("case %zu: %llu +%llu", i, (unsigned long long)first, (unsigned long long)n);
      check_range(f, turn % 2 ? ctx : NULL, &file_cases[i], y, first, n, what);
    }
    for (uint64_t at = 0; at < count; at += 7777) /* forward alone */
      check_range(pipe, ctx, &file_cases[i], y, at, count - at < 5000 ? count - at : 5000,
                  say("case %zu: a pipe", i));
    ghz_file_close(f);
    ghz_file_close(pipe);
  }
}

/* The value that a box has at a place, slowest dimension of the memory first. */
static uint64_t place_in_array(const ghz_array *a, const uint64_t *from, const uint64_t *to, uint64_t at) {
  uint64_t place = 0, stride = 1;
  for (unsigned i = a->ndim; i-- > 0;) {
    const unsigned d = a->fortran ? a->ndim - 1 - i : i;
    place += (from[d] + at % (to[d] - from[d])) * stride;
    at /= to[d] - from[d];
    stride *= a->dims[d];
  }
  return place;
}

static void check_box(ghz_file *f, ghz_context *ctx, const file_case *c, const uint8_t *y, const uint64_t *from,
                      const uint64_t *to, const char *what) {
  const size_t size = ghz_type_size(c->type);
  const ghz_array *a = &ghz_file_get_info(f)->header.array;
  uint64_t count = 1;
  for (unsigned i = 0; i < a->ndim; i++)
    count *= to[i] - from[i];
  uint8_t *got = scratch((size_t)count * size);
  worked(ghz_file_read_box(f, ctx, c->type, from, to, got), what);
  for (uint64_t v = 0; v < count; v++)
    cr_assert_eq(memcmp(got + v * size, y + place_in_array(a, from, to, v) * size, size), 0, "%s: value %llu",
                 what, (unsigned long long)v);
}

Test(files, give_any_box) {
  CONTEXT(ctx, NULL, 2);
  for (size_t i = 0; i < file_case_count; i++) {
    SCOPE;
    MEMORY_FILE(m);
    const file_case *c = &file_cases[i];
    uint64_t state = i, from[5] = {0}, to[5] = {0};
    write_case(c, ctx, &m);
    const uint8_t *y = truth(&m, ctx, "all");
    ghz_file *f = opened(&m, 1);
    for (int turn = 0; turn < 30 * effort() && c->ndim; turn++) {
      for (unsigned d = 0; d < c->ndim; d++) {
        from[d] = input_below(&state, c->dims[d] + 1);
        to[d] = from[d] + input_below(&state, c->dims[d] - from[d] + 1);
      }
      check_box(f, ctx, c, y, from, to, say("case %zu, box %d", i, turn));
    }
    if (c->ndim == 0)
      cr_assert_eq(ghz_file_read_box(f, ctx, c->type, from, to, from), GHZ_EINVAL);
    ghz_file_close(f);
  }
}

Test(files, refuse_parts_that_are_not_there) {
  CONTEXT(ctx, NULL, 1);
  MEMORY_FILE(m);
  float x[64];
  double d[8];
  write_case(&file_cases[7], ctx, &m);
  ghz_file *f = opened(&m, 1), *pipe = opened(&m, 0);
  cr_assert_eq(ghz_file_read(f, ctx, GHZ_F32, 60000, 1, x), GHZ_EINVAL);
  cr_assert_eq(ghz_file_read(f, ctx, GHZ_F32, UINT64_MAX, 2, x), GHZ_EINVAL);
  cr_assert_str_eq(ghz_context_message(NULL), "memory.ghz: values 18446744073709551615 .. +2 of 60000");
  cr_assert_eq(ghz_file_read(f, ctx, (ghz_type)5, 0, 1, x), GHZ_EINVAL);
  cr_assert_eq(ghz_file_read_box(f, ctx, GHZ_F32, (uint64_t[]){0, 0, 0}, (uint64_t[]){1, 1, 51}, x),
               GHZ_EINVAL);
  cr_assert_str_eq(ghz_context_message(NULL), "memory.ghz: 0 up to 51 of 50 along dimension 2");
  cr_assert_eq(ghz_file_read_box(f, ctx, GHZ_F32, (uint64_t[]){3, 0, 0}, (uint64_t[]){2, 1, 1}, x), GHZ_EINVAL);
  cr_assert_eq(ghz_file_read(f, ctx, GHZ_F64, 59992, 8, d), GHZ_OK, "f32 as f64");
  cr_assert_eq(ghz_file_read(pipe, ctx, GHZ_F32, 50000, 1, x), GHZ_OK);
  cr_assert_eq(ghz_file_read(pipe, ctx, GHZ_F32, 0, 1, x), GHZ_EINVAL);
  cr_assert_str_eq(ghz_context_message(NULL), "memory.ghz: has passed by, and cannot be read at will");
  ghz_file_close(f);
  ghz_file_close(pipe);
}

/* ---- By name ---- */
static char *path_in(const char *folder, const char *name) {
  return (char *)(uintptr_t)say("%s/%s", folder, name);
}

static char folder[] = "/tmp/ghz-files-XXXXXX";
static void make_folder(void) { cr_assert_not_null(mkdtemp(folder)); }

static void write_named(const char *path, const ghz_file_header *h, ghz_context *ctx, const void *x, size_t n) {
  ghz_file_writer *w;
  worked(ghz_file_create(path, h, &w), "create");
  worked(ghz_file_write(w, ctx, x, n), "write");
  worked(ghz_file_finish(w, ctx), "finish");
}

Test(files, get_their_name_when_they_are_whole, .init = make_folder) {
  CONTEXT(ctx, NULL, 1);
  const ghz_file_header h = header_of(&file_cases[7]);
  uint64_t count;
  const float *x = values_of(&file_cases[7], &count);
  const char *path = path_in(folder, "a.ghz");
  ghz_file_writer *w;
  ghz_file *f;
  worked(ghz_file_create(path, &h, &w), "create");
  worked(ghz_file_write(w, ctx, x, 20000), "write");
  cr_assert_neq(access(path, F_OK), 0, "a file that is not complete has its name");
  cr_assert_eq(ghz_file_finish(w, ctx), GHZ_EINVAL, "values are missing");
  cr_assert_neq(access(path, F_OK), 0);
  cr_assert_eq(rmdir(folder), 0, "an unfinished file stays behind");
  cr_assert_eq(ghz_file_create(path, &h, &w), GHZ_EIO);
  cr_assert(strstr(ghz_context_message(NULL), "a.ghz: No such file"), "%s", ghz_context_message(NULL));
  cr_assert_eq(ghz_file_open(path, &f), GHZ_EIO);
  cr_assert_null(f);
  cr_assert_eq(ghz_file_open("/", &f), GHZ_EINVAL);
}

Test(files, are_appended_to, .init = make_folder) {
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
      {{.ndim = 2, .dims = {0, 100}, .frame_values = 16384},
       {.ndim = 2, .dims = {9, 100}, .frame_values = 16384}},
  };
  const char *path = path_in(folder, "a.ghz");
  for (size_t i = 0; i < COUNT(parts); i++) {
    SCOPE;
    uint64_t counts[2];
    float *x[2], *y;
    ghz_file_writer *w;
    ghz_file *f;
    for (int j = 0; j < 2; j++)
      x[j] = values_of(&parts[i][j], &counts[j]);
    const ghz_file_header h = header_of(&parts[i][0]);
    write_named(path, &h, ctx, x[0], (size_t)counts[0]);
    const unsigned slow = h.array.fortran ? h.array.ndim - 1 : 0;
    worked(ghz_file_append(path, parts[i][1].dims[slow], &w), say("appending %zu", i));
    worked(ghz_file_write(w, ctx, x[1], (size_t)counts[1]), "more");
    worked(ghz_file_finish(w, ctx), "finish");
    worked(ghz_file_open(path, &f), "open");
    const uint64_t all = counts[0] + counts[1];
    cr_assert_eq(ghz_file_get_info(f)->header.count, all, "case %zu", i);
    y = scratch((size_t)all * 4);
    worked(ghz_file_read(f, ctx, GHZ_F32, 0, (size_t)all, y), "read");
    for (uint64_t v = 0; v < all; v++) {
      const float want = v < counts[0] ? x[0][v] : x[1][v - counts[0]];
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
  unlink(path);
  rmdir(folder);
}

/* ---- Sums ---- */
Test(files, add_up_without_decoding) {
  CONTEXT(ctx, NULL, 2);
  enum { MOST = 20 };
  memory_file m[MOST] = {{0}};
  ghz_file *files[MOST];
  static const int64_t some[] = {3, -1, 0, 2};
  for (size_t i = 0; i < file_case_count; i++) {
    SCOPE;
    const size_t k = i % 2 ? 4 : MOST;
    MEMORY_FILE(sum);
    for (size_t j = 0; j < k; j++) {
      write_case(&file_cases[i], ctx, &m[j]);
      files[j] = opened(&m[j], j % 2);
    }
    ghz_file_header h = ghz_file_get_info(files[1])->header;
    h.lattice.eb = 0;
    const ghz_file_sink sink = memory_sink(&sum);
    const ghz_file_operation op = {.coefficients = k == 4 ? some : NULL, .factor = k == 4 ? 1 : 1.0 / MOST};
    ghz_file_writer *w;
    worked(ghz_file_create_sink(&sink, &h, &w), "create");
    worked(ghz_file_sum(ctx, k, files, &op, w), say("case %zu", i));
    worked(ghz_file_finish(w, ctx), "finish");
    const uint8_t *y = truth(&sum, ctx, "the sum"), *x = truth(&m[0], ctx, "one");
    for (size_t v = 0; v < h.count; v++) {
      const double a = value_at(h.lattice.type, x, v), b = value_at(h.lattice.type, y, v);
      const double times = k == 4 ? 4 : 1;
      cr_assert(a == h.lattice.fill || within(times * a, b, times * 2e-3), "case %zu, value %zu: %g, %g", i, v,
                a, b);
    }
    for (size_t j = 0; j < k; j++)
      ghz_file_close(files[j]);
  }
  for (size_t j = 0; j < MOST; j++)
    memory_file_free(&m[j]);
}

Test(files, of_other_arrays_do_not_add) {
  CONTEXT(ctx, NULL, 1);
  static const struct {
    size_t other;
    const char *why;
  } pairs[] = {{4, "dimensions differ from memory.ghz"}, {8, "fill"}};
  for (size_t i = 0; i < COUNT(pairs); i++) {
    MEMORY_FILE(a);
    MEMORY_FILE(b);
    ghz_frame result = {0};
    write_case(&file_cases[7], ctx, &a);
    write_case(&file_cases[pairs[i].other], ctx, &b);
    ghz_file *files[] = {opened(&a, 1), opened(&b, 1)};
    const ghz_file_operation op = {.factor = 1};
    cr_assert_eq(ghz_file_next_sum(ctx, 2, files, &op, &result), GHZ_EMISMATCH);
    cr_assert(strstr(ghz_context_message(NULL), pairs[i].why), "%s", ghz_context_message(NULL));
    cr_assert_eq(ghz_file_next_sum(ctx, 2, (ghz_file *[]){files[0], files[0]}, &op, &result), GHZ_EINVAL);
    ghz_frame_free(&result);
    ghz_file_close(files[0]);
    ghz_file_close(files[1]);
  }
}

/* ---- Faults ---- */
Test(files, say_when_reading_or_writing_fails) {
  CONTEXT(ctx, NULL, 1);
  MEMORY_FILE(m);
  const file_case *c = &file_cases[8];
  const ghz_file_header h = header_of(c);
  uint64_t count;
  const float *x = values_of(c, &count);
  for (m.fails_from = 1; m.fails_from < 14; m.fails_from++) {
    const ghz_file_sink sink = memory_sink(&m);
    ghz_file_writer *w;
    worked(ghz_file_create_sink(&sink, &h, &w), "create");
    (void)ghz_file_write(w, ctx, x, (size_t)count);
    cr_assert_eq(ghz_file_finish(w, ctx), GHZ_EIO, "write %u", m.fails_from);
  }
  m.fails_from = 0;
  write_case(c, ctx, &m);
  for (unsigned at = 1; at < 9; at++) {
    ghz_status status;
    m.fails_from = at;
    read_frames(&m, 1, ctx, &status);
    cr_assert_eq(status, GHZ_EIO, "read %u", at);
    cr_assert_str_eq(ghz_context_message(NULL), "memory.ghz: the cable is out");
  }
}
