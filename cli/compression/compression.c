/* compression.c: owns compressing a file of values, a frame at a time. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compression.h"
#include "file/header.h"
#include "io/npy.h"
#include "io/output.h"
#include "io/reader.h"
#include "report/report.h"
#include "rules/quantise.h"
#include "work/range.h"

/* ---- Lattice --------------------------------------------------------------------------------- */

bool compression_range(compression *c, value_range *r) {
  return c->bound.kind == GHZ_ABS || c->bound.kind == GHZ_STEP ||
         range_in_advance(c->ctx, &c->in, compression_fill(c), r);
}

static bool make_lattice(compression *c) {
  value_range r = c->range ? *c->range : range_nothing();
  if (c->model->path)
    return (c->lattice = c->model->lattice, true);
  return (c->range || compression_range(c, &r)) &&
         range_lattice(c->in.file.name, c->in.type, c->bound, r, compression_fill(c), &c->lattice);
}

/* ---- Layout ---------------------------------------------------------------------------------- */

/* The shape of the input: its own, that of --dims, or that of the model. */
static bool choose_shape(compression *c) {
  shape like = c->model->path ? c->model->header.array : (shape){.ndim = 0};
  if (!ghz_arrays_agree(&c->o->dims, &like))
    return fail_contradicts(c->model->path, &like, &c->o->dims);
  if (c->o->dims.ndim)
    return input_set_shape(&c->in, &c->o->dims);
  if (like.ndim == 0 || c->in.shape.npy ||
      (c->in.count != GHZ_FILE_UNKNOWN && c->in.count != ghz_array_count(&like)))
    return true;
  like.npy = false;
  return input_set_shape(&c->in, &like);
}

/* How the array is cut into frames: as the model is, so that both can be added. */
static bool cut(compression *c) {
  const ghz_file_header *like = c->model->path ? &c->model->header : NULL;
  const bool flat = like ? like->shape.dims == 1 : c->o->flat;
  const uint64_t each = like ? like->frame_values : c->o->frame_values;
  c->header = (ghz_file_header){.array = c->in.shape, .count = c->in.count, .lattice = {.type = c->in.type}};
  return library_ok(c->in.file.name, NULL, ghz_file_choose_frames(&c->header, flat, each));
}

static bool choose_frames(compression *c) {
  if (!choose_shape(c) || !cut(c))
    return false;
  return c->o->order < 3 || c->header.shape.dims == 3 ||
         fail(c->in.file.name, "--order 3 needs %s: this array is compressed as %s", "bricks of 8x8x16",
              tiles_text(&c->header.shape));
}

/* ---- Frames ---------------------------------------------------------------------------------- */

/* Keeps what is found of the first frame that has something to say. */
static bool look(compression *c, size_t count) {
  ghz_loss found, *kept = &c->loss;
  if (!library_ok(c->in.file.name, c->ctx,
                  ghz_lattice_loss(c->ctx, &c->lattice, c->values.data, count, 1, &found)))
    return false;
  c->missing += found.missing;
  if (!kept->wipes && !kept->has_fill)
    *kept = found;
  return true;
}

/* Counts the values that --step stores as they are, and the others, as the library has it
 * (FORMAT.md, "Grids"). */
static void count_on_grid(compression *c, size_t n) {
  const ghz_lattice *l = &c->lattice;
  const double *fill = compression_fill(c);
  const grid_test near = grid_test_of(l, 0), far = grid_test_of(l, DBL_MAX);
  for (size_t i = 0; i < n; i++) {
    const double v = value_at(l->type, c->values.data, i), m = fabs(v);
    const grid_test test = m <= 0x1p22 * l->step ? near : far;
    if (isfinite(v) && !(fill && v == *fill))
      c->on_grid[mode_for(l, m) != RAW &&
                 (l->type == GHZ_F32 ? on_grid_f32(test, (float)v) : on_grid_f64(test, v))]++;
  }
}

/* Reads up to `count` values, those of the next frame. Sets *taken: on a pipe it may be less. */
static bool read_frame(compression *c, size_t count, size_t *taken) {
  if (!input_read(&c->in, c->values.data, count, taken))
    return false;
  if (c->in.type <= GHZ_F64 && c->lattice.step > 2 * c->lattice.eb)
    count_on_grid(c, *taken);
  if (c->frames == 0)
    c->turned = byte_order_suspect(c->in.type, c->values.data, *taken);
  return look(c, *taken);
}

