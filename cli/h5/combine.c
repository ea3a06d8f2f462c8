/* combine.c: owns sums, means and differences of HDF5 files: the first file with other chunks. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "inside.h"
#include "io/file.h"
#include "io/output.h"
#include "report/report.h"
#include "report/text.h"

enum { COPY_BYTES = 1 << 16 };

/* A data set of each file. */
typedef struct variable {
  int opened;
  h5_variable *sets;  /* one of each file */
  h5_variable to;     /* in the temporary output */
  bool stays_missing; /* a chunk that no file has */
  double bound;
} variable;

typedef struct combining {
  const options *o;
  const ghz_file_operation *op;
  ghz_context *ctx;
  int count; /* of files */
  paths names;
  variable *variables; /* names.count of them */
  h5_chunk *chunks;    /* one of each file */
  ghz_bytes *streams;
  buffer result;
  uint64_t done;   /* chunks */
  hssize_t unused; /* bytes of the result */
  output out;
} combining;

/* ---- One chunk ------------------------------------------------------------------------------- */

/* Says what differs, and what to do. Lattices of a difference may be multiples of each other. */
static bool check_lattice(const combining *c, const variable *v, int i, int first) {
  const ghz_lattice *a = &c->chunks[i].info.lattice, *b = &c->chunks[first].info.lattice;
  const h5_variable *d = &v->sets[i];
  if (ghz_lattice_equal(a, b) || c->op->coefficients)
    return true;
  if (a->eb == b->eb && a->step == b->step && a->cap == b->cap)
    return fail(d->label, "has another fill value than %s: compress both with the same --fill",
                v->sets[first].file);
  return fail(d->label, "has the bound %g, and %g in %s: compress both with the same --abs", a->eb, b->eb,
              v->sets[first].file);
}

/* Makes streams of all chunks. Those that are not get the lattice of the first that is, else that
 * of the data set: of a mean what it was divided from, on which alone anything is compressed. */
static bool make_streams(combining *c, const variable *v, int first) {
  ghz_lattice lattice, whole;
  if (first >= 0)
    lattice = c->chunks[first].info.lattice;
  else if (!library_ok(v->sets[0].label, NULL, ghz_h5_lattice(&v->sets[0].parameters, NULL, 0, &lattice)))
    return false;
  if (!library_ok(v->sets[0].label, NULL, ghz_lattice_undivided(&lattice, &whole)))
    return false;
  for (int i = 0; i < c->count; i++) {
    h5_chunk *chunk = &c->chunks[i];
    if (chunk->kind == CHUNK_STREAM ? !check_lattice(c, v, i, first)
                                    : !chunk_compress(&v->sets[i], c->ctx, &whole, GHZ_ORDER_BEST, NULL, chunk))
      return false;
    c->streams[i] = (ghz_bytes){chunk->data.data, chunk->size};
  }
  return true;
}

/* The bound of the result is that of its worst chunk. */
static void note_bound(variable *v, ghz_bytes stream) {
  ghz_info info;
  if (ghz_info_read(stream, &info) == GHZ_OK && info.bound > v->bound)
    v->bound = info.bound;
}

/* Whether a chunk that no file has need not be written: its value is the same in all files and in
 * the result. A mean is; a sum or a difference is for 0, NaN and a fill value. */
static bool missing_stays(const combining *c, const variable *v) {
  for (int i = 0; i < c->count; i++) {
    const h5_variable *d = &v->sets[i];
    const ghz_h5_parameters *p = &d->parameters;
    const double value = value_at(p->type, &d->missing, 0);
    const bool same = value == 0 || isnan(value) || (p->fill && value == p->fill_value);
    if (d->missing != v->sets[0].missing || (!c->op->divisor && !same))
      return false;
  }
  return true;
}

/* Names the file whose chunk is damaged, where it is one's. */
static bool fail_fold(const combining *c, const variable *v, const uint64_t *at) {
  char why[400];
  ghz_statistics ignored;
  snprintf(why, sizeof why, "%s", ghz_context_message(c->ctx));
  for (int i = 0; i < c->count; i++)
    if (ghz_scan(c->ctx, c->streams[i], &ignored) != GHZ_OK)
      return chunk_fail(&v->sets[i], at, ghz_context_message(c->ctx));
  return chunk_fail(&v->sets[c->count - 1], at, why);
}

