/* checks_hostile.c: law L5 on the device: any bytes give an outcome, the CPU's, and no access outside. */
#include "checks.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* ---- What the CPU makes of bytes in a longer buffer ---- */

static uint64_t field(ref_bytes b, size_t at, size_t bytes) {
  uint64_t v = 0;
  for (size_t i = 0; i < bytes && at + i < b.size; i++)
    v |= (uint64_t)b.data[at + i] << (8 * i);
  return v;
}

static void put_field(ref_bytes b, size_t at, size_t bytes, uint64_t v) {
  for (size_t i = 0; i < bytes; i++)
    b.data[at + i] = (uint8_t)(v >> (8 * i));
}

/* On a device the bytes may go on behind a stream, which knows its size; on the CPU they may not. */
static ref_bytes trimmed(ref_bytes b, int message) {
  uint64_t tiles = field(b, 8, 8) / GHZ_TILE + (field(b, 8, 8) % GHZ_TILE != 0), header = 56;
  if (message)
    tiles = field(b, 56, 8);
  if (b.size < 48 || tiles > b.size)
    return b;
  header += message ? 8 : (tiles + 15) / 16 * 8;
  uint64_t payload = field(b, 40, 8), index = header + 2 * tiles;
  if (index <= b.size && payload <= b.size - index)
    b.size = (size_t)(index + payload);
  return b;
}

static int refusal(ghz_status status) {
  return status == GHZ_ECORRUPT || status == GHZ_EVERSION || status == GHZ_EMISMATCH || status == GHZ_ERANGE ||
         status == GHZ_ECAPACITY;
}

/* The header speaks of another array than the caller. */
static int another_array(ref_bytes b, ghz_type type, size_t n) {
  return field(b, 4, 1) != (uint64_t)type || field(b, 8, 8) != n;
}

static int another_slice(const reading *r) {
  return another_array(r->source, r->type, r->n) ||
         (r->part == MESSAGE && (field(r->source, 48, 8) != r->first || field(r->source, 56, 8) != r->count));
}

/* Bytes before the payload of what the caller asks for. Fewer are refused before anything is read of them. */
static uint64_t index_size(const reading *r) {
  uint64_t tiles = (r->n + GHZ_TILE - 1) / GHZ_TILE;
  return r->part == MESSAGE ? 64 + 2 * r->count : 56 + 8 * ((tiles + 15) / 16) + 2 * tiles;
}

static ghz_status verdict(trial *t, const reading *r, void *values) {
  ghz_info info;
  if (r->part == MESSAGE)
    return cpu_read(t, r, values);
  ghz_status status = ghz_info_read(viewed(r->source), &info);
  if (status == GHZ_OK)
    status = info.lattice.type == r->type && info.count == r->n ? cpu_read(t, r, values) : GHZ_EMISMATCH;
  return status;
}

/* Reads the bytes on both sides. Yields the status on the CPU. */
static ghz_status probe(trial *t, const reading *on_device, const char *what) {
  reading r = *on_device;
  uint8_t *got;
  ref_bytes want = bytes_of(reading_count(&r) * ghz_type_size(r.out));
  r.source = trimmed(r.source, r.part == MESSAGE);
  ghz_status wanted = verdict(t, &r, want.data), status = gpu_read(t, on_device, &got, what);
  int agreed = status == wanted || (wanted != GHZ_OK && status == GHZ_EMISMATCH && another_slice(&r)) ||
               (wanted == GHZ_EVERSION && status == GHZ_ECORRUPT && r.source.size < index_size(&r));
  expect(t, agreed, "%s: status %d, should be %d (%s)", what, (int)status, (int)wanted,
         ghz_cuda_message(t->gpu));
  if (status == GHZ_OK && wanted == GHZ_OK)
    same_values(t, got, want.data, reading_count(&r), r.out, what);
  free(got);
  bytes_drop(&want, 1);
  return wanted;
}

static ghz_status probe_stream(trial *t, ref_bytes bytes, ghz_type type, size_t n, const char *what) {
  reading r = {.type = type, .n = n, .source = bytes, .out = type, .part = ALL};
  return probe(t, &r, what);
}

