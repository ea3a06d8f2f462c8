/* checks_codec.c: compression and decompression on the device give what the CPU gives. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "checks.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* All values, in every type that they can be had in. */
static void decompress_both(trial *t, ref_bytes stream, ghz_type type, size_t n, size_t shift,
                            const char *what) {
  for (int out = (int)type; out <= GHZ_F64; out++) {
    reading r = {.type = type, .n = n, .source = stream, .out = (ghz_type)out, .part = ALL, .shift = shift};
    agree_values(t, &r, say("%s, to type %d", what, out));
  }
}

/* ---- Decompression ---- */
static void range_of_both(trial *t, ref_bytes stream, ghz_type type, size_t n, uint64_t first, size_t count,
                          size_t shift) {
  for (int out = (int)type; out <= GHZ_F64; out++) {
    reading r = {.type = type,
                 .n = n,
                 .source = stream,
                 .out = (ghz_type)out,
                 .part = RANGE,
                 .first = first,
                 .count = count,
                 .shift = shift};
    agree_values(t, &r,
                 say("type %d to %d, values %llu + %zu, shift %zu", (int)type, out, (unsigned long long)first,
                     count, shift));
  }
}

/* ---- Compression, and back ---- */
static void compress_both(trial *t, const ghz_lattice *l, int order, const void *x, size_t n, size_t shift,
                          const char *what) {
  operation o = {.kind = COMPRESS, .lattice = *l, .order = order, .x = x, .n = n, .shift = shift};
  agree(t, &o, what);
}

static void both_ways(trial *t, const ghz_lattice *l, int order, const void *x, size_t n, size_t shift,
                      const char *what) {
  SCOPE;
  compress_both(t, l, order, x, n, shift, what);
  decompress_both(t, compress(t->cpu, l, order, x, n), l->type, n, shift, what);
}

static const size_t lengths[] = {0,    1,    2,    3,    7,     8,     9,     31,    32,    33,    63,
                                 64,   65,   1000, 1016, 1023,  1024,  1025,  2047,  2048,  2049,  5000,
                                 8191, 8192, 8193, 9217, 15360, 16383, 16384, 16385, 17000, 32768, 40000};

void check_compress_lengths(trial *t) {
  static const char *const makers[] = {"mixture", "walk", "sparse"};
  for (size_t k = 0; k < COUNT(lengths); k++)
    for (int type = GHZ_F32; type <= GHZ_F64; type++)
      for (int order = GHZ_ORDER_BEST; order <= 2; order++) {
        SCOPE;
        if ((t->extent == QUICK || lengths[k] > 20000) && order != (int)k % 4 - 1)
          continue;
        ghz_lattice l = lattice_abs((ghz_type)type, 0.02);
        const char *maker = makers[(k + (size_t)(order + 1)) % 3];
        void *x = input_make(input_named(maker), l.type, lengths[k], l.step, 90 + k);
        both_ways(t, &l, order, x, lengths[k], 0,
                  say("%s, type %d, order %d, n %zu", maker, type, order, lengths[k]));
      }
}

/* Every third one of float32 has coarse integers of 18 to 22 bits. */
static ghz_lattice lattice_of_input(ghz_type type, size_t in) {
  const double eb = in % 2 ? 0.02 : 700;
  return type == GHZ_F32 && in % 3 == 0 ? lattice_offset(eb, ldexp(1.3, 17 + (int)(in / 3 % 6)))
                                        : lattice_abs(type, eb);
}

void check_compress_inputs(trial *t) {
  size_t n = t->extent == QUICK ? 1300 : 2500;
  for (int type = GHZ_F32; type <= GHZ_F64; type++)
    for (size_t in = 0; in < input_count; in++)
      for (int order = GHZ_ORDER_BEST; order <= 2; order++) {
        SCOPE;
        if (t->extent == QUICK && order != (int)in % 4 - 1)
          continue;
        ghz_lattice l = filled(lattice_of_input((ghz_type)type, in), in / 2);
        l.cap = type == GHZ_F64 && in % 3 == 0 ? 35 : l.cap;
        void *x = input_make(&inputs[in], l.type, n, l.step, in);
        plant_fill(&l, x, n, in);
        both_ways(t, &l, order, x, n, 0, say("%s, type %d, order %d", inputs[in].name, type, order));
      }
}

