/* pack.c: owns `ghz pack` and `ghz unpack`: compressed files written again, packed or not; the
 * streams stay as they are. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "io/output.h"
#include "report/report.h"
#include "report/text.h"
#include "verbs.h"

typedef struct repacking {
  ghz_context *ctx;
  frame_reader *reader;
  int level; /* at which frames are packed; 0: not packed */
  output out;
  frame_writer writer;
} repacking;

static bool copy_frame(const char *name, ghz_context *ctx, const ghz_frame *f, void *to) {
  frame_writer *w = to;
  (void)name;
  return writer_ok(w, ghz_file_write_stream(w->own, ctx, f->stream));
}

/* A file takes its own place, so it must be one, and not be protected. */
static bool check_places(const repacking *p, const char *to, bool own, bool force) {
  const file *from = &p->reader->file;
  if (own && !from->seekable)
    return fail(from->name, "is not a regular file; name the output with -o FILE");
  if (own)
    return force || access(to, W_OK) == 0 || fail(to, "%s; use -f to replace it", strerror(errno));
  return file_differs(from, to);
}

static bool repack_to(repacking *p, const options *o, const char *to, bool own) {
  if (!check_places(p, to, own, o->force) ||
      !output_open(&p->out, to, o->force || own, false, &p->reader->file))
    return false;
  /* What was appended before the file was locked, or another file of this name, stays. */
  const bool ok = writer_begin(&p->writer, &p->out, &p->reader->header, p->level) &&
                  reader_each(p->reader, 1, p->ctx, copy_frame, &p->writer) && writer_end(&p->writer, p->ctx) &&
                  (!own || file_unchanged(&p->reader->file));
  if (!output_end(&p->out, ok))
    return false;
  const uint64_t before = reader_bytes(p->reader);
  note(output_report_level(&p->out), "%s: %s -> %s: %s (%.4gx)", p->reader->file.name, text_bytes(before).text,
       p->out.name, text_bytes(p->out.bytes).text, (double)before / (double)p->out.bytes);
  return true;
}

static bool repack(const options *o, ghz_context *ctx, frame_reader *r, int level) {
  repacking p = {.ctx = ctx, .reader = r, .level = level};
  const char *name = r->file.path; /* NULL: standard input */
  const bool own = !o->output && name;
  const bool ok = repack_to(&p, o, o->output ? o->output : own ? name : "-", own);
  ghz_file_abandon(p.writer.own);
  return ok;
}

static bool pack(const options *o, ghz_context *ctx, frame_reader *r) {
  return repack(o, ctx, r, o->pack ? o->pack : GHZ_FILE_PACK);
}

static bool unpack(const options *o, ghz_context *ctx, frame_reader *r) {
  return repack(o, ctx, r, 0);
}

const verb verb_pack = {
    .name = "pack",
    .operands = "[FILE.ghz...]",
    .summary = "make compressed files smaller, without loss",
    .details =
        "Rewrites each file with its frames packed, that is, compressed once more: at level 1 by zstd, at\n"
        "level 2 by a coder that knows what streams hold. Values and bounds stay the same. Every verb reads\n"
        "packed files, more slowly. The old file is replaced only when the new one is complete; with -o it\n"
        "is kept. Without FILE, or for -, reads standard input and writes standard output.",
    .examples = "  ghz pack run-*.ghz\n"
                "  ghz pack -2 a.ghz -o small.ghz\n"
                "  ghz pack --level 1 a.ghz -o quick.ghz\n",
    .least = 1,
    .apart = true,
    .writes = {".ghz"},
    .each_reader = pack,
};

const verb verb_unpack = {
    .name = "unpack",
    .operands = "[FILE.ghz...]",
    .summary = "undo pack: larger files that read faster",
    .details = "Rewrites each file with no frame packed, in its place or to -o FILE, as ghz pack does.",
    .examples = "  ghz unpack run-*.ghz\n"
                "  ghz unpack < small.ghz > a.ghz\n",
    .least = 1,
    .apart = true,
    .writes = {".ghz"},
    .each_reader = unpack,
};
