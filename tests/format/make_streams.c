/* make_streams.c: writes streams that no encoder writes, for the second decoder to compare with:
 * NAME.0.operand, ... in the directory given, with their combination NAME.combined, whose divisor
 * and weights stand in combinations.txt behind NAME, its values NAME.raw, and the messages that it
 * is cut into, NAME.0.msg, ... Of each FILE it prints whether the library takes it for a stream. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "crafted.h"
#include "fields.h"
#include "streams.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ghz_context *context;
static const char *directory;
static uint64_t state = 1;

static void save(const char *name, const char *suffix, const void *data, size_t size) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s.%s", directory, name, suffix);
  FILE *f = fopen(path, "wb");
  if (!f || fwrite(data, 1, size, f) != size || fclose(f) != 0) {
    perror(path);
    exit(1);
  }
}

/* Writes the stream as messages: three pieces, some of them without tiles. */
static void save_messages(const char *name, ref_bytes s) {
  const uint64_t tiles = info_of(s).tiles, cuts[4] = {0, tiles / 3, tiles - tiles / 4, tiles};
  for (int i = 0; i < 3; i++) {
    ghz_slice slice = slice_of(s, cuts[i], cuts[i + 1] - cuts[i]);
    ref_bytes message = packed(&slice);
    save(name, say("%d.msg", i), message.data, message.size);
  }
}

/* The lattice of means of so many streams. */
static ghz_lattice divided(const ghz_lattice *l, size_t count) {
  const float narrow = 0;
  const double wide = 0;
  ref_bytes zero = compress(context, l, 0, l->type == GHZ_F32 ? (const void *)&narrow : &wide, 1), all[8];
  for (size_t i = 0; i < count; i++)
    all[i] = zero;
  return info_of(mean(context, count, all)).lattice;
}

/* Streams that no encoder writes, and combinations of two or three, by each instruction set in
 * turn: of one lattice, and of some that are multiples of others. */
static void combinations(void) {
  static const ghz_shape shapes[] = {{1, {1, 1, 1500}}, {2, {1, 40, 21}}, {3, {8, 8, 16}}, {3, {7, 3, 20}}};
  char text[16384] = "";
  for (size_t round = 0; round < 200; round++) {
    SCOPE;
    CONTEXT(on, isa_name(round / COUNT(shapes) % isa_count()), 1);
    const ghz_shape *shape = &shapes[round % COUNT(shapes)];
    const char *name = say("crafted_%zu", round);
    const ghz_lattice l =
        round % 9 ? lattice_with_fill(&state) : lattice_abs(GHZ_F32, 1e34); /* up to infinity */
    const ghz_lattice finer = divided(&l, 1 + round % 7);
    ref_bytes s[3];
    int64_t c[3];
    size_t k = 2 + round / 4 % 2;
    const uint64_t divisor = round % 6 ? 1 : 1 + round;
    strcat(text, say("%s %d", name, (int)divisor));
    for (size_t i = 0; i < k; i++) {
      ref_header h = header_shaped(i == 1 && round / 8 % 2 ? &finer : &l, shape);
      h.transform = shape->dims > 1 && round % 3;
      crafted_pair pair = crafted_streams(&h, &state);
      s[i] = round % 2 ? pair.loose : pair.least;
      c[i] = round % 5 ? 1 : (int64_t)input_below(&state, 13) - 6;
      save(name, say("%zu.operand", i), s[i].data, s[i].size);
      strcat(text, say(" %d", (int)c[i]));
    }
    strcat(text, "\n");
    ref_bytes result = linear(on, k, s, c, divisor);
    save(name, "combined", result.data, result.size);
    save(name, "raw", decompress(on, result, l.type), (size_t)info_of(result).count * ghz_type_size(l.type));
    save_messages(name, result);
  }
  save("combinations", "txt", text, strlen(text));
}

/* What no encoder writes may be taken or refused, and large arrays take the second decoder long. */
static void judge(const char *path) {
  static uint8_t data[1 << 20];
  FILE *f = fopen(path, "rb");
  const ref_bytes s = {data, f ? fread(data, 1, sizeof data, f) : 0};
  ghz_info info;
  ghz_statistics tiles;
  ghz_slice slice;
  const int large = ghz_info_read(view(s), &info) == GHZ_OK && info.count > 1 << 16;
  const int taken = ghz_scan(context, view(s), &tiles) == GHZ_OK || ghz_slice_parse(view(s), &slice) == GHZ_OK;
  puts(large || ref_check(s.data, s.size) == REF_ODD ? "either" : taken ? "taken" : "refused");
  if (f)
    fclose(f);
}

int main(int argc, char **argv) {
  if (argc < 2) {
    fprintf(stderr, "usage: make_streams DIRECTORY [FILE...]\n");
    return 2;
  }
  directory = argv[1];
  context = context_on(NULL, 1);
  combinations();
  for (int i = 2; i < argc; i++)
    judge(argv[i]);
  ghz_context_free(context);
  return 0;
}
