/* combine.c: owns sums and means of HDF5 files: copies the first, and replaces its chunks. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "combine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "data_set.h"
#include "io/file.h"
#include "io/output.h"
#include "report/library.h"
#include "report/progress.h"
#include "report/report.h"
#include "report/seconds.h"
#include "report/text.h"

enum { COPY_BYTES = 1 << 20 };

typedef struct combining {
  const options *o;
  h5_fold fold;
  ghz_context *ctx;
  int count, opened;
  data_set *sets;
  h5_chunk *chunks; /* one of each file */
  ghz_bytes *streams;
  buffer result;
  double bound;
  bool stays_missing; /* a chunk that no file has */
  output out;
  data_set to; /* in the unfinished output */
} combining;

/* ---- One chunk ------------------------------------------------------------------------------- */

/* Says what differs, and what to do. */
static bool check_lattice(const combining *c, int i, int first) {
  const ghz_lattice *a = &c->chunks[i].info.lattice, *b = &c->chunks[first].info.lattice;
  const data_set *d = &c->sets[i];
  if (ghz_lattice_equal(a, b))
    return true;
  if (a->eb == b->eb && a->step == b->step && a->cap == b->cap)
    return fail(d->name, "%s: has another fill value than %s: compress both with the same --fill", d->var,
                c->sets[first].name);
  return fail(d->name, "%s: has the bound %g, and %g in %s: compress both with the same --abs", d->var, a->eb,
              b->eb, c->sets[first].name);
}

/* Makes streams of all chunks. Those that are not get the lattice of the first that is, else that
 * of the data set. */
static bool make_streams(combining *c, int first) {
  ghz_lattice lattice;
  if (first >= 0)
    lattice = c->chunks[first].info.lattice;
  else if (!library_ok(c->sets[0].name, NULL, ghz_h5_lattice(&c->sets[0].parameters, NULL, 0, &lattice)))
    return false;
  for (int i = 0; i < c->count; i++) {
    h5_chunk *chunk = &c->chunks[i];
    if (chunk->kind == CHUNK_STREAM ? !check_lattice(c, i, first)
                                    : !data_set_compress(&c->sets[i], c->ctx, &lattice, chunk))
      return false;
    c->streams[i] = (ghz_bytes){chunk->data.data, chunk->size};
  }
  return true;
}

/* The bound of the result is that of its worst chunk. */
static void note_bound(combining *c, size_t size) {
  ghz_info info;
  if (ghz_info_read((ghz_bytes){c->result.data, size}, &info) == GHZ_OK && info.bound > c->bound)
    c->bound = info.bound;
}

static double missing_value(const data_set *d) {
  float single;
  double value;
  memcpy(&single, &d->missing, sizeof single);
  memcpy(&value, &d->missing, sizeof value);
  return d->parameters.type == GHZ_F32 ? (double)single : value;
}

/* Whether a chunk that no file has need not be written: its value is the same in all files and in
 * the result. A mean is; a sum is for 0, NaN and a fill value. */
static bool missing_stays(const combining *c) {
  for (int i = 0; i < c->count; i++) {
    const data_set *d = &c->sets[i];
    const ghz_h5_parameters *p = &d->parameters;
    const double v = missing_value(d);
    const bool sum = v == 0 || isnan(v) || (p->fill && v == p->fill_value);
    if (d->missing != c->sets[0].missing || (c->fold == ghz_sum && !sum))
      return false;
  }
  return true;
}

static bool combine_chunk(combining *c, const uint64_t *at) {
  uint64_t terms = 0;
  int first = -1;
  bool present = !c->stays_missing;
  for (int i = 0; i < c->count; i++) {
    if (!data_set_read(&c->sets[i], at, &c->chunks[i]))
      return false;
    present |= c->chunks[i].kind != CHUNK_MISSING;
    if (first < 0 && c->chunks[i].kind == CHUNK_STREAM)
      first = i;
  }
  if (!present)
    return true;
  if (!make_streams(c, first))
    return false;
  for (int i = 0; i < c->count; i++)
    terms += c->chunks[i].info.terms;
  size_t size,
      capacity = ghz_shape_bound(&c->to.shape, c->to.parameters.type, terms > UINT32_MAX ? 0 : (uint32_t)terms);
  if (!buffer_reserve(&c->result, capacity, c->out.name) ||
      !library_ok(c->out.name, c->ctx,
                  c->fold(c->ctx, (size_t)c->count, c->streams, c->result.data, capacity, &size)))
    return false;
  note_bound(c, size);
  return data_set_write(&c->to, at, c->result.data, size);
}

/* ---- All chunks ------------------------------------------------------------------------------ */

/* Goes to the next chunk; false after the last. */
static bool step(const data_set *d, uint64_t *at) {
  for (unsigned i = d->parameters.rank; i-- > 0;) {
    at[i] += d->parameters.chunk[i];
    if (at[i] < d->extent[i])
      return true;
    at[i] = 0;
  }
  return false;
}

