/* reader.c: owns the compressed files of the command: what libghz asks for is read from
 * descriptors, what it says is printed; and reading any kind of file as a sequence of doubles. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "reader.h"
#include "report/report.h"
#include "report/text.h"

static bool reported; /* a read that failed has been reported */

/* ---- Descriptors ----------------------------------------------------------------------------- */

static const char *read_next(void *user, void *to, size_t size, size_t *got) {
  if (file_read(user, to, size, got))
    return NULL;
  reported = true;
  return "cannot be read";
}

static const char *read_at(void *user, uint64_t offset, void *to, size_t size, size_t *got) {
  file *f = user;
  f->position = f->origin + offset;
  return read_next(f, to, size, got);
}

static void close_file(void *user) {
  file_close(user);
}

/* ---- Files ----------------------------------------------------------------------------------- */

bool reader_ok(ghz_status status) {
  const bool quiet = reported;
  reported = false;
  if (status == GHZ_OK)
    return true;
  return quiet ? false : fail("", "%s", ghz_context_message(NULL));
}

/* Of a file that is already open; closes it on failure. */
static bool adopt(frame_reader *r, const file *f) {
  *r = (frame_reader){.file = *f};
  const ghz_file_source source = {.user = &r->file,
                                  .name = f->name,
                                  .read = read_next,
                                  .read_at = f->seekable ? read_at : NULL,
                                  .size = f->seekable ? f->size - f->origin : 0,
                                  .close = close_file};
  if (!file_may_be_ghz(&r->file) || !reader_ok(ghz_file_open_source(&source, &r->own)))
    return (file_close(&r->file), false);
  r->header = ghz_file_get_info(r->own)->header;
  return true;
}

bool reader_open(frame_reader *r, const char *path) {
  file f;
  return file_open(&f, path) && adopt(r, &f);
}

bool reader_next(frame_reader *r, ghz_context *ctx, ghz_frame *f, bool *more) {
  *more = false;
  if (!reader_ok(ghz_file_next(r->own, ctx, f)))
    return false;
  *more = f->stream.size > 0;
  r->header = ghz_file_get_info(r->own)->header;
  r->frames += *more;
  r->values += *more ? f->info.count : 0;
  return true;
}

bool reader_each(frame_reader *r, int n, ghz_context *ctx, frame_visitor *see, void *user) {
  ghz_frame f[2] = {{.memory = NULL}, {.memory = NULL}};
  bool more[2] = {false, false}, ok = true;
  progress_begin(r->file.name, r->header.count, ghz_type_size(r->header.lattice.type));
  do {
    for (int i = 0; ok && i < n; i++)
      ok = reader_next(&r[i], ctx, &f[i], &more[i]);
    if (ok && n > 1 && more[0] != more[1])
      ok = fail(r[more[0]].file.name, "has fewer values than %s", r[more[1]].file.name);
    ok = ok && (!more[0] || see(r[n - 1].file.name, ctx, f, user));
    progress_set(r->values);
  } while (ok && more[0]);
  progress_end();
  ghz_frame_free(&f[0]);
  ghz_frame_free(&f[1]);
  return ok;
}

uint64_t reader_bytes(const frame_reader *r) {
  return r->file.seekable ? r->file.size - r->file.origin : r->file.position;
}

void reader_close(frame_reader *r) {
  ghz_file_close(r->own);
  *r = (frame_reader){.own = NULL};
}

/* ---- Values ---------------------------------------------------------------------------------- */

enum { BATCH = 1 << 16 }; /* values per read of a file that is not compressed */

bool values_open(values *v, ghz_context *ctx, const char *path, type_choice choice) {
  file f;
  char magic[4];
  size_t got;
  *v = (values){.ctx = ctx, .scale = 1};
  if (!file_open(&f, path))
    return false;
  v->name = f.name;
  if (!file_peek(&f, magic, sizeof magic, &got)) {
    file_close(&f);
    return false;
  }
  bool foreign = type_of_name(path).given || choice.given; /* input_adopt says what else it is */
  v->compressed = name_ends(path, ".ghz") || (!foreign && got == 4 && memcmp(magic, "GHZF", 4) == 0);
  if (!(v->compressed ? adopt(&v->reader, &f) : input_adopt(&v->in, &f, choice)))
    return false;
  v->type = v->compressed ? v->reader.header.lattice.type : v->in.type;
  if (v->compressed && type_is_integer(v->type))
    v->type = GHZ_F64;
  v->shape = v->compressed ? v->reader.header.array : v->in.shape;
  return true;
}

static bool fill_from_frame(values *v) {
  bool more;
  if (!reader_next(&v->reader, v->ctx, &v->frame, &more))
    return false;
  v->have = 0;
  if (!more)
    return true;
  size_t count = (size_t)v->frame.info.count;
  v->bounded = true;
  if (v->frame.info.bound > v->bound && !exact_on_grid(&v->frame.info.lattice, v->frame.info.terms))
    v->bound = v->frame.info.bound;
  v->has_fill = v->reader.header.lattice.has_fill;
  v->fill = v->reader.header.lattice.fill;
  if (!buffer_reserve(&v->native, count * ghz_type_size(v->type), v->name))
    return false;
  v->have = count;
  return library_ok(v->name, v->ctx, ghz_decompress(v->ctx, v->frame.stream, v->type, v->native.data, count));
}

static bool fill_from_input(values *v) {
  return buffer_reserve(&v->native, BATCH * ghz_type_size(v->type), v->name) &&
         input_read(&v->in, v->native.data, BATCH, &v->have);
}

bool values_read(values *v, double *to, size_t count, size_t *got) {
  size_t part;
  *got = 0;
  do {
    if (v->used == v->have) {
      v->used = 0;
      if (!(v->compressed ? fill_from_frame(v) : fill_from_input(v)))
        return false;
    }
    part = v->have - v->used < count - *got ? v->have - v->used : count - *got;
    const unsigned char *from = v->native.data + v->used * ghz_type_size(v->type);
    if (v->type == GHZ_F64)
      memcpy(to + *got, from, part * sizeof *to);
    else
      for (size_t i = 0; i < part; i++)
        to[*got + i] = value_at(v->type, from, i);
    v->used += part;
    *got += part;
  } while (v->compressed && part > 0 && *got < count);
  return true;
}

uint64_t values_bytes(const values *v) {
  return v->stored       ? v->stored
         : v->compressed ? reader_bytes(&v->reader)
                         : v->in.file.position - v->in.file.origin;
}

void values_close(values *v) {
  if (v->compressed)
    reader_close(&v->reader);
  else
    input_close(&v->in);
  ghz_frame_free(&v->frame);
  buffer_free(&v->native);
  free(v->label);
  *v = (values){.ctx = NULL};
}