/* Computes with the bytes on both sides: both succeed with the same bytes, or both refuse. */
static void probe_operation(trial *t, const operation *on_device, const char *what) {
  operation o = *on_device;
  ref_bytes short_operands[4];
  int other = 0;
  for (size_t i = 0; i < o.k; i++) {
    short_operands[i] = trimmed(o.operands[i], o.kind == SLICE_SUM);
    other |= another_array(short_operands[i], o.lattice.type, o.n);
  }
  o.operands = short_operands;
  made want = cpu_make(t, &o), got = gpu_make(t, on_device, room_for(on_device), what);
  if (want.status == GHZ_OK && !other) {
    if (expect(t, got.status == GHZ_OK, "%s: status %d where the CPU succeeds (%s)", what, (int)got.status,
               ghz_cuda_message(t->gpu)))
      same_bytes(t, got.bytes, want.bytes, what);
  } else
    expect(t, refusal(got.status), "%s: status %d where the CPU says %d", what, (int)got.status,
           (int)want.status);
  bytes_drop(&want.bytes, 1);
  bytes_drop(&got.bytes, 1);
}

/* As either operand, and twice. */
static void probe_operations(trial *t, ref_bytes bytes, ref_bytes good, ghz_type type, size_t n, unsigned turn,
                             const char *what) {
  static const int64_t coefficients[3] = {3, -2, 1};
  operation o = {.kind = ADD, .lattice.type = type, .n = n, .k = 2, .coefficients = coefficients};
  ref_bytes orders[4][3] = {
      {bytes, good, good}, {good, bytes, bytes}, {bytes, bytes, good}, {good, good, bytes}};
  o.operands = orders[turn % 4];
  if (turn % 5 == 1)
    o.kind = SUBTRACT;
  if (turn % 5 == 2 || turn % 5 == 3) {
    o.kind = turn % 5 == 2 ? COMBINE : MEAN;
    o.k = 3;
  }
  if (turn % 5 == 4) { /* alone: its tiles may be copied */
    o.kind = SUM;
    o.k = 1;
  }
  probe_operation(t, &o, say("%s, kind %d, place %u", what, (int)o.kind, turn % 4));
}

/* The context still works. */
static void still_works(trial *t) {
  ghz_lattice l = lattice_of(GHZ_F32, 0.01);
  float *x = input_make(&inputs[0], GHZ_F32, 3000, l.step, 1);
  operation o = {.kind = COMPRESS, .lattice = l, .order = -1, .x = x, .n = 3000};
  agree(t, &o, "afterwards");
  free(x);
}

static ref_bytes stream_of(trial *t, const char *maker, ghz_type type, size_t n, int order, uint64_t seed) {
  ghz_lattice l = lattice_of(type, 0.01);
  return cpu_stream(t, maker, &l, order, n, seed);
}

/* ---- Damage ---- */

void check_hostile_bits(trial *t) {
  static const char *const makers[] = {"walk", "specials", "fine_noise", "sparse"};
  unsigned turn = 0, refusals = 0, successes = 0;
  for (size_t m = 0; m < 4; m++)
    for (int type = 0; type < 2; type++) {
      ref_bytes good = stream_of(t, makers[m], (ghz_type)type, 150, m == 0 ? 2 : GHZ_ORDER_BEST, 5);
      for (size_t bit = m; bit < 8 * good.size; bit += (size_t)by_extent(t, 41, 11, 1)) {
        ref_bytes bad = bytes_copied(good.data, good.size);
        const char *what = say("%s, type %d, bit %zu", makers[m], type, bit);
        bad.data[bit / 8] = (uint8_t)(bad.data[bit / 8] ^ (1 << (bit % 8)));
        if (probe_stream(t, bad, (ghz_type)type, 150, what) == GHZ_OK)
          successes++;
        else
          refusals++;
        if (turn++ % 3 == 0)
          probe_operations(t, bad, good, (ghz_type)type, 150, turn / 3, what);
        bytes_drop(&bad, 1);
      }
      bytes_drop(&good, 1);
    }
  expect(t, refusals > 0 && successes > 0, "%u refusals, %u successes", refusals, successes);
  still_works(t);
}

