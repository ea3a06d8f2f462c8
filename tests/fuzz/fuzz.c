/* fuzz.c: choices made from bytes, contexts, and the checks that all fuzzers need. */
#include "fuzz.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void fuzz_fail(const char *condition, const char *format, ...) {
  va_list rest;
  va_start(rest, format);
  fprintf(stderr, "FAILED: ");
  vfprintf(stderr, format, rest);
  fprintf(stderr, " (%s)\n", condition);
  va_end(rest);
  abort();
}

void *fuzz_room(size_t size) {
  void *p = malloc(size ? size : 1);
  MUST(p, "no %zu bytes of memory", size);
  return p;
}

/* ---- Contexts ---- */

static ghz_context *contexts[4];
static size_t context_count;

static ghz_context *context_on(const char *isa, int threads) {
  ghz_context *ctx = NULL;
  setenv("GHZ_ISA", isa, 1);
  ghz_status status = ghz_context_create(&ctx, threads);
  unsetenv("GHZ_ISA");
  MUST(status == GHZ_OK || status == GHZ_EISA, "context on %s: %s", isa, ghz_status_text(status));
  return ctx;
}

size_t fuzz_contexts(void) {
  static const char *const names[] = {"scalar", "avx2", "avx512"};
  if (context_count)
    return context_count;
  for (int i = 0; i < 3; i++) {
    contexts[context_count] = context_on(names[i], 1);
    context_count += contexts[context_count] != NULL;
  }
  contexts[context_count++] = context_on("", 2);
  return context_count;
}

ghz_context *fuzz_context(size_t i) {
  fuzz_contexts();
  return contexts[i];
}

/* ---- Choices ---- */

uint64_t choose(choices *c, size_t bytes) {
  uint64_t value = 0;
  for (size_t i = 0; i < bytes && c->left; i++, c->left--)
    value |= (uint64_t)*c->next++ << (8 * i);
  return value;
}

uint64_t choose_below(choices *c, uint64_t below) {
  uint64_t value = choose(c, below <= 256 ? 1 : below <= 65536 ? 2 : 8);
  return below ? value % below : 0;
}

double choose_double(choices *c) {
  return ref_value(REF_F64, choose(c, 8));
}

ghz_bytes choose_part(choices *c) {
  uint64_t size = choose(c, 4);
  ghz_bytes part = {c->next, size < c->left ? (size_t)size : c->left};
  c->next += part.size;
  c->left -= part.size;
  return part;
}

/* ---- Streams ---- */

bool refused(ghz_status status) {
  return status == GHZ_ECORRUPT || status == GHZ_EVERSION;
}

void *fuzz_decode(ghz_context *ctx, ghz_bytes stream, ghz_type out, uint64_t count, ghz_status *status) {
  void *values = fuzz_room((size_t)count * ghz_type_size(out));
  *status = ghz_decompress(ctx, stream, out, values, (size_t)count);
  if (*status != GHZ_OK)
    MUST(ghz_context_message(ctx)[0], "status %d without a message", (int)*status);
  return values;
}

/* Reads a tile of a stream that is not damaged. */
static const uint8_t *read_tile(ghz_bytes s, uint64_t at, ref_header *h, ref_tile *t, size_t *size) {
  const uint8_t *data = ref_tile_at(s.data, at, size);
  *h = ref_header_read(s.data);
  ref_tile_parse(h, ref_tile_count(h, at), data, *size, t);
  return data;
}

static bool integers_within(const ref_header *h, const ref_tile *t) {
  int64_t most = ((int64_t)1 << ref_mode_bits(h->type, h->cap, t->mode)) * (int64_t)h->terms;
  for (int i = 0; i < t->n && !t->raw; i++)
    if (t->q[i] < -most || t->q[i] > most)
      return false;
  return true;
}

bool within_limits(ghz_bytes s, uint64_t tile) {
  size_t size;
  ref_header h;
  ref_tile *t = fuzz_room(sizeof *t);
  read_tile(s, tile, &h, t, &size);
  bool within = integers_within(&h, t);
  free(t);
  return within;
}

/* Encoding the integers of the tile must give its bytes. */
static bool honest_tile(ghz_bytes s, uint64_t tile) {
  size_t size;
  ref_header h;
  ref_tile *t = fuzz_room(sizeof *t);
  uint8_t *again = fuzz_room(REF_TILE_ROOM);
  const uint8_t *data = read_tile(s, tile, &h, t, &size);
  bool honest =
      integers_within(&h, t) && ref_tile_encode(h.type, t, again) == size && memcmp(again, data, size) == 0;
  free(again);
  free(t);
  return honest;
}

bool honest(ghz_bytes s) {
  if (ref_check(s.data, s.size) != REF_GOOD)
    return false;
  uint64_t tiles = ref_tiles(ref_header_read(s.data).n);
  for (uint64_t t = 0; t < tiles; t++)
    if (!honest_tile(s, t))
      return false;
  return true;
}

ref_bytes fuzz_reference(ghz_bytes s) {
  return (ref_bytes){(uint8_t *)(uintptr_t)s.data, s.size}; /* which only reads it */
}

void must_equal(const void *got, size_t got_size, const void *want, size_t want_size, const char *what) {
  const uint8_t *a = got, *b = want;
  size_t at = 0;
  if (got_size == want_size && (got_size == 0 || memcmp(a, b, got_size) == 0))
    return;
  while (at < got_size && at < want_size && a[at] == b[at])
    at++;
  MUST(at == got_size && at == want_size, "%s: byte %zu differs; sizes %zu, should be %zu", what, at, got_size,
       want_size);
}

bool within(double x, double y, double eb) {
  if (fabs(x - y) < eb * (1 - 0x1p-40)) /* far more than the difference is rounded by */
    return true;
  /* d + rest is x - y: d alone decides, unless it is the bound itself. */
  __float128 high = x > y ? x : y, low = x > y ? y : x;
  __float128 d = high - low, back = d - high;
  __float128 rest = (high - (d - back)) + (-low - back);
  return d < eb || (d == eb && rest <= 0);
}

double fuzz_value(ghz_type type, const void *x, size_t i) {
  return type == GHZ_F32 ? (double)((const float *)x)[i] : ((const double *)x)[i];
}
