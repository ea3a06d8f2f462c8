/* values.c: owns reading any kind of file as a sequence of doubles. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "values.h"

#include <string.h>

#include "report/library.h"

enum { BATCH = 1 << 16 }; /* values per read of a file that is not compressed */

bool values_open(values *v, ghz_context *ctx, const char *path, type_choice choice) {
  file f;
  char magic[4];
  size_t got;
  *v = (values){.ctx = ctx};
  if (!file_open(&f, path))
    return false;
  v->name = f.name;
  if (!file_peek(&f, magic, sizeof magic, &got)) {
    file_close(&f);
    return false;
  }
  bool foreign = type_of_name(path).given || choice.given; /* input_adopt says what else it is */
  v->compressed = name_ends(path, ".ghz") || (!foreign && got == 4 && memcmp(magic, "GHZF", 4) == 0);
  if (!(v->compressed ? reader_adopt(&v->reader, &f) : input_adopt(&v->in, &f, choice)))
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
  if (v->frame.info.bound > v->bound)
    v->bound = v->frame.info.bound;
  if (!buffer_reserve(&v->native, count * ghz_type_size(v->type), v->name))
    return false;
  v->have = count;
  return library_ok(v->name, v->ctx, ghz_decompress(v->ctx, v->frame.stream, v->type, v->native.data, count));
}

static bool fill_from_input(values *v) {
  return buffer_reserve(&v->native, BATCH * ghz_type_size(v->type), v->name) &&
         input_read(&v->in, v->native.data, BATCH, &v->have);
}

bool values_differ(const values *v, const char *path) {
  return file_differs(v->compressed ? v->reader.file : &v->in.file, path);
}

bool values_read(values *v, double *to, size_t count, size_t *got) {
  if (v->used == v->have) {
    v->used = 0;
    if (!(v->compressed ? fill_from_frame(v) : fill_from_input(v)))
      return false;
  }
  *got = v->have - v->used < count ? v->have - v->used : count;
  const unsigned char *from = v->native.data + v->used * ghz_type_size(v->type);
  if (v->type == GHZ_F64)
    memcpy(to, from, *got * sizeof *to);
  else
    for (size_t i = 0; i < *got; i++)
      to[i] = value_at(v->type, from, i);
  v->used += *got;
  return true;
}

uint64_t values_bytes(const values *v) {
  return v->compressed ? reader_bytes(&v->reader) : v->in.file.position - v->in.file.origin;
}

void values_close(values *v) {
  if (v->compressed)
    reader_close(&v->reader);
  else
    input_close(&v->in);
  ghz_frame_free(&v->frame);
  buffer_free(&v->native);
}