void check_hostile_truncated(trial *t) {
  static const char *const makers[] = {"walk", "specials", "wide_noise", "random_bits", "zeros"};
  for (size_t m = 0; m < 5; m++)
    for (int type = 0; type < 2; type++) {
      ref_bytes good = stream_of(t, makers[m], (ghz_type)type, 1100, GHZ_ORDER_BEST, m);
      size_t cut = 0;
      while (cut < good.size) {
        ref_bytes part = bytes_copied(good.data, cut);
        ghz_status status =
            probe_stream(t, part, (ghz_type)type, 1100, say("%s cut at %zu of %zu", makers[m], cut, good.size));
        expect(t, status != GHZ_OK, "%s cut at %zu of %zu is whole", makers[m], cut, good.size);
        bytes_drop(&part, 1);
        cut += cut < 80 || good.size - cut < 10 ? (size_t)by_extent(t, 7, 1, 1) : good.size / 40 + 1;
      }
      bytes_drop(&good, 1);
    }
  still_works(t);
}

/* ---- Headers ---- */

void check_hostile_headers(trial *t) {
  static const double values[] = {-1,     INFINITY, -INFINITY, 0x1p121, 0x1p-121, 0x1p1001, 0x1p-1001,
                                  5e-324, -0x1p-10, 0.0,       -0.0,    NAN,      0.25};
  unsigned turn = 0;
  for (int type = 0; type < 2; type++) {
    ref_bytes good = stream_of(t, "walk", (ghz_type)type, 1100, GHZ_ORDER_BEST, 1);
    for (size_t i = 0; i < COUNT(values); i++)
      for (size_t at = 16; at <= 24; at += 8) {
        ref_bytes bad = bytes_copied(good.data, good.size);
        const char *what = say("type %d, field %zu is %g", type, at, values[i]);
        put_field(bad, at, 8, ref_bits(REF_F64, values[i]));
        probe_stream(t, bad, (ghz_type)type, 1100, what);
        probe_operations(t, bad, good, (ghz_type)type, 1100, turn++, what);
        bytes_drop(&bad, 1);
      }
    for (size_t at = 0; at < 48; at++)
      for (unsigned v = 0; v < 256; v += at < 8 ? (unsigned)by_extent(t, 31, 9, 1) : 85) {
        ref_bytes bad = bytes_copied(good.data, good.size);
        const char *what = say("type %d, byte %zu is %u", type, at, v);
        bad.data[at] = (uint8_t)v;
        probe_stream(t, bad, (ghz_type)type, 1100, what);
        if (turn++ % 4 == 0)
          probe_operations(t, bad, good, (ghz_type)type, 1100, turn / 4, what);
        bytes_drop(&bad, 1);
      }
    bytes_drop(&good, 1);
  }
  still_works(t);
}

/* What a newer version might write is EVERSION, not ECORRUPT, wherever it stands. */
void check_hostile_newer_versions(trial *t) {
  static const struct {
    size_t at;
    uint8_t value;
  } news[] = {{4, 2}, {4, 255}, {5, 2}, {5, 129}, {7, 1}, {36, 1}, {39, 128}};
  ref_bytes good = stream_of(t, "walk", GHZ_F32, 1100, GHZ_ORDER_BEST, 1);
  for (size_t i = 0; i < COUNT(news); i++) {
    uint8_t *values;
    ref_bytes bad = bytes_copied(good.data, good.size), s[3] = {good, good, bad};
    bad.data[news[i].at] = news[i].value;
    const char *what = say("byte %zu is %u", news[i].at, news[i].value);
    reading r = {.type = GHZ_F32, .n = 1100, .source = bad, .out = GHZ_F32, .part = ALL};
    ghz_status status = gpu_read(t, &r, &values, what);
    expect(t, status == GHZ_EVERSION, "%s: status %d", what, (int)status);
    operation o = {.kind = SUM, .lattice.type = GHZ_F32, .n = 1100, .k = 3, .operands = s};
    made m = gpu_make(t, &o, room_for(&o), what);
    expect(t, m.status == GHZ_EVERSION && m.outcome.operand == 2, "%s: status %d, operand %u in a sum", what,
           (int)m.status, (unsigned)m.outcome.operand);
    bytes_drop(&bad, 1);
    bytes_drop(&m.bytes, 1);
    free(values);
  }
  good.data[0] = 'g';
  expect(t, probe_stream(t, good, GHZ_F32, 1100, "another magic") == GHZ_ECORRUPT, "another magic");
  bytes_drop(&good, 1);
  still_works(t);
}