static bool combine_chunks(combining *c) {
  uint64_t at[GHZ_H5_RANK_MAX] = {0}, done = 0, all = 1;
  const data_set *d = &c->to;
  for (unsigned i = 0; i < d->parameters.rank; i++) {
    if (d->extent[i] == 0)
      return true;
    const uint64_t along = (d->extent[i] - 1) / d->parameters.chunk[i] + 1;
    if (along > UINT32_MAX / all) /* each is looked at, and a file that lies can have any number */
      return fail(d->name, "%s: has more than 2^32 chunks", d->var);
    all *= along;
  }
  progress_begin(c->o->verb, all, d->bytes * (uint64_t)c->count);
  bool ok = true;
  do {
    ok = combine_chunk(c, at);
    progress_set(++done);
  } while (ok && step(d, at));
  progress_end();
  return ok;
}

/* ---- Files ----------------------------------------------------------------------------------- */

/* Readers add the offset to the sum once, where each of its terms has it. */
static bool check_offset(const combining *c, const data_set *d) {
  return c->fold != ghz_sum || d->offset == 0 ||
         fail(d->name, "%s: has add_offset %g, which a sum would have only once: store the decoded values",
              d->var, d->offset);
}

static bool open_operands(combining *c, const char *to) {
  for (; c->opened < c->count; c->opened++) {
    file f;
    if (!file_open(&f, c->o->files[c->opened]))
      return false;
    const bool differs = file_differs(&f, to);
    file_close(&f);
    data_set *d = &c->sets[c->opened];
    if (!differs || !data_set_open(d, c->o->files[c->opened], c->o->var, false))
      return false;
    if (!data_sets_agree(d, &c->sets[0]) || !check_offset(c, d)) {
      data_set_close(d);
      return false;
    }
  }
  return true;
}

/* All else in the first file comes along with it: other variables, attributes, dimension scales. */
static bool copy_first(combining *c) {
  file f;
  buffer piece = {0};
  size_t got = 1;
  if (!file_open(&f, c->o->files[0]))
    return false;
  bool ok = buffer_reserve(&piece, COPY_BYTES, f.name);
  while (ok && got > 0)
    ok = file_read(&f, piece.data, COPY_BYTES, &got) && output_write(&c->out, piece.data, got);
  buffer_free(&piece);
  file_close(&f);
  return ok;
}

static bool write_output(combining *c) {
  if (!c->out.file.name)
    return fail(c->out.name, "HDF5 output must be a regular file: give -o FILE");
  if (!copy_first(c) || !data_set_open(&c->to, c->out.file.name, c->o->var, true))
    return false;
  c->to.name = c->out.name;
  c->stays_missing = missing_stays(c);
  const bool ok = combine_chunks(c);
  return data_set_close(&c->to) && ok;
}

static bool combine_to(combining *c, const char *to) {
  const double start = seconds();
  struct stat status;
  if (!open_operands(c, to) || !output_open(&c->out, to, c->o->force))
    return false;
  const bool ok = write_output(c);
  if (!output_end(&c->out, ok) || stat(to, &status) != 0)
    return false;
  note(LEVEL_NORMAL, "%s of %s in %d file%s -> %s: %s, bound %.6g, %.3f s", c->o->verb, c->o->var, c->count,
       c->count > 1 ? "s" : "", to, text_bytes((uint64_t)status.st_size).text, c->bound, seconds() - start);
  return true;
}

static void release(combining *c) {
  for (int i = 0; i < c->opened; i++)
    data_set_close(&c->sets[i]);
  for (int i = 0; c->chunks && i < c->count; i++)
    buffer_free(&c->chunks[i].data);
  buffer_free(&c->result);
  free(c->sets);
  free(c->chunks);
  free(c->streams);
  ghz_context_free(c->ctx);
}

int h5_combine(const options *o, h5_fold fold) {
  combining c = {.o = o, .fold = fold, .count = o->file_count};
  const size_t count = (size_t)c.count;
  if (!o->var)
    return fail_usage(o->verb, "%s: name the data set or variable with --var NAME", o->files[0]);
  if (!o->output)
    return fail_usage(o->verb, "--var writes an HDF5 file: name it with -o FILE");
  if (o->pack)
    return fail_usage(o->verb, "--pack applies to .ghz files, not to HDF5");
  if (!h5_load())
    return EXIT_DATA;
  c.sets = calloc(count, sizeof *c.sets);
  c.chunks = calloc(count, sizeof *c.chunks);
  c.streams = calloc(count, sizeof *c.streams);
  bool ok = (c.sets && c.chunks && c.streams) || fail(o->verb, "out of memory");
  ok = ok && library_open(&c.ctx, o->threads) && combine_to(&c, o->output);
  release(&c);
  return ok ? EXIT_OK : EXIT_DATA;
}
