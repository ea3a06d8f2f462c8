/* reader.c: owns the compressed files of the command: what libghz asks for is read from
 * descriptors, what it says is printed. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "reader.h"

#include <stdlib.h>

#include "report/progress.h"
#include "report/report.h"

static bool reported; /* a read that failed has been reported */
static file *shared;  /* of the files that share a descriptor, the one that has it */

/* ---- Descriptors ----------------------------------------------------------------------------- */

static const char *read_file(file *f, void *to, size_t size, size_t *got) {
  if (f->shares && shared != f) {
    if (shared)
      file_park(shared);
    shared = f;
  }
  if (file_read(f, to, size, got))
    return NULL;
  reported = true;
  return "cannot be read";
}

static const char *read_next(void *user, void *to, size_t size, size_t *got) {
  return read_file(user, to, size, got);
}

static const char *read_at(void *user, uint64_t offset, void *to, size_t size, size_t *got) {
  file *f = user;
  f->position = f->origin + offset;
  return read_file(f, to, size, got);
}

static void close_file(void *user) {
  file *f = user;
  if (shared == f)
    shared = NULL;
  file_close(f);
  free(f);
}

void reader_share_descriptor(frame_reader *r) {
  r->file->shares = r->file->seekable;
  if (r->file->shares)
    file_park(r->file);
}

/* ---- Files ----------------------------------------------------------------------------------- */

bool reader_ok(ghz_status status) {
  const bool quiet = reported;
  reported = false;
  if (status == GHZ_OK)
    return true;
  return quiet ? false : fail("", "%s", ghz_context_message(NULL));
}

bool reader_adopt(frame_reader *r, const file *f) {
  file *own = malloc(sizeof *own);
  *r = (frame_reader){.file = own};
  if (!own) {
    file copy = *f;
    file_close(&copy);
    return fail(f->name, "out of memory");
  }
  *own = *f;
  const ghz_file_source source = {.user = own,
                                  .name = own->name,
                                  .read = read_next,
                                  .read_at = own->seekable ? read_at : NULL,
                                  .size = own->seekable ? own->size - own->origin : 0,
                                  .close = close_file};
  if (reader_ok(ghz_file_open_source(&source, &r->own))) {
    r->header = ghz_file_get_info(r->own)->header;
    return true;
  }
  close_file(own);
  r->file = NULL;
  return false;
}

bool reader_open(frame_reader *r, const char *path) {
  file f;
  return file_open(&f, path) && reader_adopt(r, &f);
}

bool reader_next(frame_reader *r, ghz_context *ctx, ghz_frame *f, bool *more) {
  *more = false;
  if (!reader_ok(ghz_file_next(r->own, ctx, f)))
    return false;
  *more = f->stream.size > 0;
  r->header = ghz_file_get_info(r->own)->header;
  r->frames += *more;
  r->values += *more ? f->info.count : 0;
  return true;
}

bool reader_each(frame_reader *r, ghz_context *ctx, frame_visitor *see, void *user) {
  ghz_frame f = {0};
  bool more = true, ok = true;
  progress_begin(r->file->name, r->header.count, ghz_type_size(r->header.lattice.type));
  while (ok && more) {
    ok = reader_next(r, ctx, &f, &more) && (!more || see(r->file->name, ctx, &f, user));
    progress_set(r->values);
  }
  progress_end();
  ghz_frame_free(&f);
  return ok;
}

uint64_t reader_bytes(const frame_reader *r) {
  return r->file->seekable ? r->file->size - r->file->origin : r->file->position;
}

void reader_close(frame_reader *r) {
  ghz_file_close(r->own);
  *r = (frame_reader){.own = NULL};
}