/* Counts and payloads of any size; also those that the caller believes. */
void check_hostile_counts(trial *t) {
  static const size_t believed[] = {0, 1, 1024, 2000, 16385, 1000000, TRIAL_VALUES};
  ref_bytes good = stream_of(t, "walk", GHZ_F32, 1100, GHZ_ORDER_BEST, 1);
  unsigned turn = 0;
  for (int shift = 0; shift < 64; shift += by_extent(t, 9, 1, 1))
    for (int by = -1; by <= 1; by++) {
      ref_bytes bad = bytes_copied(good.data, good.size);
      const char *what = say("count 2^%d %+d", shift, by);
      put_field(bad, 8, 8, ((uint64_t)1 << shift) + (uint64_t)(int64_t)by);
      probe_stream(t, bad, GHZ_F32, 1100, what);
      probe_operations(t, bad, good, GHZ_F32, 1100, turn++, what);
      memcpy(bad.data, good.data, 48);
      put_field(bad, 40, 8, ((uint64_t)1 << shift) + (uint64_t)(int64_t)by);
      probe_stream(t, bad, GHZ_F32, 1100, say("payload 2^%d %+d", shift, by));
      put_field(bad, 40, 8, UINT64_MAX - (uint64_t)shift);
      probe_stream(t, bad, GHZ_F32, 1100, say("payload %d below 2^64", shift));
      bytes_drop(&bad, 1);
    }
  for (size_t i = 0; i < COUNT(believed); i++) {
    ref_bytes bad = bytes_copied(good.data, good.size);
    const char *what = say("%zu values announced and believed", believed[i]);
    put_field(bad, 8, 8, believed[i]);
    probe_stream(t, bad, GHZ_F32, believed[i], what);
    probe_operations(t, bad, bad, GHZ_F32, believed[i], turn++, what);
    bytes_drop(&bad, 1);
  }
  bytes_drop(&good, 1);
  still_works(t);
}

/* ---- The index ---- */

/* A device looks at the index of the chunks that it reads alone: what is damaged elsewhere it need not refuse,
 * if the values are the right ones. */
static void probe_range(trial *t, ref_bytes bad, ref_bytes good, size_t n, uint64_t first, const char *what) {
  enum { SOME = 3000 };
  reading r = {GHZ_F32, n, bad, GHZ_F32, RANGE, first, SOME, 0}, undamaged = r;
  float want[SOME];
  uint8_t *got;
  undamaged.source = good;
  ghz_status wanted = verdict(t, &r, want), status = gpu_read(t, &r, &got, what);
  expect(t, status == wanted || (status == GHZ_OK && refusal(wanted)), "%s: status %d, should be %d", what,
         (int)status, (int)wanted);
  if (wanted != GHZ_OK)
    cpu_read(t, &undamaged, want);
  if (status == GHZ_OK)
    same_values(t, got, want, SOME, GHZ_F32, what);
  free(got);
}

void check_hostile_index(trial *t) {
  enum { N = 40000, OFFSETS = 48, SIZES = 80, END = SIZES + 2 * 40 };
  ref_bytes good = stream_of(t, "walk", GHZ_F32, N, GHZ_ORDER_BEST, 1);
  uint64_t state = 6;
  for (int round = 0; round < by_extent(t, 30, 120, 2000); round++) {
    ref_bytes bad = bytes_copied(good.data, good.size);
    size_t at = OFFSETS + (size_t)input_below(&state, END - OFFSETS);
    const char *what = say("round %d, byte %zu of the index", round, at);
    if (round % 3 == 0) { /* what one tile loses another gains: nothing but the tiles can tell */
      size_t one = SIZES + 2 * (size_t)input_below(&state, 16),
             other = SIZES + 2 * (size_t)input_below(&state, 16);
      put_field(bad, one, 2, field(bad, one, 2) - 1);
      put_field(bad, other, 2, field(bad, other, 2) + 1);
    } else
      bad.data[at] = (uint8_t)(bad.data[at] + 1 + input_below(&state, 255));
    probe_stream(t, bad, GHZ_F32, N, what);
    if (round % 4 == 0)
      probe_operations(t, bad, good, GHZ_F32, N, (unsigned)round / 4, what);
    if (round % 4 == 1)
      probe_range(t, bad, good, N, input_below(&state, N - 3000), say("%s, a range", what));
    bytes_drop(&bad, 1);
  }
  bytes_drop(&good, 1);
  still_works(t);
}

