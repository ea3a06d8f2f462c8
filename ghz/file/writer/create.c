/* create.c: owns beginning and ending files that are written, by name or by calls. */
/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file/checksum.h"
#include "file/pack.h"
#include "file/writer/writer.h"
#include "rules/bytes.h"
#include "rules/lattice_rules.h"

/* ---- The system ------------------------------------------------------------------------------ */

ghz_status ghz_writer_said(const char *path, int error) {
  if (error == 0)
    return GHZ_OK;
  return ghz_file_fail(path,
                       error == ENOMEM        ? GHZ_ENOMEM
                       : error == EWOULDBLOCK ? GHZ_EBUSY
                                              : GHZ_EIO,
                       "%s", ghz_file_why(error));
}

static const char *write_bytes(void *user, const void *data, size_t size) {
  const int error = ghz_write_all(((const temporary_file *)user)->fd, data, size);
  return error ? strerror(error) : NULL;
}

ghz_file_sink ghz_writer_sink(temporary_file *file, const char *path) {
  return (ghz_file_sink){.user = file, .name = path, .write = write_bytes};
}

ghz_status ghz_writer_put(ghz_file_writer *w, const void *data, size_t size) {
  if (w->failed != GHZ_OK)
    return ghz_file_fail(w->name, w->failed, "could not be written");
  const char *why = w->sink.write(w->sink.user, data, size);
  if (why)
    w->failed = ghz_file_fail(w->name, GHZ_EIO, "%s", why);
  return w->failed;
}

/* ---- Creating -------------------------------------------------------------------------------- */

static ghz_status check_header(const char *name, ghz_file_header *h) {
  const ghz_lattice *l = &h->lattice;
  if (h->array.ndim > GHZ_FILE_NDIM || !type_known(l->type) || (has_lattice(h) && !lattice_valid(l)))
    return ghz_file_fail(name, GHZ_EINVAL, "the header: no type or lattice, or too many dimensions");
  const char *wrong = ghz_header_check(h, h->shape.dims);
  return wrong ? ghz_file_fail(name, GHZ_EINVAL, "the header: %s (%llu values, %llu per frame)", wrong,
                               (ull)h->count, (ull)h->frame_values)
               : GHZ_OK;
}

ghz_status ghz_writer_make(const char *name, const ghz_file_header *header, ghz_file_writer **writer) {
  ghz_file_header h = *header;
  if (!ghz_checksum_available())
    return ghz_file_fail(name, GHZ_EUNSUPPORTED, "this libghz was built without xxHash, which files need");
  const ghz_status status = check_header(name, &h);
  if (status != GHZ_OK)
    return status;
  ghz_file_writer *w = calloc(1, sizeof *w);
  char *own = name ? strdup(name) : NULL;
  if (!w || (name && !own)) {
    free(w);
    free(own);
    return ghz_file_fail(name, GHZ_ENOMEM, "out of memory");
  }
  *w = (ghz_file_writer){.name = own, .file = NOT_OPEN, .header = h, .order = GHZ_ORDER_BEST};
  *writer = w;
  return GHZ_OK;
}

ghz_status ghz_file_create_sink(const ghz_file_sink *sink, const ghz_file_header *header,
                                ghz_file_writer **writer) {
  if (writer)
    *writer = NULL;
  if (!writer || !sink || !sink->write || !header)
    return ghz_fail(NULL, GHZ_EINVAL, "%s is NULL",
                    !writer  ? "writer"
                    : header ? "sink, or its call,"
                             : "header");
  const ghz_status status = ghz_writer_make(sink->name, header, writer);
  if (status == GHZ_OK) {
    (*writer)->sink = *sink;
    (*writer)->sink.name = (*writer)->name;
  }
  return status;
}

/* A file that its owner protected from writing is not replaced, either. */
static ghz_status create_file(const char *path, temporary_file *file) {
  struct stat old;
  const int there = stat(path, &old) == 0;
  if (there && !S_ISREG(old.st_mode))
    return ghz_file_fail(path, GHZ_EINVAL, "is there, and no regular file");
  if (there && access(path, W_OK) != 0)
    return ghz_writer_said(path, errno);
  return ghz_writer_said(path, ghz_temporary_create(file, path, 0, there ? &old : NULL));
}

ghz_status ghz_file_create(const char *path, const ghz_file_header *header, ghz_file_writer **writer) {
  if (writer)
    *writer = NULL;
  if (!writer || !path || !header)
    return ghz_fail(NULL, GHZ_EINVAL, "%s is NULL", !writer ? "writer" : path ? "header" : "path");
  ghz_status status = ghz_writer_make(path, header, writer);
  if (status != GHZ_OK)
    return status;
  status = create_file(path, &(*writer)->file);
  if (status == GHZ_OK) {
    (*writer)->sink = ghz_writer_sink(&(*writer)->file, (*writer)->name);
  } else {
    ghz_file_abandon(*writer);
    *writer = NULL;
  }
  return status;
}

/* ---- Settings -------------------------------------------------------------------------------- */

ghz_status ghz_file_set_order(ghz_file_writer *w, int order) {
  if (!w || order < GHZ_ORDER_LORENZO || order > (w->header.shape.dims == 3 ? 3 : 2))
    return ghz_fail(NULL, GHZ_EINVAL, w ? "no order of prediction" : "writer is NULL");
  w->order = order;
  return GHZ_OK;
}

ghz_status ghz_file_set_pack(ghz_file_writer *w, int level) {
  if (!w || level < 0 || level > PACK_LEVEL_MOST)
    return ghz_fail(NULL, GHZ_EINVAL, w ? "levels of packing are 0, 1 and 2" : "writer is NULL");
  if (!ghz_pack_available(level))
    return ghz_file_fail(w->name, GHZ_EUNSUPPORTED,
                         "this libghz was built without zstd, which packs at level 1; level 2 needs none");
  w->pack = level;
  return GHZ_OK;
}

/* ---- Ending ---------------------------------------------------------------------------------- */

static void free_writer(ghz_file_writer *w) {
  ghz_index_free(&w->index);
  memory_free(&w->values);
  memory_free(&w->stream);
  memory_free(&w->packed);
  free(w->name);
  free(w);
}

ghz_status ghz_file_finish(ghz_file_writer *w, ghz_context *ctx) {
  if (!w)
    return ghz_fail(NULL, GHZ_EINVAL, "writer is NULL");
  ghz_status status = ghz_writer_complete(w, ctx);
  if (status == GHZ_OK)
    status = ghz_writer_publish(w);
  ghz_file_abandon(w);
  return status;
}

void ghz_file_abandon(ghz_file_writer *w) {
  if (!w)
    return;
  if (w->committed)
    (void)!ftruncate(w->file.fd, (off_t)w->committed); /* or the next append does */
  ghz_temporary_remove(&w->file);
  ghz_temporary_free(&w->file);
  free_writer(w);
}
