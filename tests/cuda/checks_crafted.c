/* checks_crafted.c: damage that only some of the code could miss: behind a short end, where anchors stand for a column, and in
 * several places at once. */
#include "checks.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* The same status from both, and the same bytes. Yields the status on the CPU. */
static ghz_status both(trial *t, const operation *o, const char *what) {
  made cpu = cpu_make(t, o), gpu = gpu_make(t, o, room_for(o), what);
  ghz_status status = cpu.status;
  expect(t, gpu.status == status, "%s: status %d, should be %d", what, (int)gpu.status, (int)status);
  if (gpu.status == GHZ_OK && status == GHZ_OK)
    same_bytes(t, gpu.bytes, cpu.bytes, what);
  bytes_drop(&cpu.bytes, 1);
  bytes_drop(&gpu.bytes, 1);
  return status;
}

/* ---- What lies behind the end of a short tile ---- */

static void probe_end(trial *t, ref_bytes stream, ref_bytes other, ghz_type type, size_t n, const char *what) {
  ref_bytes s[3] = {stream, other, stream}, values = bytes_of(n * 8);
  reading r = {.type = type, .n = n, .source = stream, .out = type, .part = ALL};
  uint8_t *got;
  ghz_status status = gpu_read(t, &r, &got, what), wanted = cpu_read(t, &r, values.data);
  expect(t, status == wanted, "%s: status %d, should be %d", what, (int)status, (int)wanted);
  free(got);
  bytes_drop(&values, 1);
  for (size_t behind = 0; behind <= 16; behind += 16)
    for (size_t k = 1; k <= 3; k++) {
      operation o = {.kind = SUM, .lattice.type = type, .n = n, .k = k, .operands = s, .behind = behind};
      both(t, &o, say("%s: sum of %zu, %zu bytes behind", what, k, behind));
    }
}

/* An infinity behind the end, and nothing else there. */
static void lone_special(trial *t) {
  enum { N = 2048 };
  ghz_lattice l = lattice_of(GHZ_F32, 0.3);
  float *x = calloc(N, sizeof *x);
  uint64_t n = 2040;
  for (int i = 0; x && i < 1100; i++)
    x[i] = (float)(i % 50);
  if (x)
    x[N - 1] = INFINITY;
  ref_bytes whole = cpu_compressed(t, &l, 0, x, N), right = cpu_stream(t, "walk", &l, 1, n, 7);
  memcpy(whole.data + 8, &n, 8);
  probe_end(t, whole, right, GHZ_F32, n, "an infinity behind the end");
  bytes_drop(&whole, 1);
  bytes_drop(&right, 1);
  free(x);
}

/* Whole tiles under a header that says that the last is short: blocks and specials behind the end are no part of it. */
void check_hostile_ends(trial *t) {
  static const char *const makers[] = {"walk", "small_noise", "specials", "sparse", "land_mask"};
  static const size_t ends[] = {1025, 1032, 1900, 2016, 2017, 2040, 2041, 2047};
  for (int type = GHZ_F32; type <= GHZ_F64; type++)
    for (size_t m = 0; m < COUNT(makers); m++)
      for (int order = 0; order < 3; order++)
        for (size_t e = m % 2; e < COUNT(ends); e += (size_t)by_extent(t, 2, 2, 1)) {
          ghz_lattice l = lattice_of((ghz_type)type, 0.3);
          uint64_t n = ends[e];
          ref_bytes whole = cpu_stream(t, makers[m], &l, order, 2048, m),
                    right = cpu_stream(t, "walk", &l, 1, n, 7);
          memcpy(whole.data + 8, &n, 8);
          probe_end(t, whole, right, l.type, n,
                    say("%s, type %d, order %d, cut to %zu", makers[m], type, order, (size_t)n));
          bytes_drop(&whole, 1);
          bytes_drop(&right, 1);
        }
  lone_special(t);
}

/* ---- The column that an anchor stands for ---- */