/* ---- Random damage ---- */

static void mutate(ref_bytes *b, uint64_t *state) {
  static const size_t windows[3] = {48, 200, SIZE_MAX};
  static const uint64_t counts[] = {0,     1,      (uint64_t)1 << 63, UINT64_MAX, UINT64_MAX - 1023, 1024, 1025,
                                    16384, 1 << 20};
  size_t window = windows[input_below(state, 3)];
  size_t at = (size_t)input_below(state, b->size < window ? b->size : window);
  switch (input_below(state, 6)) {
  case 0:
    b->data[at] = (uint8_t)input_random(state);
    break;
  case 1:
    b->data[at] = input_below(state, 2) ? 0 : 255;
    break;
  case 2:
    b->data[at] = (uint8_t)(b->data[at] + (input_below(state, 2) ? 1 : -1));
    break;
  case 3:
    b->size = (size_t)input_below(state, b->size) + 1;
    break;
  case 4:
    if (b->size >= 48)
      put_field(*b, input_below(state, 2) ? 8 : 40, 8, counts[input_below(state, COUNT(counts))]);
    break;
  default:
    b->data[at] = (uint8_t)(b->data[at] ^ (1 << input_below(state, 8)));
  }
}

void check_hostile_random_damage(trial *t) {
  static const char *const makers[] = {"mixture",     "specials",  "walk",
                                       "random_bits", "land_mask", "rare_giants"};
  uint64_t state = 71;
  for (size_t m = 0; m < COUNT(makers); m++)
    for (int type = 0; type < 2; type++) {
      size_t n = m == 2 ? 17500 : 2500;
      ref_bytes good = stream_of(t, makers[m], (ghz_type)type, n, GHZ_ORDER_BEST, m);
      for (int round = 0; round < by_extent(t, 10, 50, 1000) / (m == 2 ? 4 : 1); round++) {
        const char *what = say("%s, type %d, state %llx", makers[m], type, (unsigned long long)state);
        ref_bytes bad = bytes_copied(good.data, good.size);
        for (uint64_t k = 1 + input_below(&state, 4); k > 0; k--)
          mutate(&bad, &state);
        probe_stream(t, bad, (ghz_type)type, n, what);
        probe_operations(t, bad, good, (ghz_type)type, n, (unsigned)round, what);
        bytes_drop(&bad, 1);
      }
      bytes_drop(&good, 1);
    }
  still_works(t);
}

void check_hostile_random_bytes(trial *t) {
  uint64_t state = 72;
  ref_bytes good = stream_of(t, "walk", GHZ_F32, 100, GHZ_ORDER_BEST, 1);
  for (int round = 0; round < by_extent(t, 60, 600, 8000); round++) {
    ref_bytes bytes = bytes_of((size_t)input_below(&state, 400));
    const char *what = say("round %d", round);
    for (size_t i = 0; i < bytes.size; i++)
      bytes.data[i] = (uint8_t)input_random(&state);
    if (round % 2 && bytes.size >= 48)
      memcpy(bytes.data, good.data, 8 + 40 * (size_t)(round % 4 == 1));
    probe_stream(t, bytes, GHZ_F32, 100, what);
    if (round % 4 == 1)
      probe_operations(t, bytes, good, GHZ_F32, 100, (unsigned)round / 4, what);
    bytes_drop(&bytes, 1);
  }
  bytes_drop(&good, 1);
  still_works(t);
}

/* ---- Crafted tiles ---- */

static ref_bytes stream_with(const ref_header *h, const uint8_t *tile, size_t size) {
  uint16_t length = (uint16_t)size;
  return ref_assemble(h, &length, tile);
}

