/* input.c: owns reading arrays of values from raw files, .npy files and pipes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "input.h"

#include <string.h>

#include "byte_order.h"
#include "npy.h"
#include "report/report.h"
#include "signature.h"

static const struct {
  const char *extension, *whole;
} types[] = {[GHZ_F32] = {".f32", "float32"}, [GHZ_F64] = {".f64", "float64"}, [GHZ_I8] = {".i8", "int8"},
             [GHZ_I16] = {".i16", "int16"},   [GHZ_I32] = {".i32", "int32"},   [GHZ_I64] = {".i64", "int64"},
             [GHZ_U8] = {".u8", "uint8"},     [GHZ_U16] = {".u16", "uint16"},  [GHZ_U32] = {".u32", "uint32"}};
enum { TYPES = sizeof types / sizeof *types };

const char *type_name(ghz_type type) {
  return types[type].extension + 1;
}

const char *type_extension(ghz_type type) {
  return types[type].extension;
}

bool type_parse(const char *text, ghz_type *type) {
  for (int i = 0; i < TYPES; i++)
    if (strcmp(text, type_name((ghz_type)i)) == 0 || strcmp(text, types[i].whole) == 0)
      return (*type = (ghz_type)i, true);
  return false;
}

bool type_is_integer(ghz_type type) {
  return type != GHZ_F32 && type != GHZ_F64;
}

type_choice type_of_name(const char *name) {
  for (int i = 0; i < TYPES; i++)
    if (name_ends(name, types[i].extension))
      return (type_choice){.given = true, .type = (ghz_type)i};
  return (type_choice){.given = name_ends(name, ".d64"), .type = GHZ_F64};
}

/* --dims does not fit, unless the type is another than it is taken for. */
static bool fail_count(const input *in, uint64_t want, uint64_t have) {
  char dims[512];
  const bool narrow = in->type == GHZ_F32,
             other = narrow ? want == have / 2 && have % 2 == 0 : want == 2 * have;
  shape_text(&in->shape, dims, sizeof dims);
  return fail(in->file.name, "--dims %s needs %llu values, the file has %llu of %s%s%s", dims,
              (unsigned long long)want, (unsigned long long)have, type_name(in->type),
              other ? "; it fits " : "", other ? type_name(narrow ? GHZ_F64 : GHZ_F32) : "");
}

/* Sets the count, which --dims may have said before. */
static bool set_count(input *in, uint64_t count) {
  const uint64_t known = in->count;
  in->count = count;
  return known == GHZ_FILE_UNKNOWN || known == count || fail_count(in, known, count);
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
  if (!npy_read_header(&in->file, &in->type, &in->big_endian, &in->shape))
    return false;
  if (choice.given && choice.type != in->type)
    return fail(in->file.name, "holds %s, not %s as --type says", type_name(in->type), type_name(choice.type));
  shape_count(&in->shape, &in->count);
  return measure(in);
}

/* Fails if the file holds something else than values, unless that is forced. Sets *npy if it is
 * an .npy file, and *empty if nothing is in it. */
static bool check_contents(input *in, bool forced, bool *npy, bool *empty) {
  unsigned char magic[6];
  size_t got;
  signature other;
  if (!file_peek(&in->file, magic, sizeof magic, &got) || !signature_find(&in->file, &other))
    return false;
  *npy = got == sizeof magic && memcmp(magic, NPY_MAGIC, 6) == 0;
  *empty = got == 0;
  if (!other.what || !forced)
    return !other.what || fail(in->file.name, "is %s: %s", other.what, other.advice);
  note(LEVEL_NORMAL, "%s: looks like %s, and is taken for plain values, its header too, as -f says",
       in->file.name, other.what);
  return true;
}

/* Says that --type has more weight than the extension, where they differ. */
static void note_extension(const char *name, type_choice named, type_choice choice) {
  if (choice.given && name_ends(name, ".npy"))
    note(LEVEL_NORMAL, "%s: is no .npy file; read as %s, as --type says", name, type_name(choice.type));
  else if (choice.given && named.given && named.type != choice.type)
    note(LEVEL_NORMAL, "%s: read as %s, as --type says, not as its extension says", name,
         type_name(choice.type));
}

static bool open_raw(input *in, type_choice named, type_choice choice) {
  in->type = choice.given ? choice.type : named.type;
  in->big_endian = choice.big_endian;
  if (!measure(in))
    return false;
  note_extension(in->file.name, named, choice);
  return true;
}

/* Finds the type: by the first bytes, then by --type, then by the extension. */
static bool identify(input *in, type_choice choice) {
  const char *name = in->file.name;
  type_choice named = type_of_name(name);
  bool npy, empty;
  if (!check_contents(in, choice.forced && (choice.given || named.given), &npy, &empty))
    return false;
  if ((name_ends(name, ".npy") && (npy || !choice.given)) || (npy && !named.given))
    return open_npy(in, choice);
  if (npy)
    return fail(name, "is a NumPy .npy file: give it a name that ends in .npy");
  if (named.given || choice.given)
    return open_raw(in, named, choice);
  return fail(name, empty ? "is empty" : "unknown type of values; use --type f32 or --type f64");
}

bool input_adopt(input *in, const file *f, type_choice choice) {
  *in = (input){.file = *f, .count = GHZ_FILE_UNKNOWN};
  if (identify(in, choice))
    return true;
  input_close(in);
  return false;
}

bool input_open(input *in, const char *path, type_choice choice) {
  file f;
  return file_open(&f, path) && input_adopt(in, &f, choice);
}

bool fail_contradicts(const char *name, const shape *own, const shape *given) {
  char a[512], b[512];
  shape_text(given, a, sizeof a);
  shape_text(own, b, sizeof b);
  return fail(name, "--dims %s contradicts its shape, %s; leave --dims out", a, b);
}

bool input_set_shape(input *in, const shape *s) {
  uint64_t count;
  shape_count(s, &count);
  if (in->shape.npy &&
      (in->shape.ndim != s->ndim || memcmp(in->shape.dims, s->dims, s->ndim * sizeof *s->dims) != 0))
    return fail_contradicts(in->file.name, &in->shape, s);
  if (in->shape.npy)
    return true;
  in->shape = *s;
  const uint64_t own = in->count;
  in->count = count;
  return own == GHZ_FILE_UNKNOWN || set_count(in, own);
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
  if (in->count != GHZ_FILE_UNKNOWN && count > in->count - in->taken)
    count = (size_t)(in->count - in->taken);
  if (!file_read(&in->file, values, count * size, &bytes))
    return false;
  *got = bytes / size;
  if (in->big_endian)
    byte_order_turn(in->type, values, *got);
  in->taken += *got;
  if (in->count != GHZ_FILE_UNKNOWN && *got < count)
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

void input_warn_turned(const input *in) {
  static const char look[] = "by their exponents, the bytes of its values are turned round";
  if (in->shape.npy)
    note(LEVEL_NORMAL, "%s: %s, though its header says how they are", in->file.name, look);
  else if (in->big_endian)
    note(LEVEL_NORMAL, "%s: %s. Leave --big-endian out, or use another --type", in->file.name, look);
  else
    note(LEVEL_NORMAL, "%s: %s. Use --big-endian, or another --type", in->file.name, look);
}

void input_skip(input *in, uint64_t count) {
  in->file.position += count * ghz_type_size(in->type);
  in->taken += count;
}

void input_rewind(input *in) {
  in->file.position = in->start;
  in->taken = 0;
}

void input_close(input *in) {
  file_close(&in->file);
}
