/* writer.h: a file that is being written. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_FILE_WRITER_H
#define GHZ_FILE_WRITER_H

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

/* Writes the header, unless that was done. Errors: EIO. */
ghz_status ghz_writer_begin(ghz_file_writer *w);

/* Makes a writer without a sink for a header that is checked. Errors: EINVAL, EUNSUPPORTED,
 * ENOMEM. */
ghz_status ghz_writer_make(const char *name, const ghz_file_header *header, ghz_file_writer **writer);

/* Gives a header's array another length along its slowest dimension (values, where it has no
 * dimensions), and checks that its frames stay what they are. Errors: EINVAL. */
ghz_status ghz_writer_set_length(const char *name, ghz_file_header *header, uint64_t length);

/* Writes the values that wait as a frame of this shape. */
ghz_status ghz_writer_write_waiting(ghz_file_writer *w, ghz_context *ctx, const ghz_shape *shape);

/* Writes the values that wait as the last frame, and checks that no value is missing. */
ghz_status ghz_writer_complete(ghz_file_writer *w, ghz_context *ctx);

/* Writes the end and the index, and gives a file that has none its name. */
ghz_status ghz_writer_publish(ghz_file_writer *w);

/* ---- Files that are written by name (sink.c) ------------------------------------------------- */

/* Creates the unfinished file of what `path`, or the end of its links, names.
 * Errors: EIO (also: a file that is protected), EINVAL (a directory), ENOMEM. */
ghz_status ghz_sink_create(const char *path, temporary_file *file);

/* Opens a file to append to it, and locks it until it is closed. After an error *file is closed.
 * Errors: EIO, EINVAL (no regular file), EBUSY (another has the lock). */
ghz_status ghz_sink_open(const char *path, temporary_file *file);

/* The calls that write to it. */
ghz_file_sink ghz_sink_calls(temporary_file *file, const char *path);

/* Goes to a place of the file, and with `cut` cuts off what follows. Errors: EIO. */
ghz_status ghz_sink_seek(const temporary_file *file, const char *path, uint64_t at, int cut);

/* Waits until all that was written is on the disk. Errors: EIO. */
ghz_status ghz_sink_sync(const temporary_file *file, const char *path);

/* Gives the file its name, and leaves it open. Errors: EIO, EBUSY (what it replaces is being
 * appended to). */
ghz_status ghz_sink_publish(temporary_file *file, const char *path);

#endif