/* Every first byte, with lengths and maps that mostly lead somewhere. */
void check_hostile_tile_beginnings(trial *t) {
  ref_header h = {.type = REF_F32, .cap = 35, .n = 100, .step = 0.5, .eb = 0.26, .terms = 1};
  ghz_lattice l = {GHZ_F32, 35, 0.5, 0.26};
  float ramp[100];
  uint64_t state = 5;
  unsigned turn = 0;
  for (int i = 0; i < 100; i++)
    ramp[i] = (float)i;
  ref_bytes good = cpu_compressed(t, &l, 1, ramp, 100);
  for (int first = 0; first < 256; first++)
    for (int second = first & 7; second < 256; second += by_extent(t, 61, 41, 2)) {
      uint8_t tile[150] = {(uint8_t)first, (uint8_t)second};
      size_t size = 1 + (size_t)input_below(&state, 149);
      for (size_t i = 2; i < size; i++)
        tile[i] = input_below(&state, 4) ? 0 : (uint8_t)input_random(&state);
      ref_bytes bytes = stream_with(&h, tile, size);
      const char *what = say("%02x %02x, %zu bytes", (unsigned)first, (unsigned)second, size);
      probe_stream(t, bytes, GHZ_F32, 100, what);
      if (turn++ % 4 == 0)
        probe_operations(t, bytes, good, GHZ_F32, 100, turn / 4, what);
      bytes_drop(&bytes, 1);
    }
  bytes_drop(&good, 1);
  still_works(t);
}

/* A tile of one block with a given width, filled with a byte. */
static size_t wide_tile(uint8_t *out, int mode, int order, int width, uint8_t fill) {
  int planes = ref_bit_length((uint64_t)width);
  size_t used = 0;
  out[used++] = (uint8_t)(order | mode << 3 | planes << 5);
  for (int k = 0; k < planes; k++) {
    memset(out + used, 0, 16);
    out[used] = (uint8_t)((width >> k) & 1);
    used += 16;
  }
  for (int p = 0; p < width; p++)
    out[used++] = p == width - 1 ? fill : (uint8_t)(37 * p + fill);
  return used;
}

/* Widths up to and beyond the limit min(62, b + order + 1 + bitlength(terms)), sums of them included. */
void check_hostile_widths(trial *t) {
  static const uint32_t terms[] = {1, 2, 255, 16383, 8388607};
  unsigned turn = 0;
  for (int which = 0; which < 3; which++)
    for (int mode = 0; mode < 3; mode++)
      for (int order = 0; order < 3; order++)
        for (size_t k = 0; k < COUNT(terms); k++)
          for (int width = 14; width <= 63; width++) {
            ref_header h = {which > 0, 0, which == 2 ? 44 : 35, 8, 0.5, 0.26, terms[k]};
            if ((which == 2 && terms[k] > 16383) || turn++ % (unsigned)by_extent(t, 67, 11, 1))
              continue;
            uint8_t tile[256];
            size_t size = wide_tile(tile, mode, order, width, order == 2 ? 0xb4 : 0x5a);
            ref_bytes bytes = stream_with(&h, tile, size), ones = stream_with(&h, (uint8_t[]){5, 1, 7}, 3);
            const char *what =
                say("kind %d, mode %d, order %d, terms %u, width %d", which, mode, order, terms[k], width);
            probe_stream(t, bytes, (ghz_type)h.type, 8, what);
            probe_operations(t, bytes, ones, (ghz_type)h.type, 8, turn, what);
            bytes_drop(&bytes, 1);
            bytes_drop(&ones, 1);
          }
  still_works(t);
}

/* A short tile that is larger than any of its length must not be copied into a result, whose bound it would
 * break. */
