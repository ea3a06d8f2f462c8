/* files.c: owns files in memory, and the cases that tests write to them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "files.h"
#include "fields.h"
#include "file/pack.h"

/* ---- Memory ---- */
static const char *write_bytes(void *user, const void *data, size_t size) {
  memory_file *m = user;
  if (m->fails_from && ++m->calls >= m->fails_from)
    return "the disk is full";
  if (m->size + size > m->room) {
    m->room = 2 * (m->size + size);
    m->data = realloc(m->data, m->room);
    if (!m->data)
      abort();
  }
  memcpy(m->data + m->size, data, size);
  m->size += size;
  return NULL;
}

static const char *read_bytes_at(void *user, uint64_t offset, void *to, size_t size, size_t *got) {
  memory_file *m = user;
  const size_t left = offset < m->size ? m->size - (size_t)offset : 0;
  if (m->fails_from && ++m->calls >= m->fails_from)
    return "the cable is out";
  *got = size < left ? size : left;
  memcpy(to, m->data + (left ? offset : 0), *got);
  m->reads++;
  m->bytes += *got;
  return NULL;
}

static const char *read_bytes(void *user, void *to, size_t size, size_t *got) {
  memory_file *m = user;
  const char *why = read_bytes_at(m, m->position, to, size, got);
  m->position += why ? 0 : *got;
  return why;
}

ghz_file_sink memory_sink(memory_file *m) {
  *m = (memory_file){.data = m->data, .room = m->room, .fails_from = m->fails_from};
  return (ghz_file_sink){.user = m, .name = "memory.ghz", .write = write_bytes};
}

ghz_file_source memory_source(memory_file *m, int seekable) {
  m->position = 0;
  m->reads = m->calls = 0;
  m->bytes = 0;
  return (ghz_file_source){.user = m,
                           .name = "memory.ghz",
                           .read = read_bytes,
                           .read_at = seekable ? read_bytes_at : NULL,
                           .size = seekable ? m->size : 0};
}

void memory_file_free(memory_file *m) { free(m->data); }

/* ---- Cases ---- */
const file_case file_cases[] = {
    {.ndim = 1, .dims = {100000}, .frame_values = 32768, .type = GHZ_F32},
    {.ndim = 1, .dims = {100000}, .frame_values = 16384, .type = GHZ_F64, .pack = 1, .fill = 1},
    {.ndim = 0, .dims = {50000}, .frame_values = 16384, .type = GHZ_F32},
    {.ndim = 1, .dims = {0}, .frame_values = 16384, .type = GHZ_F32},
    {.ndim = 2, .dims = {300, 200}, .frame_values = 16384, .type = GHZ_F32},
    {.ndim = 2, .dims = {300, 200}, .frame_values = 16384, .type = GHZ_F32, .flat = 1, .pack = 2},
    {.ndim = 2, .dims = {200, 300}, .fortran = 1, .frame_values = 16384, .type = GHZ_F64},
    {.ndim = 3, .dims = {40, 30, 50}, .frame_values = 16384, .type = GHZ_F32},
    {.ndim = 3, .dims = {40, 30, 50}, .frame_values = 16384, .type = GHZ_F32, .pack = 1, .fill = 1},
    {.ndim = 3, .dims = {50, 30, 41}, .fortran = 1, .frame_values = 20000, .type = GHZ_F32},
    {.ndim = 3, .dims = {7, 60, 70}, .frame_values = 9000, .type = GHZ_F64},
    {.ndim = 4, .dims = {9, 11, 12, 13}, .frame_values = 2000, .type = GHZ_F32},
    {.ndim = 5, .dims = {3, 4, 20, 3, 9}, .frame_values = 16384, .type = GHZ_F32, .pack = 1},
    {.ndim = 3, .dims = {40, 30, 50}, .frame_values = 16384, .type = GHZ_F32, .pack = 2, .fill = 1},
    {.ndim = 3, .dims = {7, 60, 70}, .fortran = 1, .frame_values = 9000, .type = GHZ_F64, .pack = 2},
    {.ndim = 1, .dims = {0}, .frame_values = 16384, .type = GHZ_F32, .pack = 2},
};
const size_t file_case_count = COUNT(file_cases);

ghz_file_header header_of(const file_case *c) {
  ghz_file_header h = {.array = {.ndim = c->ndim, .fortran = c->fortran}};
  memcpy(h.array.dims, c->dims, c->ndim * sizeof *c->dims);
  h.lattice = filled(lattice_abs(c->type, 1e-3), (uint64_t)c->fill);
  h.count = c->ndim ? ghz_array_count(&h.array) : c->dims[0];
  need(ghz_file_choose_frames(&h, c->flat, c->frame_values), "frames");
  return h;
}

void *values_of(const file_case *c, uint64_t *count) {
  const ghz_file_header h = header_of(c);
  const ghz_shape s = h.shape.dims == 1 ? (ghz_shape){1, {1, 1, h.count}} : h.shape;
  void *x = field_make(ROUGH, &h.lattice, &s, 5000, 7);
  plant_fill(&h.lattice, x, (size_t)h.count, 3);
  *count = h.count;
  return x;
}

void write_case(const file_case *c, ghz_context *ctx, memory_file *m) {
  const ghz_file_header h = header_of(c);
  const ghz_file_sink sink = memory_sink(m);
  const size_t size = ghz_type_size(c->type);
  ghz_file_writer *w;
  uint64_t count, state = 5;
  const uint8_t *x = values_of(c, &count);
  need(ghz_file_create_sink(&sink, &h, &w), "creating");
  if (c->pack && ghz_pack_available(c->pack))
    need(ghz_file_set_pack(w, c->pack), "level %d", c->pack);
  for (uint64_t at = 0, n; at < count; at += n) {
    n = 1 + input_below(&state, 30000);
    n = n < count - at ? n : count - at;
    need(ghz_file_write(w, ctx, x + at * size, (size_t)n), "values");
  }
  need(ghz_file_finish(w, ctx), "finishing");
}

void worked(ghz_status status, const char *what) {
  cr_assert_eq(status, GHZ_OK, "%s: %s", what, ghz_context_message(NULL));
}

ghz_file *opened(memory_file *m, int seekable) {
  const ghz_file_source source = memory_source(m, seekable);
  ghz_file *f;
  need(ghz_file_open_source(&source, &f), "opening: %s", ghz_context_message(NULL));
  return f;
}

void *read_frames(memory_file *m, int seekable, ghz_context *ctx, ghz_status *status) {
  const ghz_file_source source = memory_source(m, seekable);
  ghz_file *f = NULL;
  ghz_frame frame = {0};
  size_t room = 0;
  uint8_t *x = NULL;
  *status = ghz_file_open_source(&source, &f);
  for (uint64_t at = 0; *status == GHZ_OK; at += frame.info.count) {
    *status = ghz_file_next(f, ctx, &frame);
    if (*status != GHZ_OK || frame.stream.size == 0)
      break;
    const size_t size = ghz_type_size(frame.info.lattice.type),
                 need_bytes = (size_t)(at + frame.info.count) * size;
    uint8_t *longer = scratch(need_bytes);
    if (room)
      memcpy(longer, x, room);
    x = longer;
    room = need_bytes;
    *status =
        ghz_decompress(ctx, frame.stream, frame.info.lattice.type, x + at * size, (size_t)frame.info.count);
  }
  ghz_frame_free(&frame);
  ghz_file_close(f);
  return x;
}

void *file_values(memory_file *m, ghz_context *ctx, const char *what) {
  ghz_status status;
  void *x = read_frames(m, 1, ctx, &status);
  worked(status, what);
  return x;
}