/* Steps up to the edges of the type, and 0, for which everything is raw. */
void check_compress_bounds(trial *t) {
  static const double bounds[] = {1e-45,    1e-37,  4e-37, 5e35,    1e36,     1e38, 1e-310,
                                  4.9e-324, 1e-301, 1e301, 1.7e308, 0x1p-121, 1.3,  4.5e-3};
  for (int type = GHZ_F32; type <= GHZ_F64; type++)
    for (size_t b = 0; b < COUNT(bounds); b++)
      for (size_t in = b % (size_t)by_extent(t, 9, 2, 1); in < input_count;
           in += (size_t)by_extent(t, 9, 2, 1)) {
        ghz_lattice l = lattice_filled((ghz_type)type, bounds[b], in);
        void *x = input_make(&inputs[in], l.type, 1100, l.step, in);
        plant_fill(&l, x, 1100, in);
        compress_both(t, &l, GHZ_ORDER_BEST, x, 1100, 0,
                      say("%s, type %d, bound %g", inputs[in].name, type, bounds[b]));
      }
}

/* The lattice of a constant is coarser than its bound: only multiples of the step lie on it. */
void check_compress_constants(trial *t) {
  static const double constants[] = {1, -3.14159, 1e-30, -1e30, 1e36, 65536.5, 0, 1e-37, 2e38};
  enum { N = 3100 };
  for (int type = GHZ_F32; type <= GHZ_F64; type++)
    for (size_t c = 0; c < COUNT(constants); c++)
      for (int other = 0; other < 4; other++) {
        SCOPE;
        double value = type == GHZ_F32 ? (double)(float)constants[c] : constants[c];
        void *x = bytes_new(N * ghz_type_size((ghz_type)type)).data;
        ghz_lattice l;
        for (size_t i = 0; i < N; i++)
          put_value((ghz_type)type, x, i, value);
        need(ghz_lattice_for(t->cpu, (ghz_type)type, (ghz_bound){GHZ_REL, 1e-4}, NULL, 1, (const void *[]){x},
                             N, &l),
             "lattice");
        if (other == 1) /* still on it */
          put_value((ghz_type)type, x, 1500, ldexp(value, 14));
        if (other == 2) /* off it: its tile is raw */
          put_value((ghz_type)type, x, 1500, value * 1.5);
        if (other == 3)
          put_value((ghz_type)type, x, 2047, NAN);
        compress_both(t, &l, GHZ_ORDER_BEST, x, N, 0,
                      say("constant %g, type %d, other %d", value, type, other));
      }
}

/* Grids: multiples in coarse, fine and wide tiles, and a value beside them. */
void check_compress_grids(trial *t) {
  static const double steps[] = {0.01, 0x1p-5, 7}, most[] = {90, 60000, 2000000, 9000000};
  enum { N = 3100 };
  for (int type = GHZ_F32; type <= GHZ_F64; type++)
    for (size_t s = 0; s < COUNT(steps); s++)
      for (size_t m = 0; m < COUNT(most); m++) {
        SCOPE;
        uint64_t state = m + 1;
        void *x = bytes_new(N * ghz_type_size((ghz_type)type)).data;
        ghz_lattice l;
        need(ghz_lattice_make((ghz_type)type, (ghz_bound){GHZ_STEP, steps[s]}, 0, 0, &l), "lattice");
        for (size_t i = 0; i < N; i++)
          put_value((ghz_type)type, x, i, floor(most[m] - 20 * fabs(input_uniform(&state))) * l.step);
        put_value((ghz_type)type, x, 2000, 0.4 * l.step);
        put_value((ghz_type)type, x, 5, NAN);
        compress_both(t, &l, GHZ_ORDER_BEST, x, N, 0,
                      say("grid of %g, type %d, up to %g", steps[s], type, most[m]));
      }
}

void check_compress_unaligned(trial *t) {
  static const size_t counts[] = {5, 1024, 1031, 5000};
  for (int type = GHZ_F32; type <= GHZ_F64; type++)
    for (size_t shift = 0; shift < (t->extent == QUICK ? 4 : 9); shift++)
      for (size_t k = 0; k < COUNT(counts); k++) {
        SCOPE;
        ghz_lattice l = lattice_abs((ghz_type)type, 0.1);
        void *x = input_make(&inputs[0], l.type, counts[k], l.step, shift);
        both_ways(t, &l, GHZ_ORDER_BEST, x, counts[k], shift,
                  say("type %d, %zu values, %zu behind an aligned one", type, counts[k], shift));
      }
}