/* The combined streams, in c->result. */
static bool fold(combining *c, const variable *v, const uint64_t *at, size_t *size) {
  const uint64_t divisor = c->op->divisor ? c->op->divisor : 1;
  void *made;
  buffer_free(&c->result);
  if (ghz_linear_alloc(c->ctx, (size_t)c->count, c->streams, c->op->coefficients, divisor, &made, size) !=
      GHZ_OK)
    return fail_fold(c, v, at);
  c->result = (buffer){made, *size};
  return true;
}

/* A sum of integers is a stream of their type even where that does not hold it, and then cannot be
 * read. */
static bool check_range(const combining *c, const variable *v, const uint64_t *at, ghz_bytes stream) {
  static const double limits[][2] = {
      [GHZ_I8] = {INT8_MIN, INT8_MAX}, [GHZ_I16] = {INT16_MIN, INT16_MAX}, [GHZ_I32] = {INT32_MIN, INT32_MAX},
      [GHZ_U8] = {0, UINT8_MAX},       [GHZ_U16] = {0, UINT16_MAX},        [GHZ_U32] = {0, UINT32_MAX}};
  const ghz_type type = v->to.parameters.type;
  double min, max;
  if (!ghz_h5_integers(type))
    return true;
  if (ghz_extrema(c->ctx, stream, &min, &max) != GHZ_OK)
    return fail_fold(c, v, at);
  return min > max || (min >= limits[type][0] && max <= limits[type][1]) ||
         chunk_fail(&v->to, at, "would have integers that its type does not hold: store the decoded values");
}

static bool combine_chunk(combining *c, variable *v, const uint64_t *at) {
  int first = -1;
  bool present = !v->stays_missing;
  size_t size;
  for (int i = 0; i < c->count; i++) {
    if (!chunk_read(&v->sets[i], at, &c->chunks[i]))
      return false;
    present |= c->chunks[i].kind != CHUNK_MISSING;
    if (first < 0 && c->chunks[i].kind == CHUNK_STREAM)
      first = i;
  }
  if (!present)
    return true;
  if (!make_streams(c, v, first) || !fold(c, v, at, &size) ||
      !check_range(c, v, at, (ghz_bytes){c->result.data, size}))
    return false;
  note_bound(v, (ghz_bytes){c->result.data, size});
  return chunk_write(&v->to, at, c->result.data, size);
}

/* ---- All chunks ------------------------------------------------------------------------------ */

static bool combine_variable(combining *c, variable *v) {
  uint64_t at[GHZ_H5_RANK_MAX] = {0};
  for (uint64_t i = 0; i < v->to.chunks; i++, chunk_next(&v->to, at)) {
    if (!combine_chunk(c, v, at))
      return false;
    progress_set(++c->done);
  }
  return true;
}

static bool combine_variables(combining *c) {
  uint64_t all = 0, bytes = 0;
  for (size_t i = 0; i < c->names.count; i++) {
    const h5_variable *to = &c->variables[i].to;
    all += to->chunks;
    bytes = to->bytes > bytes ? to->bytes : bytes;
  }
  progress_begin(c->o->verb, all, bytes * (uint64_t)c->count);
  bool ok = true;
  for (size_t i = 0; ok && i < c->names.count; i++)
    ok = combine_variable(c, &c->variables[i]);
  progress_end();
  return ok;
}

/* ---- Files ----------------------------------------------------------------------------------- */

/* Readers add the offset to the result once: to a sum where each of its terms has it, to a
 * difference where it cancels out. */
static bool check_offset(const combining *c, const h5_variable *d) {
  return c->op->divisor || d->offset == 0 ||
         fail(d->label, "has add_offset %g, which a %s would have only once: store the decoded values",
              d->offset, c->op->coefficients ? "difference" : "sum");
}

/* The mean of integers lies between them. */
static bool check_mean(const combining *c, const h5_variable *d) {
  return !c->op->divisor || !ghz_h5_integers(d->parameters.type) ||
         fail(d->label, "is of integers, which a mean is not: add them, store the decoded values, or name "
                        "others by --var");
}

static bool open_variable(combining *c, variable *v, const char *name) {
  bool ok = true;
  while (ok && v->opened < c->count) {
    h5_variable *d = &v->sets[v->opened];
    ok = variable_open(d, c->o->files[v->opened++], name, VARIABLE_COMBINE) && variables_agree(d, v->sets) &&
         check_offset(c, d) && check_mean(c, d);
  }
  return ok;
}

static bool check_files(const combining *c, const char *to) {
  for (int i = 0; i < c->count; i++) {
    file f;
    if (!file_open(&f, c->o->files[i]))
      return false;
    const bool differs = file_differs(&f, to);
    file_close(&f);
    if (!differs)
      return false;
  }
  return true;
}

