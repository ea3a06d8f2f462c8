/* zfp.c: libzfp in its fixed-accuracy mode with the field's dimensions, one thread. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cpu.h"

#include <zfp.h>

const char *peer_name(void) {
  return "zfp " ZFP_VERSION_STRING;
}

/* zfp counts dimensions from the fastest. It does not write to a field that it compresses. */
static zfp_field *describe(const field *f, float *x) {
  const size_t *d = f->dims;
  switch (f->rank) {
  case 1:
    return zfp_field_1d(x, zfp_type_float, d[0]);
  case 2:
    return zfp_field_2d(x, zfp_type_float, d[1], d[0]);
  case 3:
    return zfp_field_3d(x, zfp_type_float, d[2], d[1], d[0]);
  default:
    return zfp_field_4d(x, zfp_type_float, d[3], d[2], d[1], d[0]);
  }
}

size_t peer_room(const field *f) {
  zfp_stream *stream = zfp_stream_open(NULL);
  zfp_stream_set_reversible(stream); /* the mode with the largest worst case */
  zfp_field *description = describe(f, f->x);
  size_t room = zfp_stream_maximum_size(stream, description);
  zfp_field_free(description);
  zfp_stream_close(stream);
  return room;
}

/* Compresses x to the buffer, or decompresses the buffer to x. */
static size_t with_stream(const field *f, float *x, double tolerance, void *buffer, size_t size, bool pack) {
  bitstream *bits = stream_open(buffer, size);
  zfp_stream *stream = zfp_stream_open(bits);
  zfp_stream_set_accuracy(stream, tolerance);
  zfp_stream_set_execution(stream, zfp_exec_serial);
  zfp_stream_rewind(stream);
  zfp_field *description = describe(f, x);
  size_t used = pack ? zfp_compress(stream, description) : zfp_decompress(stream, description);
  zfp_field_free(description);
  zfp_stream_close(stream);
  stream_close(bits);
  if (used == 0)
    die("zfp failed", f->path);
  return used;
}

size_t peer_pack(const field *f, double tolerance, void *dst, size_t room) {
  return with_stream(f, f->x, tolerance, dst, room, true);
}

void peer_unpack(const field *f, double tolerance, void *src, size_t size, float *dst) {
  with_stream(f, dst, tolerance, src, size, false);
}