/* ---- Special values at chosen places ---- */
static int special_here(int pattern, size_t i, size_t n) {
  switch (pattern) {
  case 0: return i == 0;
  case 1: return i + 1 == n;
  case 2: return 1;
  case 3: return (int)(i % 2);
  case 4: return i / GHZ_TILE == 1;
  case 5: return i % GHZ_TILE == 0 || i % GHZ_TILE == 1023;
  case 6: return i % 32 == 31 || i % 32 == 0;
  default: return i % 8 == 7;
  }
}

void check_compress_specials(trial *t) {
  static const double values[] = {NAN, INFINITY, -INFINITY, -0.0, 0x1p-149, -0x1p-1074, 0x1p-140};
  static const char *const makers[] = {"walk", "fine_noise", "zeros"};
  size_t n = 2600;
  for (int type = GHZ_F32; type <= GHZ_F64; type++)
    for (size_t v = 0; v < COUNT(values); v++)
      for (int pattern = 0; pattern < 8; pattern++)
        for (size_t m = 0; m < 3; m++) {
          SCOPE;
          if (t->extent == QUICK && (v + (size_t)pattern + m) % 7)
            continue;
          ghz_lattice l = lattice_abs((ghz_type)type, 0.02);
          void *x = input_make(input_named(makers[m]), l.type, n, l.step, v);
          for (size_t i = 0; i < n; i++)
            if (special_here(pattern, i, n))
              put_value(l.type, x, i, values[v]);
          compress_both(t, &l, (int)((v + m) % 4) - 1, x, n, 0,
                        say("%g in %s, pattern %d, type %d", values[v], makers[m], pattern, type));
        }
}

/* ---- Widths, random cases, size ---- */
void check_compress_widths(trial *t) {
  for (int type = GHZ_F32; type <= GHZ_F64; type++)
    for (int bits = 0; bits <= 44; bits += by_extent(t, 9, 3, 1))
      for (int order = GHZ_ORDER_BEST; order <= 2; order++) {
        SCOPE;
        ghz_lattice l = lattice_abs((ghz_type)type, 0.3);
        size_t n = 2 * GHZ_TILE + 100 * (size_t)(order + 1);
        void *x = ragged(l.type, n, l.step, bits, (uint64_t)bits);
        compress_both(t, &l, order, x, n, 0, say("amplitudes to 2^%d, type %d, order %d", bits, type, order));
      }
}

void check_compress_random(trial *t) {
  uint64_t state = 17;
  for (int round = 0; round < by_extent(t, 30, 200, 1500); round++) {
    SCOPE;
    ghz_type type = (ghz_type)input_below(&state, 2);
    ghz_lattice l =
        lattice_abs(type, ldexp(1.5 + input_uniform(&state) / 2, (int)input_below(&state, 200) - 100));
    size_t n = (size_t)input_below(&state, t->extent == QUICK ? 3000 : 9000);
    size_t in = (size_t)input_below(&state, input_count), shift = (size_t)input_below(&state, 5);
    uint64_t seed = input_random(&state);
    int order = (int)input_below(&state, 4) - 1;
    void *x = input_make(&inputs[in], type, n, l.step, seed);
    compress_both(t, &l, order, x, n, shift,
                  say("round %d: %s, type %d, n %zu, order %d, eb %a, seed %llx, shift %zu", round,
                      inputs[in].name, (int)type, n, order, l.eb, (unsigned long long)seed, shift));
  }
}

static const size_t many[] = {100000, 262145, 999999, 3000001, 8000000};

static size_t sizes_of(const trial *t) { return (size_t)by_extent(t, 1, 2, COUNT(many)); }

