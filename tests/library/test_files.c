/* test_files.c: files: what is written is read, in frames, ranges and boxes; what a part costs;
 * what is said when a system fails. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "file/checksum.h"
#include "file/pack.h"
#include "files.h"

TestSuite(files, .timeout = 120);

/* ---- Frames ---- */
Test(files, come_back_within_the_bound_seekable_or_not) {
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
    const void *y = file_values(&m, ctx, say("case %zu", i)), *z = read_frames(&m, 0, ctx, &status);
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
  cr_assert(info->indexed && info->version == 4 && info->bytes == m.size);
  cr_assert_eq(memcmp(&info->header.array, &h.array, sizeof h.array), 0);
  cr_assert_eq(info->header.count, h.count);
  cr_assert_eq(info->header.frame_values, h.frame_values);
  cr_assert(info->header.shape.dims == 3 && memcmp(info->header.shape.extent, h.shape.extent, 24) == 0);
  cr_assert(info->header.lattice.step == h.lattice.step && info->header.lattice.eb == h.lattice.eb &&
            info->header.lattice.has_fill && info->header.lattice.fill == h.lattice.fill);
  cr_assert(info->frames == 5 && info->packed == (ghz_pack_available(PACK_FAST) ? 5 : 0) && info->terms == 1 &&
            info->transform && !info->inexact);
  cr_assert(info->bound >= h.lattice.eb && info->bound < 1.001 * h.lattice.eb);
  ghz_file_close(f);
}

/* Pages that are stored come to their place by themselves; from a pipe all at once. A byte of the
 * tiles of one is not counted to another, though all add up; and a frame keeps to its checksum. */
