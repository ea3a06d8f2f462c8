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
      same_bytes(g->make(ctx), want, say("%s on %s", g->name, isa_name(isa)));
      uint64_t checksum = golden_checksum(want, ctx);
      cr_assert_eq(checksum, g->checksum, "%s on %s: values have checksum %016llx", g->name, isa_name(isa),
                   (unsigned long long)checksum);
      if (!is_message(g->name))
        cr_assert_eq(ref_check(want.data, want.size), REF_GOOD, "%s", g->name);
    }
  }
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
