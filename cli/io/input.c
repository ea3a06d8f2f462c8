/* input.c: owns reading arrays of values from raw files, .npy files and pipes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "input.h"

#include <string.h>

#include "frame.h"
#include "npy.h"
#include "report/report.h"

const char *type_name(ghz_type type) {
  return type == GHZ_F32 ? "f32" : "f64";
}

type_choice type_of_name(const char *name) {
  if (name_ends(name, ".f32"))
    return (type_choice){true, GHZ_F32};
  if (name_ends(name, ".f64") || name_ends(name, ".d64"))
    return (type_choice){true, GHZ_F64};
  return (type_choice){false, GHZ_F32};
}

/* Sets the count, which --dims may have said before. */
static bool set_count(input *in, uint64_t count) {
  const uint64_t known = in->count;
  in->count = count;
  return known == COUNT_UNKNOWN || known == count ||
         fail(in->file.name, "--dims needs %llu values, the file has %llu", (unsigned long long)known,
              (unsigned long long)count);
}

/* Sets the count of a raw file from its size. */
static bool measure_raw(input *in) {
  const file *f = &in->file;
  uint64_t bytes = f->size - f->position, size = ghz_type_size(in->type);
  if (bytes == 0)
    return fail(f->name, "is empty");
  if (bytes < size)
    return fail(f->name, "is shorter than one value: %llu bytes, %s takes %llu", (unsigned long long)bytes,
                type_name(in->type), (unsigned long long)size);
  if (bytes % size)
    return fail(f->name, "%llu bytes are not a whole number of %s values", (unsigned long long)bytes,
                type_name(in->type));
  return set_count(in, bytes / size);
}

/* Checks that the length of an .npy file fits its shape. */
static bool measure_npy(input *in) {
  const file *f = &in->file;
  uint64_t bytes = f->size - f->position, need = in->count * ghz_type_size(in->type);
  if (bytes < need)
    return fail(f->name, "truncated: the shape needs %llu bytes of values, %llu are there",
                (unsigned long long)need, (unsigned long long)bytes);
  if (bytes > need)
    return fail(f->name, "%llu bytes follow the array", (unsigned long long)(bytes - need));
  return true;
}

static bool measure(input *in) {
  in->start = in->file.position;
  if (!in->file.seekable)
    return true;
  return in->shape.npy ? measure_npy(in) : measure_raw(in);
}

static bool open_npy(input *in, type_choice choice) {
  if (!npy_read_header(&in->file, &in->type, &in->shape))
    return false;
  if (choice.given && choice.type != in->type)
    return fail(in->file.name, "holds %s, not %s as --type says", type_name(in->type), type_name(choice.type));
  shape_count(&in->shape, &in->count);
  return measure(in);
}

static bool fail_zip(const char *name) {
  return fail(name, "is a zip archive: extract the .npy files that are in it");
}

/* Finds the type: by the ending, then by --type, then by the first bytes. */
static bool identify(input *in, type_choice choice) {
  const char *name = in->file.name;
  type_choice named = type_of_name(name);
  if (name_ends(name, ".npy"))
    return open_npy(in, choice);
  if (name_ends(name, ".npz"))
    return fail_zip(name);
  unsigned char magic[6];
  size_t got = 0;
  if (!named.given && !choice.given) {
    if (!file_peek(&in->file, magic, sizeof magic, &got))
      return false;
    if (got == sizeof magic && memcmp(magic, NPY_MAGIC, 6) == 0)
      return open_npy(in, choice);
    if (got == 0)
      return fail(name, "is empty");
    if (got >= 4 && memcmp(magic, FRAME_MAGIC, 4) == 0)
      return fail(name, "is compressed already");
    if (got >= 4 && memcmp(magic, "PK\3\4", 4) == 0)
      return fail_zip(name);
    return fail(name, "unknown type of values; use --type f32 or --type f64");
  }
  if (named.given && choice.given && named.type != choice.type)
    return fail(name, "the ending says %s, --type says %s", type_name(named.type), type_name(choice.type));
  in->type = named.given ? named.type : choice.type;
  return measure(in);
}

bool input_adopt(input *in, const file *f, type_choice choice) {
  *in = (input){.file = *f, .count = COUNT_UNKNOWN};
  if (identify(in, choice))
    return true;
  input_close(in);
  return false;
}

bool input_open(input *in, const char *path, type_choice choice) {
  file f;
  return file_open(&f, path) && input_adopt(in, &f, choice);
}

static bool fail_contradicts(const input *in, const shape *given) {
  char own[512], dims[512];
  shape_text(&in->shape, own, sizeof own);
  shape_text(given, dims, sizeof dims);
  return fail(in->file.name, "--dims %s contradicts its shape, %s; leave --dims out", dims, own);
}

bool input_set_shape(input *in, const shape *s) {
  uint64_t count;
  shape_count(s, &count);
  if (in->shape.npy &&
      (in->shape.ndim != s->ndim || memcmp(in->shape.dims, s->dims, s->ndim * sizeof *s->dims) != 0))
    return fail_contradicts(in, s);
  if (in->shape.npy)
    return true;
  in->shape = *s;
  const uint64_t own = in->count;
  in->count = count;
  return own == COUNT_UNKNOWN || set_count(in, own);
}

/* Fails if a pipe goes on after the array whose shape is known. */
static bool check_end(input *in) {
  unsigned char next;
  size_t got = 0;
  if (in->file.seekable || in->taken < in->count)
    return true;
  if (!file_peek(&in->file, &next, 1, &got))
    return false;
  return got == 0 || fail(in->file.name, "more bytes follow the array");
}

bool input_read(input *in, void *values, size_t count, size_t *got) {
  size_t size = ghz_type_size(in->type), bytes;
  if (in->count != COUNT_UNKNOWN && count > in->count - in->taken)
    count = (size_t)(in->count - in->taken);
  if (!file_read(&in->file, values, count * size, &bytes))
    return false;
  *got = bytes / size;
  in->taken += *got;
  if (in->count != COUNT_UNKNOWN && *got < count)
    return fail(in->file.name, "truncated: ends after %llu of %llu values", (unsigned long long)in->taken,
                (unsigned long long)in->count);
  if (bytes % size)
    return fail(in->file.name, "ends in the middle of a value: %llu bytes after %llu values of type %s",
                (unsigned long long)(bytes % size), (unsigned long long)in->taken, type_name(in->type));
  if (in->taken == 0 && !in->shape.npy)
    return fail(in->file.name, "is empty");
  return check_end(in);
}

bool input_make_seekable(input *in) {
  if (in->file.seekable)
    return true;
  return file_spool(&in->file) && measure(in);
}

void input_rewind(input *in) {
  in->file.position = in->start;
  in->taken = 0;
}

void input_close(input *in) {
  file_close(&in->file);
}
