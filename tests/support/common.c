/* common.c: what all tests of the codec share. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "common.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Memory ---- */
enum { BLOCKS = 16384 };
static _Thread_local struct {
  void *p;
  void (*release)(void *p);
} blocks[BLOCKS];
static _Thread_local size_t block_count;

void *scratch_held(void *p, void (*release)(void *p)) {
  if (block_count == BLOCKS || !p) {
    fprintf(stderr, p ? "a SCOPE is missing\n" : "no memory\n");
    abort();
  }
  blocks[block_count].release = release;
  return blocks[block_count++].p = p;
}

void *scratch(size_t size) { return scratch_held(malloc(size ? size : 1), free); }
size_t scratch_begin(void) { return block_count; }

void scratch_end(const size_t *begin) {
  while (block_count > *begin) {
    block_count--;
    blocks[block_count].release(blocks[block_count].p);
  }
}

ref_bytes bytes_new(size_t size) { return (ref_bytes){scratch(size), size}; }

ref_bytes bytes_copy(const void *data, size_t size) {
  ref_bytes bytes = bytes_new(size);
  if (size)
    memcpy(bytes.data, data, size);
  return bytes;
}

ghz_bytes view(ref_bytes bytes) { return (ghz_bytes){bytes.data, bytes.size}; }

uint64_t get_little(const uint8_t *p, int bytes) {
  uint64_t v = 0;
  for (int i = 0; i < bytes; i++)
    v |= (uint64_t)p[i] << (8 * i);
  return v;
}

void put_little(uint8_t *p, uint64_t v, int bytes) {
  for (int i = 0; i < bytes; i++)
    p[i] = (uint8_t)(v >> (8 * i));
}

int effort(int rounds) {
  const char *text = getenv("GHZ_TEST_EFFORT");
  int most = (int)((text ? atof(text) : 1) * rounds);
  return most > 1 ? most : 1;
}

unsigned one_in(void) { return effort(100) < 100 ? (unsigned)(100 / effort(100)) : 1; }

/* ---- Text ---- */
enum { LINES = 32 };

const char *say(const char *format, ...) {
  static char lines[LINES][256];
  static unsigned next;
  char *line = lines[next++ % LINES];
  va_list rest;
  va_start(rest, format);
  vsnprintf(line, sizeof lines[0], format, rest);
  va_end(rest);
  return line;
}

const char *bytes_differ(ref_bytes got, ref_bytes want) {
  size_t shorter = got.size < want.size ? got.size : want.size, at = 0;
  while (at < shorter && got.data[at] == want.data[at])
    at++;
  if (at == shorter && got.size == want.size)
    return NULL;
  return say("byte %zu is %02x, should be %02x; sizes %zu, should be %zu", at,
             at < got.size ? (unsigned)got.data[at] : 0u, at < want.size ? (unsigned)want.data[at] : 0u,
             got.size, want.size);
}

const char *values_differ(const void *got, const void *want, size_t n, ghz_type type) {
  size_t each = ghz_type_size(type), i = 0;
  if (n == 0 || memcmp(got, want, n * each) == 0)
    return NULL;
  while (memcmp((const char *)got + i * each, (const char *)want + i * each, each) == 0)
    i++;
  return say("value %zu of %zu is %a, should be %a", i, n, value_at(type, got, i), value_at(type, want, i));
}

/* ---- Contexts and lattices ---- */
void need(ghz_status status, const char *format, ...) {
  va_list rest;
  if (status == GHZ_OK)
    return;
  va_start(rest, format);
  vfprintf(stderr, format, rest);
  va_end(rest);
  fprintf(stderr, ": %s\n", ghz_status_text(status));
  abort();
}

static ghz_status try_context(const char *isa, int threads, ghz_context **ctx) {
  if (isa)
    setenv("GHZ_ISA", isa, 1);
  ghz_status status = ghz_context_create(ctx, threads);
  if (isa)
    unsetenv("GHZ_ISA");
  return status;
}

ghz_context *context_on(const char *isa, int threads) {
  ghz_context *ctx = NULL;
  need(try_context(isa, threads, &ctx), "context on %s", isa ? isa : "the best");
  return ctx;
}

void context_drop(ghz_context **ctx) { ghz_context_free(*ctx); }

enum { ISAS = 4, ISAS_KNOWN = 1 << ISAS };

static const char *const isa_names[ISAS] = {"scalar", "avx2", "avx512", "neon"};

static unsigned isas_present(void) {
  static unsigned present;
  for (unsigned i = 0; i < ISAS && !(present & ISAS_KNOWN); i++) {
    ghz_context *ctx = NULL;
    present |= (unsigned)(try_context(isa_names[i], 1, &ctx) == GHZ_OK) << i;
    ghz_context_free(ctx);
  }
  return present |= ISAS_KNOWN;
}

size_t isa_count(void) {
  size_t count = 0;
  for (unsigned i = 0; i < ISAS; i++)
    count += isas_present() >> i & 1;
  return count;
}

