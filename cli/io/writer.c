/* writer.c: owns writing a .ghz file: header, frames, end. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "writer.h"

#include "bytes.h"

bool writer_begin(frame_writer *w, output *out, const frame_header *header) {
  unsigned char b[HEADER_MAX];
  *w = (frame_writer){.out = out};
  return output_write(out, b, header_encode(header, b));
}

bool writer_frame(frame_writer *w, frame *f) {
  put_u64(f->bytes.data, f->size);
  checksum_put(f->bytes.data, f->size + 8, w->frames++);
  w->values += f->info.count;
  return output_write(w->out, f->bytes.data, f->size + 16);
}

bool writer_end(frame_writer *w) {
  unsigned char b[END_BYTES] = {0};
  put_u64(b + 8, w->values);
  checksum_put(b, 16, 0);
  return output_write(w->out, b, END_BYTES);
}