Test(files, are_read_page_by_page) {
  CONTEXT(ctx, NULL, 1);
  MEMORY_FILE(m);
  const file_case c = {.ndim = 1, .dims = {200000}, .frame_values = 1 << 18, .type = GHZ_F32};
  ghz_status status;
  write_case(&c, ctx, &m);
  const void *y = file_values(&m, ctx, "all"), *z = read_frames(&m, 0, ctx, &status);
  same_values(y, z, 200000, GHZ_F32, "pages");
  uint8_t *frame = m.data + 64, *page = frame + 8 + 72 + 8, *next = page + get_little(frame + 80, 4);
  uint8_t *checksum = frame + 8 + get_little(frame, 8);
  checksum[0] ^= 1;
  read_frames(&m, 1, ctx, &status);
  cr_expect(strstr(ghz_context_message(NULL), "its checksum does not match"), "%s", ghz_context_message(NULL));
  put_little(page + 5, get_little(page + 5, 2) + 1, 2);
  put_little(next + 5, get_little(next + 5, 2) - 1, 2);
  ghz_checksum_put(frame, (size_t)(checksum - frame), 0);
  read_frames(&m, 1, ctx, &status);
  cr_expect_eq(status, GHZ_ECORRUPT);
  cr_expect(strstr(ghz_context_message(NULL), "page 0 of a frame is damaged"), "%s", ghz_context_message(NULL));
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
    const uint8_t *y = file_values(&m, ctx, "all");
    ghz_file *f = opened(&m, 1), *pipe = opened(&m, 0);
    for (int turn = 0; turn < effort(30); turn++) {
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
  for (uint64_t v = 0; v < count; v++) /* an assertion takes longer than this */
    if (memcmp(got + v * size, y + place_in_array(a, from, to, v) * size, size) != 0)
      cr_assert_fail("%s: value %llu", what, (unsigned long long)v);
}

/* Frames have several pages: those of each run of tiles are read alone. */
#define OF_MANY_PAGES                                                                                          \
  { .ndim = 3, .dims = {64, 100, 700}, .frame_values = 1 << 22, .pack = 2 }

Test(files, give_any_box) {
  CONTEXT(ctx, NULL, 2);
  for (size_t i = 0; i <= file_case_count; i++) {
    SCOPE;
    MEMORY_FILE(m);
    const file_case *c = i < file_case_count ? &file_cases[i] : &(file_case)OF_MANY_PAGES;
    uint64_t state = i, from[5] = {0}, to[5] = {0};
    write_case(c, ctx, &m);
    const uint8_t *y = file_values(&m, ctx, "all");
    ghz_file *f = opened(&m, 1);
    for (int turn = 0; turn < effort(30) && c->ndim; turn++) {
      SCOPE;
      for (unsigned d = 0; d < c->ndim; d++) {
        const uint64_t ends = input_below(&state, 9); /* often those of the array, so of frames, too */
        from[d] = ends % 3 ? input_below(&state, c->dims[d] + 1) : 0;
        to[d] = ends / 3 ? from[d] + input_below(&state, c->dims[d] - from[d] + 1) : c->dims[d];
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
  cr_assert_eq(ghz_file_read(f, ctx, (ghz_type)9, 0, 1, x), GHZ_EINVAL);
  cr_assert_eq(ghz_file_read_box(f, ctx, GHZ_F32, (uint64_t[]){0, 0, 0}, (uint64_t[]){1, 1, 51}, x),
               GHZ_EINVAL);
  cr_assert_str_eq(ghz_context_message(NULL), "memory.ghz: 0 up to 51 of 50 along dimension 2");
  cr_assert_eq(ghz_file_read_box(f, ctx, GHZ_F32, (uint64_t[]){3, 0, 0}, (uint64_t[]){2, 1, 1}, x), GHZ_EINVAL);
  cr_assert_eq(ghz_file_read(f, ctx, GHZ_F64, 59992, 8, d), GHZ_OK, "f32 as f64");
  cr_assert_eq(ghz_file_read(pipe, ctx, GHZ_F32, 50000, 1, x), GHZ_OK);
  cr_assert_eq(ghz_file_read(pipe, ctx, GHZ_F32, 0, 1, x), GHZ_EINVAL);
  cr_assert_str_eq(ghz_context_message(NULL), "memory.ghz: cannot seek back: the input is a pipe");
  ghz_file_close(f);
  ghz_file_close(pipe);
}

/* A frame that begins inside a plane ends with it, whatever frames hold. */
Test(files, cut_no_frame_across_a_plane) {
  ghz_file_header h = {.array = {.ndim = 3, .dims = {4, 100, 200}}, .lattice.type = GHZ_F32, .count = 80000};
  need(ghz_file_choose_frames(&h, 0, 40000), "frames");
  cr_assert(h.shape.dims == 2 && h.frame_values == 40000);
  const ghz_shape s = ghz_file_frame_shape(&h, 20000 + 60 * 200);
  cr_assert(s.extent[0] == 1 && s.extent[1] == 40 && s.extent[2] == 200);
}

Test(files, cost_three_reads_and_two_megabytes_for_a_range_of_one) {
  CONTEXT(ctx, NULL, 2);
  enum { VALUES = 1 << 18 }; /* 1 MiB */
  float *x = scratch(VALUES * sizeof *x);
  for (int turn = 0; turn < 2; turn++) {
    MEMORY_FILE(m);
    const file_case c = {.ndim = 3, .dims = {48, 512, 512}, .flat = 1, .frame_values = 1 << 22, .pack = turn};
    write_case(&c, ctx, &m); /* 48 MiB of values, in three frames */
    ghz_file *f = opened(&m, 1);
    cr_assert_eq(m.reads, 1, "%u reads to open a file", m.reads);
    worked(ghz_file_read(f, ctx, GHZ_F32, 5000000 + 262144 * 2, VALUES, x), "a range");
    cr_assert(m.reads <= 3 && m.bytes <= 2 << 20, "turn %d: %u reads of %llu bytes", turn, m.reads,
              (unsigned long long)m.bytes);
    const unsigned before = m.reads;
    worked(ghz_file_read(f, ctx, GHZ_F32, 7000000, VALUES, x), "a range of the same frame");
    cr_assert(m.reads - before <= 1, "turn %d: %u reads more", turn, m.reads - before);
    ghz_file_close(f);
  }
}

/* Chunks of bricks, pages that are packed, lines of flat frames that are far apart: a part of the
 * file, in so few reads. */
Test(files, read_of_a_box_what_it_meets) {
  static const struct {
    file_case c;
    uint64_t from[3], to[3];
    unsigned reads;
    size_t part;
  } boxes[] = {
      {{.ndim = 3, .dims = {48, 512, 512}, .frame_values = 1 << 22}, {16, 64, 128}, {32, 128, 192}, 4, 8},
      {OF_MANY_PAGES, {1, 1, 1}, {2, 2, 2}, 4, 2},
      {{.ndim = 2, .dims = {4, 1 << 20}, .flat = 1, .frame_values = 1 << 22}, {0, 1000}, {4, 1100}, 8, 4}};
  CONTEXT(ctx, NULL, 2);
  float *x = scratch(64 * 64 * 16 * sizeof *x);
  for (size_t i = 0; i < COUNT(boxes); i++) {
    SCOPE;
    MEMORY_FILE(m);
    write_case(&boxes[i].c, ctx, &m);
    ghz_file *f = opened(&m, 1);
    worked(ghz_file_read_box(f, ctx, GHZ_F32, boxes[i].from, boxes[i].to, x), "a box");
    cr_assert(m.reads <= boxes[i].reads && m.bytes < m.size / boxes[i].part,
              "box %zu: %u reads of %llu bytes, of %zu", i, m.reads, (unsigned long long)m.bytes, m.size);
    ghz_file_close(f);
  }
}

/* ---- The index ---- */
/* A file of zeros but for the tail, which says that an index of 7 GiB precedes it, and perhaps the
 * header with which that begins. */
typedef struct sparse {
  const memory_file *sound;
  int has_header;
  uint64_t bytes;
} sparse;

#define SPARSE_BYTES ((uint64_t)8 << 30)
#define SPARSE_INDEX ((uint64_t)7 << 30)

/* What of `size` bytes at `at` a read at `offset` has. */
static void show(uint8_t *to, uint64_t offset, size_t room, uint64_t at, const uint8_t *from, size_t size) {
  for (size_t i = 0; i < size; i++)
    if (at + i >= offset && at + i < offset + room)
      to[at + i - offset] = from[i];
}

static const char *read_sparse(void *user, uint64_t offset, void *to, size_t size, size_t *got) {
  sparse *s = user;
  const uint64_t index = SPARSE_INDEX - 32;
  const uint8_t *sound = s->sound->data;
  memset(to, 0, size);
  show(to, offset, size, SPARSE_BYTES - SPARSE_INDEX, sound, s->has_header ? 80 : 0);
  show(to, offset, size, SPARSE_BYTES - 32, sound + s->sound->size - 32, 32);
  show(to, offset, size, SPARSE_BYTES - 24, (const uint8_t *)&index, 8);
  s->bytes += size;
  *got = size;
  return NULL;
}

Test(files, take_no_memory_for_an_index_of_zeros) {
  CONTEXT(ctx, NULL, 1);
  MEMORY_FILE(m);
  write_case(&file_cases[7], ctx, &m);
  for (int has_header = 0; has_header < 2; has_header++) {
    sparse s = {.sound = &m, .has_header = has_header};
    ghz_file *f;
    const ghz_file_source source = {
        .user = &s, .name = "sparse.ghz", .read_at = read_sparse, .size = SPARSE_BYTES};
    cr_assert_eq(ghz_file_open_source(&source, &f), GHZ_ECORRUPT);
    cr_assert(
        strstr(ghz_context_message(NULL), has_header ? "frame 0: an impossible number" : "not a .ghz file"),
        "%s", ghz_context_message(NULL));
    cr_assert_lt(s.bytes, 2 << 20);
  }
}

/* An index of more than a megabyte comes in pieces, in which entries are cut. */
Test(files, have_an_index_of_any_length) {
  CONTEXT(ctx, NULL, 1);
  MEMORY_FILE(m);
  enum { FRAMES = 40000, VALUES = 16384 };
  static float x[VALUES];
  static uint8_t stream[65536];
  ghz_file_header h = {.lattice = lattice_abs(GHZ_F32, 1e-3), .count = (uint64_t)FRAMES * VALUES};
  size_t size;
  ghz_file_writer *w;
  need(ghz_compress(ctx, &h.lattice, GHZ_ORDER_BEST, x, VALUES, stream, sizeof stream, &size), "a stream");
  need(ghz_file_choose_frames(&h, 1, VALUES), "frames");
  const ghz_file_sink sink = memory_sink(&m);
  worked(ghz_file_create_sink(&sink, &h, &w), "create");
  for (int i = 0; i < FRAMES; i++)
    worked(ghz_file_write_stream(w, ctx, (ghz_bytes){stream, size}), "a frame");
  worked(ghz_file_finish(w, ctx), "finish");
  ghz_file *f = opened(&m, 1);
  cr_assert_eq(ghz_file_get_info(f)->frames, FRAMES);
  cr_assert_eq(m.reads, 3, "%u reads to open a file with an index of %d bytes", m.reads, FRAMES * 36);
  worked(ghz_file_read(f, ctx, GHZ_F32, h.count - 5, 5, x), "the end");
  ghz_file_close(f);
  m.data[m.size - 100000] ^= 1; /* a checksum of a block, perhaps: the index has its own */
  const ghz_file_source source = memory_source(&m, 1);
  cr_assert_eq(ghz_file_open_source(&source, &f), GHZ_ECORRUPT);
}

/* ---- Faults ---- */
Test(files, say_when_reading_or_writing_fails) {
  CONTEXT(ctx, NULL, 1);
  MEMORY_FILE(m);
  const file_case *c = &file_cases[8];
  const ghz_file_header h = header_of(c);
  uint64_t count;
  const float *x = values_of(c, &count);
  for (m.fails_from = 1; m.fails_from < 8; m.fails_from++) {
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
  m.fails_from = 0;
  ghz_file *f = opened(&m, 1);
  float value;
  m.fails_from = 1; /* the page of a range */
  cr_assert_eq(ghz_file_read(f, ctx, GHZ_F32, 7, 1, &value), GHZ_EIO);
  cr_assert_str_eq(ghz_context_message(NULL), "memory.ghz: the cable is out");
  ghz_file_close(f);
}
