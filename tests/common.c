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

static const char *const isa_names[3] = {"scalar", "avx2", "avx512"};

static unsigned isas_present(void) {
  static unsigned present;
  for (unsigned i = 0; i < 3 && !(present & 8); i++) {
    ghz_context *ctx = NULL;
    present |= (unsigned)(try_context(isa_names[i], 1, &ctx) == GHZ_OK) << i;
    ghz_context_free(ctx);
  }
  return present |= 8;
}

size_t isa_count(void) {
  unsigned present = isas_present();
  return (present & 1) + (present >> 1 & 1) + (present >> 2 & 1);
}

const char *isa_name(size_t i) {
  for (unsigned j = 0; j < 3; j++)
    if ((isas_present() >> j & 1) && i-- == 0)
      return isa_names[j];
  return NULL;
}

ghz_lattice lattice_abs(ghz_type type, double eb) {
  ghz_lattice lattice;
  need(ghz_lattice_make(type, (ghz_bound){GHZ_ABS, eb}, 0, 0, &lattice), "lattice for %g", eb);
  return lattice;
}

ghz_lattice lattice_any(uint64_t *state) {
  ghz_type type = (ghz_type)input_below(state, 2);
  double fraction = 1.5 + 0.5 * input_uniform(state);
  ghz_lattice l = lattice_abs(type, ldexp(fraction, (int)input_below(state, 30) - 15));
  if (l.type == GHZ_F64 && input_below(state, 3) == 0)
    l.cap = 35;
  return l;
}

ref_header header_for(const ghz_lattice *l, size_t n) {
  return (ref_header){.type = (int)l->type, .cap = l->cap, .n = n, .step = l->step, .eb = l->eb, .terms = 1};
}

/* ---- Values ---- */
double value_at(ghz_type type, const void *x, size_t i) {
  return type == GHZ_F32 ? (double)((const float *)x)[i] : ((const double *)x)[i];
}

void put_value(ghz_type type, void *x, size_t i, double value) {
  if (type == GHZ_F32)
    ((float *)x)[i] = (float)value;
  else
    ((double *)x)[i] = value;
}

int within(double x, double y, double eb) {
  /* d + e is exactly x - y; d alone decides unless it equals the bound. */
  double high = x > y ? x : y, low = x > y ? y : x;
  double d = high - low;
  double back = d - high;
  double e = (high - (d - back)) + (-low - back);
  return d < eb || (d == eb && e <= 0);
}

int kept(ghz_type type, const void *x, ghz_type out, const void *y, size_t i, double eb) {
  size_t each = ghz_type_size(out);
  double a = value_at(type, x, i), b = value_at(out, y, i);
  if (isnan(a))
    return get_little((const uint8_t *)y + i * each, (int)each) ==
           (out == GHZ_F32 ? 0x7fc00000u : 0x7ff8000000000000u);
  return isinf(a) ? a == b : within(a, b, eb);
}
