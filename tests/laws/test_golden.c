/* test_golden.c: law L3 over time: the golden files are what this library makes, on every
 * instruction set, and they decode to what they did. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "golden.h"
#include "support.h"
#include <math.h>
#include <stdio.h>

static ref_bytes read_path(const char *path) {
  FILE *f = fopen(path, "rb");
  cr_assert_not_null(f, "cannot read %s", path);
  ref_bytes room = bytes_new(1 << 18);
  ref_bytes exact = bytes_copy(room.data, fread(room.data, 1, room.size, f));
  fclose(f);
  return exact;
}

static ref_bytes read_golden(const char *name) {
  return read_path(say("%s/streams/%s.%s", GHZ_GOLDEN_DIR, name, golden_ending(name)));
}

static int is_message(const char *name) { return strcmp(golden_ending(name), "msg") == 0; }

Test(golden, files) {
  cr_assert_gt(golden_count, 0);
  for (size_t isa = 0; isa < isa_count(); isa++) {
    CONTEXT(ctx, isa_name(isa), 2);
    for (size_t i = 0; i < golden_count; i++) {
      SCOPE;
      const golden *g = &goldens[i];
      ref_bytes want = read_golden(g->name);
      same_bytes(golden_make(g, ctx), want, say("%s on %s", g->name, isa_name(isa)));
      uint64_t checksum = golden_checksum(want, ctx);
      cr_assert_eq(checksum, g->checksum, "%s on %s: values have checksum %016llx", g->name, isa_name(isa),
                   (unsigned long long)checksum);
      if (!is_message(g->name))
        cr_assert_eq(ref_check(want.data, want.size), REF_GOOD, "%s", g->name);
    }
  }
}

/* Single compressions and their sums have every kind of tile, of both types. */
Test(golden, every_kind_of_tile) {
  uint64_t seen[2][9] = {{0}};
  CONTEXT(ctx, NULL, 1);
  for (size_t i = 0; i < golden_count && !goldens[i].make; i++) {
    SCOPE;
    ghz_statistics t;
    succeeded(ghz_scan(ctx, view(read_golden(goldens[i].name)), &t), ctx, goldens[i].name);
    uint64_t kinds[9] = {t.empty,    t.raw,     t.specials, t.order[0], t.order[1],
                         t.order[2], t.mode[0], t.mode[1],  t.mode[2]};
    for (int k = 0; k < 9; k++)
      seen[goldens[i].type][k] += kinds[k];
  }
  for (int k = 0; k < 18; k++)
    cr_assert_gt(seen[k / 9][k % 9], 0, "type %d, kind %d", k / 9, k % 9);
}

/* What there is in the files, so that nobody takes it out unnoticed. */
typedef struct found {
  int inexact, no_terms, most_terms[2], constant, no_step, scaled[2], cap35, no_values, chunks;
  int dims[4], transform, coefficients, order_3, lorenzo, turned;
  int message_first, message_empty, message_end, message_inexact;
} found;

static void note_lattice(const ghz_lattice *l, uint32_t terms, found *f) {
  float step = (float)l->step;
  f->no_terms |= terms == 0;
  f->most_terms[l->cap == 44] |= terms == ((uint32_t)1 << (58 - l->cap)) - 1;
  f->constant |= l->step > 2 * l->eb;
  f->no_step |= l->step == 0;
  /* Only scaling makes a float32 step of over 24 bits, or a bound, cap 44, not of the step. */
  if (l->type == GHZ_F32)
    f->scaled[0] |= (double)step != l->step;
  else if (l->type == GHZ_F64)
    f->scaled[1] |= l->step > 0 && l->step != 2 * l->eb * 0.984375;
  f->cap35 |= l->type == GHZ_F64 && l->cap == 35;
}

static void note_message(ref_bytes bytes, found *f) {
  ghz_slice s;
  succeeded(ghz_slice_parse(view(bytes), &s), NULL, "message");
  note_lattice(&s.lattice, s.terms, f);
  f->message_first |= s.first > 0;
  f->message_empty |= s.tiles == 0;
  f->message_end |= s.tiles > 0 && (s.first + s.tiles) * GHZ_TILE > s.count;
  f->message_inexact |= s.inexact;
}

static void note_bricks(ref_bytes bytes, found *f) {
  CONTEXT(ctx, NULL, 1);
  ghz_statistics t;
  succeeded(ghz_scan(ctx, view(bytes), &t), ctx, "scan");
  f->coefficients |= t.coefficients > 0;
  f->lorenzo |= t.coefficients > 0 && t.order[2] > 0;
  f->order_3 |= t.order[3] > 0;
  f->turned |= t.turned > 0;
}

static void note_stream(ref_bytes bytes, found *f) {
  ghz_info info = info_of(bytes);
  note_lattice(&info.lattice, info.terms, f);
  note_bricks(bytes, f);
  f->inexact |= info.inexact;
  f->dims[info.shape.dims] = 1;
  f->transform |= info.transform;
  f->no_values |= info.count == 0;
  f->chunks |= info.count > GHZ_CHUNK;
}

