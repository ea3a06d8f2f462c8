/* writer.h: a file that is being written. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_FILE_WRITER_H
#define GHZ_FILE_WRITER_H

#include "file/index.h"
#include "file/writer/sink.h"
#include "rules/fill.h"

struct ghz_file_writer {
  char *name; /* NULL: none */
  ghz_file_sink sink;
  unfinished_file file; /* without a name where the sink is the caller's */
  ghz_file_header header;
  int begun; /* the header was written, and its lattice is known */
  int order, pack;
  file_index index; /* of the frames so far */
  memory values;    /* of a frame that is not full, */
  size_t waiting;   /* so many */
  memory stream, packed;
  ghz_status failed; /* GHZ_OK, or why the file cannot be completed any more */
};

/* Whether the header has a lattice, or leaves it to the first stream. No environment takes a
 * denormal bound for 0. */
static inline int has_lattice(const ghz_file_header *h) {
  return double_bits(h->lattice.eb) << 1 != 0;
}

/* Writes bytes. After an error the writer has failed. Errors: EIO. */
ghz_status ghz_writer_put(ghz_file_writer *w, const void *data, size_t size);

/* Writes the header, unless that was done. Errors: EIO. */
ghz_status ghz_writer_begin(ghz_file_writer *w);

/* Writes the values that wait as the last frame, and checks that no value is missing. */
ghz_status ghz_writer_flush(ghz_file_writer *w, ghz_context *ctx);

#endif