void check_compress_many_values(trial *t) {
  static const char *const makers[] = {"mixture", "walk", "rare_giants"};
  for (size_t k = 0; k < sizes_of(t); k++)
    for (int type = GHZ_F32; type <= GHZ_F64; type++) {
      SCOPE;
      const char *maker = makers[(k + (size_t)type) % 3];
      ghz_lattice l = lattice_abs((ghz_type)type, 0.5);
      void *x = input_make(input_named(maker), l.type, many[k], l.step, k);
      both_ways(t, &l, GHZ_ORDER_BEST, x, many[k], k % 3, say("%s, %zu values, type %d", maker, many[k], type));
      range_of_both(t, compress(t->cpu, &l, GHZ_ORDER_BEST, x, many[k]), l.type, many[k], many[k] / 3,
                    many[k] / 2, 1);
    }
}

/* ---- Range of values ---- */
static void range_both(trial *t, ghz_type type, const void *x, size_t n, size_t shift, const char *what) {
  size_t each = ghz_type_size(type);
  double want[2] = {0, 0};
  device_memory in = device_input(t, x, n * each, shift * each), out = device_output(t, sizeof want, 0);
  ghz_status status = ghz_cuda_range(t->gpu, type, in.data, n, (double *)(void *)out.data, t->stream);
  ghz_range(t->cpu, type, x, n, &want[0], &want[1]);
  if (expect(t, status == GHZ_OK, "%s: status %d, %s", what, (int)status, ghz_cuda_message(t->gpu))) {
    double *got = (double *)(void *)device_read(t, &out, sizeof want);
    expect(t, got[0] == want[0] && got[1] == want[1], "%s: range %a, %a, should be %a, %a", what, got[0],
           got[1], want[0], want[1]);
  }
  device_guards(t, &out, what);
}

void check_value_range(trial *t) {
  static const size_t counts[] = {0, 1, 2, 33, 1025, 20000};
  for (int type = GHZ_F32; type <= GHZ_F64; type++)
    for (size_t in = 0; in < input_count; in++)
      for (size_t k = 0; k < COUNT(counts); k++) {
        SCOPE;
        if ((t->extent == QUICK || counts[k] > 2000) && (in + k) % 6)
          continue;
        void *x = input_make(&inputs[in], (ghz_type)type, counts[k], 0.37, in);
        range_both(t, (ghz_type)type, x, counts[k], in % 4,
                   say("%s, type %d, n %zu", inputs[in].name, type, counts[k]));
      }
  size_t n = many[sizes_of(t) - 1];
  for (int type = GHZ_F32; type <= GHZ_F64; type++) {
    SCOPE;
    void *x = input_make(input_named("walk"), (ghz_type)type, n, 0.37, 1);
    put_value((ghz_type)type, x, n - 1, -1e30);
    range_both(t, (ghz_type)type, x, n, 1, say("walk, type %d, n %zu", type, n));
  }
}

void check_decompress_ranges(trial *t) {
  enum { N = 40100 };
  static const uint64_t edges[] = {0, 1, 1023, 1024, 1025, 16383, 16384, 16385, 32767, 32768, 40000, N - 1, N};
  for (int type = GHZ_F32; type <= GHZ_F64; type++) {
    SCOPE;
    ghz_lattice l = lattice_abs((ghz_type)type, 0.02);
    ref_bytes stream = stream_of(t->cpu, &l, GHZ_ORDER_BEST, "mixture", N, 3);
    uint64_t state = 9;
    for (size_t i = 0; i < COUNT(edges); i++)
      for (size_t j = i; j < COUNT(edges); j++)
        if (t->extent != QUICK || (i * 7 + j) % 11 == 0)
          range_of_both(t, stream, l.type, N, edges[i], (size_t)(edges[j] - edges[i]), 0);
    for (int round = 0; round < by_extent(t, 15, 80, 1000); round++) {
      uint64_t first = input_below(&state, N);
      size_t most = round % 2 ? 60 : 9000, left = (size_t)(N - first);
      size_t count = (size_t)input_below(&state, (left < most ? left : most) + 1);
      range_of_both(t, stream, l.type, N, first, count, (size_t)round % 5);
    }
  }
}

