/* writer.h: a file that is being written. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_FILE_WRITER_H
#define GHZ_FILE_WRITER_H

#include "context/context.h"
#include "file/index/index.h"
#include "file/temporary.h"
#include "rules/lattice_rules.h"

struct ghz_file_writer {
  char *name; /* NULL: none */
  ghz_file_sink sink;
  temporary_file file; /* closed where the sink is the caller's */
  uint64_t committed;  /* bytes that readers see by its name; what follows is cut off after an error */
  ghz_file_header header;
  int begun; /* the header was written, and its lattice is known */
  int order, pack;
  file_index index;      /* of the frames so far */
  memory values;         /* of a frame that is not full, */
  size_t waiting;        /* so many */
  memory stream, packed; /* the next one, and its frame */
  ghz_status failed;     /* GHZ_OK, or why the file cannot be completed any more */
};

/* Whether the header has a lattice, or leaves it to the first stream. No environment takes a
 * denormal bound for 0, and steps of integers are none. */
static inline int has_lattice(const ghz_file_header *h) {
  return double_bits(h->lattice.eb) << 1 != 0 || (is_integer(h->lattice.type) && h->lattice.step != 0);
}

/* Writes bytes. After an error the writer has failed. Errors: EIO. */
ghz_status ghz_writer_put(ghz_file_writer *w, const void *data, size_t size);

/* Makes a writer without a sink for a header that is checked. Errors: EINVAL, EUNSUPPORTED,
 * ENOMEM. */
ghz_status ghz_writer_make(const char *name, const ghz_file_header *header, ghz_file_writer **writer);

/* Writes the values that wait as a frame of this shape. */
ghz_status ghz_writer_write_waiting(ghz_file_writer *w, ghz_context *ctx, const ghz_shape *shape);

/* Writes the values that wait as the last frame, and checks that no value is missing. */
ghz_status ghz_writer_complete(ghz_file_writer *w, ghz_context *ctx);

/* Writes the end and the index, and gives a file that has none its name. */
ghz_status ghz_writer_publish(ghz_file_writer *w);

/* Notes what the system says of a file. Returns GHZ_OK where `error` is 0. */
ghz_status ghz_writer_said(const char *path, int error);

/* The calls that write to a file. */
ghz_file_sink ghz_writer_sink(temporary_file *file, const char *path);

#endif