Test(golden, everything_is_there) {
  found f = {0};
  for (size_t i = 0; i < golden_count; i++) {
    SCOPE;
    if (goldens[i].make)
      (is_message(goldens[i].name) ? note_message : note_stream)(read_golden(goldens[i].name), &f);
  }
  cr_assert(f.inexact && f.no_terms && f.most_terms[0] && f.most_terms[1]);
  cr_assert(f.constant && f.no_step && f.scaled[0] && f.scaled[1] && f.cap35);
  cr_assert(f.no_values && f.chunks);
  cr_assert(f.dims[1] && f.dims[2] && f.dims[3] && f.transform && f.coefficients && f.order_3 && f.lorenzo &&
            f.turned);
  cr_assert(f.message_first && f.message_empty && f.message_end && f.message_inexact);
}

/* ---- What an older reader says ---- */
/* Every bit not in use today: each call that reads it says that it is newer, and not corrupt. */
static void newer(ghz_context *ctx, ref_bytes bytes, size_t at, unsigned value, int message) {
  SCOPE;
  ref_bytes odd = bytes_copy(bytes.data, bytes.size), room = bytes_new(1 << 16);
  ghz_info info;
  ghz_statistics statistics;
  ghz_slice slice;
  size_t size = room.size;
  odd.data[at] = (uint8_t)value;
  const char *what = say("byte %zu is %u", at, value);
  if (message) {
    cr_assert_eq(ghz_slice_parse(view(odd), &slice), GHZ_EVERSION, "%s", what);
  } else {
    cr_assert_eq(ghz_info_read(view(odd), &info), GHZ_EVERSION, "%s", what);
    cr_assert_eq(ghz_scan(ctx, view(odd), &statistics), GHZ_EVERSION, "%s", what);
    cr_assert_eq(ghz_decompress(ctx, view(odd), GHZ_F64, room.data, size / 8), GHZ_EVERSION, "%s", what);
    cr_assert_eq(ghz_decompress_range(ctx, view(odd), GHZ_F64, 0, 1, room.data), GHZ_EVERSION, "%s", what);
    cr_assert_eq(ghz_add(ctx, view(bytes), view(odd), room.data, room.size, &size), GHZ_EVERSION, "%s", what);
    cr_assert_not_null(strstr(ghz_context_message(ctx), "operand 1: type or feature bits of a newer version"),
                       "%s: %s", what, ghz_context_message(ctx));
    cr_assert_eq(ghz_slice_view(view(odd), 0, 1, &slice), GHZ_EVERSION, "%s", what);
  }
}

/* check 2 */
Test(golden, newer_versions_are_told) {
  static const struct {
    uint8_t at, least, most;
  } fields[] = {{4, 0, 8}, {5, 0, 7}, {7, 1, 3}, {52, 0, 0}, {53, 0, 0}, {54, 0, 0}, {55, 0, 0}};
  CONTEXT(ctx, NULL, 1);
  ref_bytes both[2] = {read_golden("f32_scaled"), read_golden("f32_message")};
  for (int message = 0; message < 2; message++)
    for (size_t i = 0; i < COUNT(fields); i++)
      for (unsigned value = 0; value < 256; value++)
        if (value < fields[i].least || value > fields[i].most)
          newer(ctx, both[message], fields[i].at, value, message);
}

/* ---- What is said of older streams ---- */
static void refused(const char *stream, const char *message, const char *text) {
  SCOPE;
  CONTEXT(ctx, NULL, 1);
  ref_bytes old = read_path(say("%s/older/%s.ghz", GHZ_GOLDEN_DIR, stream)), room = bytes_new(1 << 17);
  ref_bytes part = read_path(say("%s/older/%s.msg", GHZ_GOLDEN_DIR, message));
  ghz_info info;
  ghz_slice slice;
  size_t size = room.size;
  cr_assert_eq(ghz_info_read(view(old), &info), GHZ_EVERSION, "%s", stream);
  cr_assert_eq(ghz_slice_view(view(old), 0, 1, &slice), GHZ_EVERSION, "%s", stream);
  cr_assert_eq(ghz_slice_parse(view(part), &slice), GHZ_EVERSION, "%s", message);
  cr_assert_str_eq(ghz_context_message(NULL), text);
  cr_assert_eq(ghz_decompress(ctx, view(old), GHZ_F32, room.data, room.size / 4), GHZ_EVERSION, "%s", stream);
  cr_assert_str_eq(ghz_context_message(ctx), text);
  cr_assert_eq(ghz_add(ctx, view(old), view(old), room.data, room.size, &size), GHZ_EVERSION, "%s", stream);
  cr_assert_str_eq(ghz_context_message(ctx), text);
  old.size = part.size = 4;
  cr_assert_eq(ghz_info_read(view(old), &info), GHZ_EVERSION, "the first four bytes are enough");
  cr_assert_eq(ghz_slice_parse(view(part), &slice), GHZ_EVERSION, "the first four bytes are enough");
}

/* check 1 */
Test(golden, older_formats_are_refused) {
  refused("stream", "message", "operand 0: format 1, of version 0.1 of ghz, which this version does not read");
  refused("stream_2", "message_2",
          "operand 0: format 2, of version 0.2 of ghz before its release, which this version does not read");
}