static bool open_operands(combining *c) {
  if (!paths_of_variables(c->o->files[0], c->o->var, &c->names))
    return false;
  c->variables = calloc(c->names.count, sizeof *c->variables);
  if (!c->variables)
    return fail(c->o->verb, "out of memory");
  for (size_t i = 0; i < c->names.count; i++) {
    variable *v = &c->variables[i];
    v->to = (h5_variable){.whole = -1, .set = -1};
    v->sets = calloc((size_t)c->count, sizeof *v->sets);
    if (!v->sets)
      return fail(c->o->verb, "out of memory");
    if (!open_variable(c, v, c->names.at[i]))
      return false;
  }
  return true;
}

/* HDF5 gives the space of chunks that are freed to what is written next, while a file is open. */
static bool copy_first(combining *c) {
  file f;
  size_t got = 1;
  if (!file_open(&f, c->o->files[0]))
    return false;
  bool ok = buffer_reserve(&c->result, COPY_BYTES, f.name);
  while (ok && got > 0)
    ok = file_read(&f, c->result.data, COPY_BYTES, &got) && output_write(&c->out, c->result.data, got);
  file_close(&f);
  return ok;
}

static bool open_results(combining *c) {
  for (size_t i = 0; i < c->names.count; i++) {
    variable *v = &c->variables[i];
    if (!variable_open(&v->to, c->out.file.name, c->names.at[i], VARIABLE_WRITE))
      return false;
    free(v->to.label);
    v->to.file = c->out.name;
    v->to.label = h5_label(c->out.name, c->names.at[i]);
    if (!v->to.label || !variable_empty(&v->to))
      return false;
    v->stays_missing = missing_stays(c, v);
  }
  return true;
}

static bool close_results(combining *c) {
  bool ok = true;
  c->unused = H5(H5Fget_freespace)(c->variables[0].to.whole);
  for (size_t i = 0; i < c->names.count; i++)
    ok &= variable_close(&c->variables[i].to);
  return ok;
}

static bool write_output(combining *c) {
  if (!c->out.file.name)
    return fail(c->out.name, "HDF5 output must be a regular file: give -o FILE");
  const bool ok = copy_first(c) && open_results(c) && combine_variables(c);
  return close_results(c) && ok;
}

static void describe(const combining *c, const char *to, double elapsed) {
  struct stat status;
  if (stat(to, &status) != 0)
    return;
  for (size_t i = 0; i < c->names.count; i++)
    note(LEVEL_NORMAL, "%s of %s in %d file%s -> %s: %s, bound %.6g, %.3f s", c->o->verb, c->names.at[i],
         c->count, c->count > 1 ? "s" : "", to, text_bytes((uint64_t)status.st_size).text,
         c->variables[i].bound, elapsed);
  if (c->count > 1)
    note(LEVEL_NORMAL, "all else in %s is that of %s", to, c->o->files[0]);
  if (c->unused > status.st_size / 20)
    note(LEVEL_NORMAL, "%s of %s are unused: h5repack makes it smaller", text_bytes((uint64_t)c->unused).text,
         to);
}

static bool combine_to(combining *c, const char *to) {
  const double start = seconds();
  if (!check_files(c, to) || !open_operands(c) || !places_agree(c->o, &c->names) ||
      !output_open(&c->out, to, c->o->force, true, NULL))
    return false;
  if (!output_end(&c->out, write_output(c)))
    return false;
  describe(c, to, seconds() - start);
  return true;
}

static void release(combining *c) {
  for (size_t k = 0; c->variables && k < c->names.count; k++) {
    for (int i = 0; i < c->variables[k].opened; i++)
      variable_close(&c->variables[k].sets[i]);
    free(c->variables[k].sets);
  }
  for (int i = 0; c->chunks && i < c->count; i++)
    buffer_free(&c->chunks[i].data);
  buffer_free(&c->result);
  free(c->variables);
  free(c->chunks);
  free(c->streams);
  paths_free(&c->names);
}

bool h5_combine(const options *o, ghz_context *ctx, const ghz_file_operation *op) {
  combining c = {.o = o, .ctx = ctx, .op = op, .count = o->file_count};
  const size_t count = (size_t)c.count;
  c.chunks = calloc(count, sizeof *c.chunks);
  c.streams = calloc(count, sizeof *c.streams);
  const bool ok = c.chunks && c.streams ? combine_to(&c, o->output) : fail(o->verb, "out of memory");
  release(&c);
  return ok;
}
