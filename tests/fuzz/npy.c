/* npy.c: fuzzer: any bytes as an .npy file, or one of raw values. Read at any place and like a pipe
 * it has the same values, or is refused with one message; a header written again says the same. The
 * input: a byte of choices, then the file. */
/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "io/npy.h"
#include "fuzz.h"
#include "io/input.h"
#include "report/report.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PIECE = 1000 };

/* ---- Files without names, and the command's messages ---- */
static int messages;

/* The linker puts it in the place of fail(): messages are formed and thrown away. */
bool __wrap_fail(const char *name, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool __wrap_fail(const char *name, const char *format, ...) {
  char text[8192];
  va_list list;
  va_start(list, format);
  int length = vsnprintf(text, sizeof text, format, list);
  va_end(list);
  MUST(length > 0 && name && name[0], "a message without text, or without a name: %s", text);
  messages++;
  return false;
}

/* A file that holds these bytes, to be read at any place or, if not `seekable`, once like a pipe.
 * It is there until the next call with the same `which`, 0 or 1; closing it does nothing. */
static file memory_file(int which, const char *name, const void *data, size_t size, bool seekable) {
  static int descriptors[2] = {-1, -1};
  if (descriptors[which] < 0)
    descriptors[which] = memfd_create("fuzz", MFD_CLOEXEC);
  int fd = descriptors[which];
  MUST(fd >= 0 && ftruncate(fd, 0) == 0 && lseek(fd, 0, SEEK_SET) == 0, "a file in memory");
  MUST(size == 0 || pwrite(fd, data, size, 0) == (ssize_t)size, "%zu bytes in memory", size);
  return (file){.name = name, .fd = fd, .seekable = seekable, .size = seekable ? size : 0};
}

/* ---- Reading ---- */
/* What reading a file gave. */
typedef struct reading {
  bool opened, ok, big_endian;
  ghz_type type;
  shape shape;
  uint64_t count, hash; /* of the values that were read */
} reading;

static uint64_t hash_bytes(uint64_t hash, const uint8_t *data, size_t size) {
  for (size_t i = 0; i < size; i++)
    hash = (hash ^ data[i]) * 0x100000001b3u;
  return hash;
}

static bool read_values(input *in, reading *got) {
  uint8_t *values = scratch(PIECE * ghz_type_size(in->type));
  size_t count = 1;
  got->count = got->hash = 0;
  bool ok = true;
  while (ok && count) {
    ok = input_read(in, values, PIECE, &count);
    if (!ok)
      break;
    MUST(count <= PIECE, "%zu values", count);
    got->hash = hash_bytes(got->hash, values, count * ghz_type_size(in->type));
    got->count += count;
  }
  return ok;
}

/* The header that we write for this type and shape is read as the same. */
static void check_header(const reading *r) {
  char header[NPY_HEADER_MAX];
  ghz_type type;
  bool big_endian;
  shape again;
  file f = memory_file(1, "again.npy", header, npy_header(r->type, r->big_endian, &r->shape, header), true);
  MUST(npy_read_header(&f, &type, &big_endian, &again) && f.position == f.size, "our own header is refused");
  MUST(type == r->type && big_endian == r->big_endian && again.ndim == r->shape.ndim &&
           again.fortran == r->shape.fortran,
       "our own header is another");
  for (unsigned i = 0; i < again.ndim; i++)
    MUST(again.dims[i] == r->shape.dims[i], "dimension %u", i);
}

static reading read_file(const char *name, type_choice choice, const uint8_t *data, size_t size, bool seekable,
                         bool spool) {
  reading got = {.ok = false}, again;
  input in;
  file f = memory_file(0, name, data, size, seekable);
  messages = 0;
  got.opened = input_adopt(&in, &f, choice);
  if (got.opened) {
    got.type = in.type;
    got.big_endian = in.big_endian;
    got.shape = in.shape;
    got.ok = (!spool || input_make_seekable(&in)) && read_values(&in, &got);
    if (got.ok && in.file.seekable) {
      MUST(in.count == got.count && got.count * ghz_type_size(in.type) <= size, "more values than bytes");
      input_rewind(&in);
      MUST(read_values(&in, &again) && again.count == got.count && again.hash == got.hash, "read twice");
    }
    if (in.file.fd != f.fd)
      in.file.path = name; /* so that the temporary file is closed */
    input_close(&in);
  }
  MUST(messages == !got.ok, "%d messages of a file that is %s", messages, got.ok ? "sound" : "refused");
  return got;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  SCOPE;
  static const char *const names[] = {"fuzz.npy", "fuzz", "fuzz.f32", "fuzz.D64"};
  if (size == 0)
    return 0;
  report_set_level(LEVEL_QUIET);
  unsigned how = *data++;
  const char *name = names[how & 3];
  type_choice choice = {how & 4, how & 8 ? GHZ_F64 : GHZ_F32, how & 16, how & 32};
  reading whole = read_file(name, choice, data, --size, true, false);
  reading pipe = read_file(name, choice, data, size, false, how >> 4 == 15);
  MUST(whole.ok == pipe.ok, "a file that is %s, a pipe that is %s", whole.ok ? "sound" : "refused",
       pipe.ok ? "sound" : "refused");
  if (whole.ok)
    MUST(whole.count == pipe.count && whole.hash == pipe.hash && whole.type == pipe.type, "read otherwise");
  if (pipe.opened && pipe.shape.npy)
    check_header(&pipe);
  return 0;
}