/* A tile of order 1 with a bit in the column of its first value, which readers ignore. */
static ref_bytes with_ignored_column(trial *t, const ghz_lattice *l, size_t n) {
  float *x = malloc(n * sizeof *x);
  ghz_statistics st;
  size_t planes = 0;
  for (size_t i = 0; x && i < n; i++)
    x[i] = (float)(i % 1024 % 3);
  ref_bytes s = cpu_compressed(t, l, 1, x, n);
  ghz_scan(t->cpu, viewed(s), &st);
  for (size_t w = 0; w < COUNT(st.widths); w++)
    planes += w * (size_t)st.widths[w];
  s.data[s.size - planes / (n / 1024)] ^= 1; /* the first byte of the last tile's planes, which is block 0's */
  free(x);
  return s;
}

void check_hostile_ignored_column(trial *t) {
  ghz_lattice l = {GHZ_F32, 35, 0.5, 0.26};
  for (size_t n = 1024; n <= 3 * 1024; n += 1024)
    for (size_t behind = 0; behind <= 16; behind += 16) {
      ref_bytes s[3] = {with_ignored_column(t, &l, n), cpu_stream(t, "walk", &l, 2, n, 3),
                        cpu_stream(t, "walk", &l, 0, n, 4)};
      for (size_t k = 2; k <= 3; k++) {
        operation o = {.kind = SUM, .lattice.type = GHZ_F32, .n = n, .k = k, .operands = s, .behind = behind};
        const char *what = say("%zu values, sum of %zu, %zu bytes behind", n, k, behind);
        expect(t, both(t, &o, what) == GHZ_OK, "%s: refused", what);
      }
      bytes_drop(s, 3);
    }
}

/* ---- Several faults ---- */

/* Mode 3 does not exist. */
static void spoil(ref_bytes stream, uint64_t tile) {
  size_t size;
  const uint8_t *p = ref_tile_at(stream.data, tile, &size);
  stream.data[p - stream.data] |= 0x18;
}

static void told(trial *t, const operation *o, size_t capacity, ghz_status status, uint64_t tile,
                 uint32_t operand, const char *what) {
  made m = gpu_make(t, o, capacity, what);
  expect(t, m.status == status && m.outcome.tile == tile && m.outcome.operand == operand,
         "%s: status %d, tile %lld, operand %d", what, (int)m.status, (long long)m.outcome.tile,
         (int)m.outcome.operand);
  bytes_drop(&m.bytes, 1);
}

/* Of several faults the same one is told, whoever comes first: the first damaged tile, the first wrong head. */
void check_hostile_several(trial *t) {
  enum { N = 100 * 1024 };
  ghz_lattice l = lattice_of(GHZ_F32, 0.2), other = lattice_of(GHZ_F32, 0.3);
  ref_bytes good = cpu_stream(t, "small_noise", &l, 1, N, 1), odd = cpu_stream(t, "walk", &other, 1, N, 1);
  for (uint64_t first = 0; first < 80; first += 7) {
    ref_bytes bad = bytes_copied(good.data, good.size);
    for (uint64_t tile = first; tile < 100; tile += 3)
      spoil(bad, tile);
    ref_bytes s[4] = {good, bad, bad, good}, heads[4] = {good, odd, bad, odd};
    operation o = {.kind = SUM, .lattice.type = GHZ_F32, .n = N, .k = 4, .operands = s};
    told(t, &o, room_for(&o), GHZ_ECORRUPT, first, 1, say("tiles from %d on", (int)first));
    told(t, &o, good.size / 2, GHZ_ECORRUPT, first, 1, say("tiles from %d on, and no room", (int)first));
    o.operands = heads;
    told(t, &o, room_for(&o), GHZ_EMISMATCH, UINT64_MAX, 1, "two heads");
    bytes_drop(&bad, 1);
  }
  bytes_drop(&good, 1);
  bytes_drop(&odd, 1);
}