const char *isa_name(size_t i) {
  for (unsigned j = 0; j < ISAS; j++)
    if ((isas_present() >> j & 1) && i-- == 0)
      return isa_names[j];
  return NULL;
}

ghz_lattice lattice_abs(ghz_type type, double eb) {
  ghz_lattice lattice;
  need(ghz_lattice_make(type, (ghz_bound){GHZ_ABS, eb}, 0, 0, &lattice), "lattice for %g", eb);
  return lattice;
}

ghz_lattice lattice_offset(double eb, double magnitude) {
  ghz_lattice l;
  double max = eb * magnitude, range = max / 64;
  need(ghz_lattice_make(GHZ_F32, (ghz_bound){GHZ_REL, eb / range}, max - range, max, &l), "offset of %g", max);
  return l;
}

ghz_lattice filled(ghz_lattice l, uint64_t turn) {
  if (turn % 2)
    need(ghz_lattice_set_fill(&l, turn % 4 == 1 ? 0 : -999), "fill");
  return l;
}

ghz_lattice lattice_filled(ghz_type type, double eb, uint64_t turn) {
  ghz_lattice l = filled(lattice_abs(type, eb), turn);
  return l;
}

ghz_lattice lattice_any(uint64_t *state) {
  ghz_type type = (ghz_type)input_below(state, 2);
  double fraction = 1.5 + 0.5 * input_uniform(state);
  ghz_lattice l = lattice_abs(type, ldexp(fraction, (int)input_below(state, 30) - 15));
  if (l.type == GHZ_F64 && input_below(state, 3) == 0)
    l.cap = 35;
  if (l.type == GHZ_F32 && input_below(state, 3) == 0)
    l = lattice_offset(l.eb, ldexp(1 + (double)input_below(state, 64) / 64, 17 + (int)input_below(state, 6)));
  return l;
}

ghz_lattice lattice_with_fill(uint64_t *state) {
  ghz_lattice l = lattice_any(state);
  const double fills[] = {0, -0.0, 1e20, -999, 7 * l.step, l.step / 4};
  double fill = fills[input_below(state, COUNT(fills))];
  if (input_below(state, 3) == 0)
    need(ghz_lattice_set_fill(&l, ref_value((int)l.type, ref_bits((int)l.type, fill))), "fill %g", fill);
  return l;
}

ref_header header_for(const ghz_lattice *l, size_t n) {
  ref_header h = {.cap = l->cap,
                  .n = n,
                  .step = l->step,
                  .terms = 1,
                  .has_fill = l->has_fill,
                  .fill = l->has_fill ? l->fill : 0};
  ref_set_type(&h, (int)l->type, l->eb);
  return h;
}

/* ---- Values ---- */
double value_at(ghz_type type, const void *x, size_t i) {
  const size_t each = ref_any_size((int)type);
  if (type > GHZ_F64)
    return ref_any_value((int)type, get_little((const uint8_t *)x + i * each, (int)each));
  return type == GHZ_F32 ? (double)((const float *)x)[i] : ((const double *)x)[i];
}

void put_value(ghz_type type, void *x, size_t i, double value) {
  const size_t each = ref_any_size((int)type);
  if (type > GHZ_F64)
    put_little((uint8_t *)x + i * each, (uint64_t)(int64_t)value, (int)each);
  else if (type == GHZ_F32)
    ((float *)x)[i] = (float)value;
  else
    ((double *)x)[i] = value;
}

void plant_fill(const ghz_lattice *l, void *x, size_t n, uint64_t seed) {
  uint64_t one_in = (uint64_t[]){0, 1, 3, 3, 40, 1000}[input_below(&seed, 6)];
  int runs = (int)input_below(&seed, 2), on = 0;
  for (size_t i = 0; l->has_fill && one_in && i < n; i++) {
    if (!runs || input_below(&seed, 50) == 0)
      on = input_below(&seed, one_in) == 0;
    if (on)
      put_value(l->type, x, i, l->fill != 0 ? l->fill : i % 2 ? 0.0 : -0.0);
  }
}

int within(double x, double y, double eb) {
  /* d + e is exactly x - y; d alone decides unless it equals the bound. */
  double high = x > y ? x : y, low = x > y ? y : x;
  double d = high - low;
  double back = d - high;
  double e = (high - (d - back)) + (-low - back);
  return d < eb || (d == eb && e <= 0);
}

int kept_on(const ghz_lattice *l, const void *x, ghz_type out, const void *y, size_t i) {
  size_t each = ghz_type_size(out);
  double a = value_at(l->type, x, i), b = value_at(out, y, i);
  if (out > GHZ_F64)
    return a == b;
  if (isnan(a) || (l->has_fill && a == l->fill))
    return get_little((const uint8_t *)y + i * each, (int)each) ==
           ref_bits((int)out, l->has_fill ? l->fill : NAN);
  return isinf(a) ? a == b : within(a, b, l->eb);
}

int kept(ghz_type type, const void *x, ghz_type out, const void *y, size_t i, double eb) {
  const ghz_lattice l = {.type = type, .eb = eb};
  return kept_on(&l, x, out, y, i);
}