void check_hostile_short_tile(trial *t) {
  static const size_t sizes[] = {22, 23, 100, 3000, 8338, 8339, 65535};
  ref_header h = {.type = REF_F32, .cap = 35, .n = 5, .step = 0.5, .eb = 0.26, .terms = 1};
  static uint8_t tile[65535];
  for (size_t i = 0; i < COUNT(sizes); i++)
    for (int fill = 0; fill < 256; fill += by_extent(t, 85, 17, 1)) {
      memset(tile, fill, sizes[i]);
      ref_bytes bytes = stream_with(&h, tile, sizes[i]);
      const char *what = say("5 values in %zu bytes of %02x", sizes[i], (unsigned)fill);
      probe_stream(t, bytes, GHZ_F32, 5, what);
      for (unsigned turn = 0; turn < 5; turn++)
        probe_operations(t, bytes, bytes, GHZ_F32, 5, turn, what);
      bytes_drop(&bytes, 1);
    }
  still_works(t);
}

/* ---- Many operands, in place, messages ---- */

/* One damaged among many. */
void check_hostile_operands(trial *t) {
  uint64_t state = 73;
  for (int round = 0; round < by_extent(t, 15, 150, 1500); round++) {
    ghz_type type = (ghz_type)(round % 2);
    ref_bytes s[4];
    for (size_t i = 0; i < 4; i++)
      s[i] = stream_of(t, i % 2 ? "mixture" : "specials", type, 3000, (int)i - 1, i);
    const char *what = say("round %d, state %llx", round, (unsigned long long)state);
    mutate(&s[input_below(&state, 4)], &state);
    operation o = {.kind = round % 3 ? SUM : MEAN, .lattice.type = type, .n = 3000, .k = 4, .operands = s};
    probe_operation(t, &o, what);
    bytes_drop(s, 4);
  }
  still_works(t);
}

/* acc += x on both sides. */
static void probe_accumulate(trial *t, ref_bytes acc, ref_bytes x, ghz_type type, size_t n, const char *what) {
  size_t capacity = ghz_size_bound(n, type, 8);
  ref_bytes want = bytes_of(capacity);
  memset(want.data, 0x55, capacity);
  memcpy(want.data, acc.data, acc.size);
  device_memory there = device_output(t, capacity, 0), operand = device_input(t, x.data, x.size, 0);
  cudaMemcpyAsync(there.data, want.data, capacity, cudaMemcpyHostToDevice, t->stream);
  cudaStreamSynchronize(t->stream);
  size_t size = trimmed(want, 0).size;
  int other = another_array(want, type, n) || another_array(x, type, n);
  ghz_status wanted = ghz_accumulate(t->cpu, want.data, capacity, &size, viewed(trimmed(x, 0)));
  ghz_cuda_outcome outcome;
  ghz_status status =
      ghz_cuda_accumulate(t->gpu, type, n, there.data, capacity, device_view(&operand), t->outcome, t->stream);
  if (status == GHZ_OK)
    status = gpu_wait(t, &outcome);
  device_guards(t, &there, what);
  if (wanted == GHZ_OK && !other) {
    if (expect(t, status == GHZ_OK, "%s: status %d where the CPU succeeds", what, (int)status)) {
      ref_bytes got = {device_read(t, &there, (size_t)outcome.size), (size_t)outcome.size};
      same_bytes(t, got, (ref_bytes){want.data, size}, what);
      bytes_drop(&got, 1);
    }
  } else
    expect(t, refusal(status), "%s: status %d where the CPU says %d", what, (int)status, (int)wanted);
  device_free(&there);
  device_free(&operand);
  bytes_drop(&want, 1);
}

void check_hostile_accumulate(trial *t) {
  uint64_t state = 74;
  for (int round = 0; round < by_extent(t, 20, 120, 2000); round++) {
    ghz_type type = (ghz_type)(round % 2);
    size_t n = round % 5 ? 2500 : 20000;
    ref_bytes acc = stream_of(t, "mixture", type, n, -1, 1), x = stream_of(t, "walk", type, n, 2, 2);
    const char *what = say("round %d, state %llx", round, (unsigned long long)state);
    mutate(round % 3 ? &acc : &x, &state);
    probe_accumulate(t, acc, x, type, n, what);
    bytes_drop(&acc, 1);
    bytes_drop(&x, 1);
  }
  still_works(t);
}

