/* fuzz.c: choices made from bytes, contexts, and the checks that all fuzzers need. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "fuzz.h"
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

/* ---- Contexts ---- */
static ghz_context *contexts[4];
static size_t context_count;

size_t fuzz_contexts(void) {
  while (context_count < isa_count()) {
    contexts[context_count] = context_on(isa_name(context_count), 1);
    context_count++;
  }
  if (context_count == isa_count())
    contexts[context_count++] = context_on(NULL, 2);
  return context_count;
}

ghz_context *fuzz_context(size_t i) {
  fuzz_contexts();
  return contexts[i];
}

/* ---- Choices ---- */
uint64_t choose(choices *c, size_t bytes) {
  size_t had = bytes < c->left ? bytes : c->left;
  const uint8_t *from = c->next;
  c->next += had;
  c->left -= had;
  return get_little(from, (int)had);
}

uint64_t choose_below(choices *c, uint64_t below) {
  uint64_t value = choose(c, below <= 256 ? 1 : below <= 65536 ? 2 : 8);
  return below ? value % below : 0;
}

double choose_double(choices *c) { return ref_value(REF_F64, choose(c, 8)); }

ghz_bytes choose_part(choices *c) {
  uint64_t size = choose(c, 4);
  ghz_bytes part = {c->next, size < c->left ? (size_t)size : c->left};
  c->next += part.size;
  c->left -= part.size;
  return part;
}

/* ---- Streams ---- */
bool refused(ghz_status status) { return status == GHZ_ECORRUPT || status == GHZ_EVERSION; }

ghz_type fuzz_type(const ghz_lattice *lattice) { return (ghz_type)header_for(lattice, 0).type; }

void *fuzz_decode(ghz_context *ctx, ghz_bytes stream, ghz_type out, uint64_t count, ghz_status *status) {
  void *values = scratch((size_t)count * ghz_type_size(out));
  *status = ghz_decompress(ctx, stream, out, values, (size_t)count);
  if (*status != GHZ_OK)
    MUST(ghz_context_message(ctx)[0], "status %d without a message", (int)*status);
  return values;
}

/* Reads a tile of a stream that is not damaged. */
static const uint8_t *read_tile(ghz_bytes s, uint64_t at, ref_header *h, ref_tile *t, size_t *size) {
  const uint8_t *data = ref_tile_at(s.data, at, size);
  *h = ref_header_read(s.data);
  ref_tile_parse(h, at, data, *size, t);
  return data;
}

static bool integers_within(const ref_header *h, const ref_tile *t) {
  int64_t most = ((int64_t)1 << ref_mode_bits(h, t->mode)) * (int64_t)h->terms;
  for (int i = 0; i < REF_TILE && !t->raw; i++)
    if (t->q[i] < -most || t->q[i] > most)
      return false;
  int64_t waves = ((int64_t)1 << 24) * (int64_t)h->terms;
  for (int i = 1; i < REF_TILE && t->coefficients; i++)
    if (t->c[i] < -waves || t->c[i] > waves)
      return false;
  return true;
}

bool within_limits(ghz_bytes s, uint64_t tile) {
  SCOPE;
  size_t size;
  ref_header h;
  ref_tile *t = scratch(sizeof *t);
  read_tile(s, tile, &h, t, &size);
  return integers_within(&h, t);
}

/* Encoding the integers of the tile must give its bytes. */
static bool honest_tile(ghz_bytes s, uint64_t tile) {
  SCOPE;
  size_t size;
  ref_header h;
  ref_tile *t = scratch(sizeof *t);
  uint8_t *again = scratch(REF_TILE_ROOM);
  const uint8_t *data = read_tile(s, tile, &h, t, &size);
  return integers_within(&h, t) && ref_tile_encode(h.type, t, again) == size && memcmp(again, data, size) == 0;
}

bool honest(ghz_bytes s) {
  if (ref_check(s.data, s.size) != REF_GOOD)
    return false;
  ref_header h = ref_header_read(s.data);
  uint64_t tiles = ref_tile_total(&h);
  for (uint64_t t = 0; t < tiles; t++)
    if (!honest_tile(s, t))
      return false;
  return true;
}

ref_bytes fuzz_reference(ghz_bytes s) {
  return (ref_bytes){(uint8_t *)(uintptr_t)s.data, s.size}; /* which only reads it */
}

void must_equal(const void *got, size_t got_size, const void *want, size_t want_size, const char *what) {
  const char *difference = bytes_differ((ref_bytes){(uint8_t *)(uintptr_t)got, got_size},
                                        (ref_bytes){(uint8_t *)(uintptr_t)want, want_size});
  MUST(!difference, "%s: %s", what, difference);
}
