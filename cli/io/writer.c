/* writer.c: owns the compressed files that the command writes: the bytes go to an output, which
 * reports what it cannot write. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "writer.h"

#include "report/report.h"

static const char *write_bytes(void *user, const void *data, size_t size) {
  frame_writer *w = user;
  w->reported = !output_write(w->out, data, size);
  return w->reported ? "cannot be written" : NULL;
}

bool writer_ok(frame_writer *w, ghz_status status) {
  if (status == GHZ_OK)
    return true;
  ghz_file_abandon(w->own);
  w->own = NULL;
  return w->reported ? false : fail("", "%s", ghz_context_message(NULL));
}

bool writer_begin(frame_writer *w, output *out, const ghz_file_header *header, int pack) {
  const ghz_file_sink sink = {.user = w, .name = out->name, .write = write_bytes};
  *w = (frame_writer){.out = out};
  return writer_ok(w, ghz_file_create_sink(&sink, header, &w->own)) &&
         (pack == 0 || writer_ok(w, ghz_file_set_pack(w->own, pack)));
}

bool writer_end(frame_writer *w, ghz_context *ctx) {
  ghz_file_writer *own = w->own;
  w->own = NULL;
  return writer_ok(w, ghz_file_finish(own, ctx));
}