/* Streams of many terms need integers of 64 bits; both sides write them. */
void check_decompress_many_terms(trial *t) {
  static const char *const makers[] = {"walk",       "coarse_noise", "fine_noise",
                                       "wide_noise", "specials",     "mixture"};
  static const int64_t factors[] = {2, 3, -7, 255, 16383, -32767, 1000003, 8388607};
  for (int which = 0; which < 3; which++) /* float32, float64 with both caps */
    for (size_t m = 0; m < COUNT(makers); m++)
      for (size_t f = 0; f < COUNT(factors); f++) {
        SCOPE;
        ghz_lattice l = lattice_abs((ghz_type)(which > 0), 0.37);
        l.cap = which == 1 ? 35 : l.cap;
        if ((which == 2 && llabs(factors[f]) > 16383) || (t->extent == QUICK && (m + f) % 5))
          continue;
        ref_bytes one = stream_of(t->cpu, &l, (int)(f % 4) - 1, makers[m], 2100, f);
        operation o = {COMBINE, .lattice = l, .n = 2100, .k = 1, .operands = &one, .coefficients = &factors[f]};
        const char *what = say("%s, kind %d, times %lld", makers[m], which, (long long)factors[f]);
        agree(t, &o, what);
        made cpu = cpu_make(t, &o), gpu = gpu_make(t, &o, room_for(&o), what);
        if (cpu.status == GHZ_OK)
          decompress_both(t, cpu.bytes, l.type, 2100, 0, what);
        if (gpu.status == GHZ_OK)
          decompress_both(t, gpu.bytes, l.type, 2100, 1, say("%s, by the device", what));
      }
}

/* What only the CPU makes: scaled streams, whose step has more bits, and extrema. */
void check_decompress_results(trial *t) {
  static const double factors[] = {-1, 0.1, 3.14159, -1.0 / 3};
  static const char *const makers[] = {"walk", "wide_noise", "specials", "land_mask", "mixture"};
  for (int type = GHZ_F32; type <= GHZ_F64; type++)
    for (size_t m = 0; m < COUNT(makers); m++)
      for (size_t f = 0; f < COUNT(factors); f++) {
        SCOPE;
        ghz_lattice l = lattice_abs((ghz_type)type, 0.37);
        ref_bytes a = stream_of(t->cpu, &l, -1, makers[m], 3000, 1),
                  b = stream_of(t->cpu, &l, 1, "specials", 3000, 2);
        ref_bytes room = bytes_new(2 * ghz_size_bound(3000, l.type, 2));
        size_t room_size = room.size;
        if (ghz_scale(t->cpu, view(a), factors[f], room.data, room_size, &room.size) == GHZ_OK)
          decompress_both(t, room, l.type, 3000, f, say("%s times %g", makers[m], factors[f]));
        if (ghz_maximum(t->cpu, view(a), view(b), room.data, room_size, &room.size) == GHZ_OK && f == 0)
          decompress_both(t, room, l.type, 3000, 0, say("maximum of %s", makers[m]));
      }
}

/* ---- Offsets of more than 32 bits ---- */
#ifndef GHZ_EMULATED
static int memory_for(size_t host, size_t device) {
  size_t available, total;
  long pages = sysconf(_SC_PHYS_PAGES), each = sysconf(_SC_PAGESIZE);
  return pages > 0 && each > 0 && (size_t)pages > host / (size_t)each &&
         cudaMemGetInfo(&available, &total) == cudaSuccess && available > device;
}

/* Random bits do not compress, so that the stream passes 4 GiB too. */
void check_beyond_4_gib(trial *t) {
  const size_t n = 1100000000, gib = (size_t)1 << 30;
  ghz_cuda *small = t->gpu;
  if (t->extent != FULL)
    return;
  if (!memory_for(48 * gib, 32 * gib)) {
    printf("  %s: skipped, too little memory\n", t->name);
    return;
  }
  if (expect(t, ghz_cuda_create(&t->gpu, n, 2) == GHZ_OK, "context: %s", ghz_cuda_message(NULL))) {
    ghz_lattice l = lattice_abs(GHZ_F32, 0.01);
    void *x = input_make(input_named("random_bits"), GHZ_F32, n, l.step, 1);
    compress_both(t, &l, GHZ_ORDER_BEST, x, n, 1, "random bits");
    ref_bytes stream = compress(t->cpu, &l, GHZ_ORDER_BEST, x, n);
    reading r = {.type = GHZ_F32, .n = n, .source = stream, .out = GHZ_F32, .part = ALL};
    agree_values(t, &r, "random bits");
    range_of_both(t, stream, GHZ_F32, n, n - 5000, 4000, 0);
    ghz_cuda_free(t->gpu);
  }
  t->gpu = small;
}
#endif