static bool write_frames(compression *c) {
  ghz_shape s = ghz_file_frame_shape(&c->header, GHZ_FILE_UNKNOWN);
  size_t count, taken;
  progress_begin(c->in.file.name, c->in.count, ghz_type_size(c->in.type));
  do {
    if (c->in.count != GHZ_FILE_UNKNOWN)
      s = ghz_file_frame_shape(&c->header, c->in.taken);
    count = (size_t)ghz_shape_count(&s);
    if (!read_frame(c, count, &taken) ||
        !writer_ok(&c->writer, ghz_file_write(c->writer.own, c->ctx, c->values.data, taken)))
      return false;
    c->frames += taken > 0 || c->in.taken == 0; /* an array without values has one without values */
    progress_set(c->in.taken);
  } while (c->in.count == GHZ_FILE_UNKNOWN ? taken == count : c->in.taken < c->in.count);
  return writer_end(&c->writer, c->ctx);
}

static bool write_file(compression *c) {
  const uint64_t frame = c->header.frame_values, most = c->in.count < frame ? c->in.count : frame;
  if (!buffer_reserve(&c->values, (size_t)most * ghz_type_size(c->in.type), c->in.file.name) ||
      !make_lattice(c))
    return false;
  c->header.lattice = c->lattice;
  c->header.count = c->in.count; /* which was not known of a pipe before it was copied for its range */
  return writer_begin(&c->writer, &c->out, &c->header, c->o->pack) &&
         writer_ok(&c->writer, ghz_file_set_order(c->writer.own, c->o->order)) && write_frames(c);
}

/* ---- Files ----------------------------------------------------------------------------------- */

static bool check_model_type(const compression *c) {
  return !c->model->path || c->in.type == c->model->header.lattice.type ||
         fail(c->in.file.name, "type %s differs from %s in %s: only files of the same type can be added",
              type_name(c->in.type), type_name(c->model->header.lattice.type), c->model->path);
}

static bool check_integers(const compression *c) {
  return c->model->path || !type_is_integer(c->in.type) || (c->bound.kind == GHZ_STEP && c->bound.value == 1) ||
         fail(c->in.file.name, "holds integers, which are compressed exactly: use --lossless");
}

/* The fill value is that of the model, or of --fill. */
static bool choose_fill(compression *c) {
  const ghz_lattice *like = c->model->path ? &c->model->lattice : NULL;
  c->fill = like ? like->fill : 0;
  c->has_fill = c->o->has_fill || (like && like->has_fill);
  return !c->o->has_fill || fill_choose(c->in.file.name, c->in.type, c->o->fill, &c->fill);
}

bool compression_open(compression *c, const char *path) {
  type_choice choice = c->o->type;
  if (c->model->path && !choice.given && !type_of_name(path).given) {
    choice.given = true;
    choice.type = c->model->header.lattice.type;
  }
  return input_open(&c->in, path, choice) && check_model_type(c) && check_integers(c) && choose_fill(c);
}

static bool compress_to(compression *c, const char *path) {
  const double start = seconds();
  if (!choose_frames(c) || !file_differs(&c->in.file, path) ||
      !output_open(&c->out, path, c->o->force, false, &c->in.file))
    return false;
  const bool ok = write_file(c);
  progress_end();
  c->seconds = seconds() - start;
  return output_end(&c->out, ok);
}

bool compression_run(compression *c) {
  const char *path = c->in.file.path; /* NULL: standard input */
  if (c->o->output || !path)
    return compress_to(c, c->o->output ? c->o->output : "-");
  c->own_name = malloc(strlen(path) + sizeof ".ghz");
  return c->own_name ? compress_to(c, strcat(strcpy(c->own_name, path), ".ghz")) : fail(path, "out of memory");
}

void compression_close(compression *c) {
  input_close(&c->in);
  buffer_free(&c->values);
  ghz_file_abandon(c->writer.own);
  free(c->own_name);
}

/* ---- --like ---------------------------------------------------------------------------------- */

bool model_open(model *m, const char *path) {
  frame_reader r;
  ghz_frame first = {.memory = NULL};
  bool more = false;
  if (!reader_open(&r, path))
    return false;
  bool ok = reader_next(&r, NULL, &first, &more); /* every file has a frame */
  *m = (model){path, r.header, first.info.lattice};
  ok = ok && library_ok(path, NULL, ghz_lattice_undivided(&first.info.lattice, &m->lattice));
  if (ok && m->lattice.step != first.info.lattice.step && m->lattice.eb > first.info.bound)
    ok = fail(path, "was divided, and no file that adds to it has its bound: take --like of what was divided");
  reader_close(&r);
  ghz_frame_free(&first);
  return ok;
}