void check_hostile_messages(trial *t) {
  enum { N = 20000, FIRST = 3, TILES = 4 };
  uint64_t state = 8;
  ref_bytes stream = stream_of(t, "specials", GHZ_F32, N, GHZ_ORDER_BEST, 1);
  ghz_slice slice;
  ghz_slice_view(viewed(stream), FIRST, TILES, &slice);
  ref_bytes good = bytes_of(ghz_slice_size(&slice));
  size_t size;
  ghz_slice_pack(&slice, good.data, good.size, &size);
  for (int round = 0; round < by_extent(t, 40, 300, 5000); round++) {
    ref_bytes bad = bytes_copied(good.data, good.size), pair[2] = {good, bad};
    size_t at = (size_t)input_below(&state, round % 2 ? 72 : bad.size);
    bad.data[at] = (uint8_t)input_random(&state);
    if (round % 7 == 0)
      bad.size = (size_t)input_below(&state, bad.size);
    if (round % 7 == 1)
      put_field(bad, 40 + 8 * (size_t)input_below(&state, 3), 8,
                input_random(&state) >> input_below(&state, 64));
    pair[1] = bad;
    const char *what = say("round %d, byte %zu", round, at);
    reading r = {GHZ_F32, N, bad, GHZ_F32, MESSAGE, FIRST, TILES, 0};
    probe(t, &r, what);
    operation o = {.kind = SLICE_SUM,
                   .lattice.type = GHZ_F32,
                   .n = N,
                   .k = 2,
                   .operands = pair,
                   .first = FIRST,
                   .tiles = TILES,
                   .divisor = 1};
    /* One message alone may be right, and say that it holds other tiles than these: the CPU then takes it by its word. */
    if (round % 4 == 1 && memcmp((const uint8_t *)bad.data + 48, (const uint8_t *)good.data + 48, 16) == 0) {
      o.k = 1;
      o.operands = &bad;
      o.divisor = 3;
    }
    if (round % 3)
      probe_operation(t, &o, say("%s, sum", what));
    bytes_drop(&bad, 1);
  }
  reading r = {GHZ_F32, N, stream, GHZ_F32, MESSAGE, 0, 20, 0};
  probe(t, &r, "a stream is no message");
  probe_stream(t, good, GHZ_F32, N, "a message is no stream");
  bytes_drop(&good, 1);
  bytes_drop(&stream, 1);
  still_works(t);
}

/* ---- What the outcome says ---- */

/* Mode 3 does not exist. */
static void spoil_tile(ref_bytes stream, uint64_t tile) {
  size_t size;
  const uint8_t *p = ref_tile_at(stream.data, tile, &size);
  stream.data[p - stream.data] |= 0x18;
}

void check_hostile_names_the_tile(trial *t) {
  enum { N = 40000 };
  static const uint64_t places[] = {0, 1, 7, 8, 15, 16, 31, 32, 38, 39};
  ref_bytes good = stream_of(t, "small_noise", GHZ_F32, N, 1, 1);
  for (size_t i = 0; i < COUNT(places); i++) {
    ref_bytes bad = bytes_copied(good.data, good.size), s[3] = {good, good, good};
    const char *what = say("tile %llu", (unsigned long long)places[i]);
    spoil_tile(bad, places[i]);
    expect(t, probe_stream(t, bad, GHZ_F32, N, what) == GHZ_ECORRUPT, "%s: not damaged", what);
    expect(t, t->outcome->tile == places[i], "%s: the outcome names tile %llu", what,
           (unsigned long long)t->outcome->tile);
    expect(t, t->outcome->operand == 0 || t->outcome->operand == UINT32_MAX, "%s: the outcome names operand %u",
           what, (unsigned)t->outcome->operand);
    s[i % 3] = bad;
    operation o = {.kind = SUM, .lattice.type = GHZ_F32, .n = N, .k = 3, .operands = s};
    made m = gpu_make(t, &o, room_for(&o), what);
    expect(t, m.status == GHZ_ECORRUPT && m.outcome.tile == places[i] && m.outcome.operand == i % 3,
           "%s of operand %zu: status %d, tile %llu, operand %u", what, i % 3, (int)m.status,
           (unsigned long long)m.outcome.tile, (unsigned)m.outcome.operand);
    bytes_drop(&m.bytes, 1);
    bytes_drop(&bad, 1);
  }
  bytes_drop(&good, 1);
  still_works(t);
}
