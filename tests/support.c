/* support.c: what all suites share. */
#include "support.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

int effort(void) {
  const char *text = getenv("GHZ_TEST_EFFORT");
  int value = text ? atoi(text) : 1;
  return value > 1 ? value : 1;
}

const char *say(const char *format, ...) {
  static char lines[8][256];
  static unsigned next;
  char *line = lines[next++ % 8];
  va_list rest;
  va_start(rest, format);
  vsnprintf(line, sizeof lines[0], format, rest);
  va_end(rest);
  return line;
}

/* ---- Contexts ---- */

static const char *const isa_names[3] = {"scalar", "avx2", "avx512"};

static int isa_works(const char *name) {
  ghz_context *ctx = NULL;
  setenv("GHZ_ISA", name, 1);
  ghz_status status = ghz_context_create(&ctx, 1);
  unsetenv("GHZ_ISA");
  ghz_context_free(ctx);
  return status == GHZ_OK;
}

static unsigned isas_present(void) {
  static unsigned present;
  for (unsigned i = 0; i < 3 && !(present & 8); i++)
    present |= (unsigned)isa_works(isa_names[i]) << i;
  present |= 8;
  return present;
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

ghz_context *context_on(const char *isa, int threads) {
  ghz_context *ctx = NULL;
  if (isa)
    setenv("GHZ_ISA", isa, 1);
  ghz_status status = ghz_context_create(&ctx, threads);
  if (isa)
    unsetenv("GHZ_ISA");
  cr_assert_eq(status, GHZ_OK, "context on %s: %s", isa ? isa : "the best", ghz_status_text(status));
  return ctx;
}

context_pool contexts_all(void) {
  context_pool pool = {.count = 0};
  for (size_t i = 0; i < isa_count(); i++) {
    pool.ctx[pool.count++] = context_on(isa_name(i), 1);
    pool.ctx[pool.count++] = context_on(isa_name(i), 3);
  }
  return pool;
}

void contexts_free(context_pool *pool) {
  for (size_t i = 0; i < pool->count; i++)
    ghz_context_free(pool->ctx[i]);
}

ghz_context *context_any(const context_pool *pool, uint64_t *state) {
  return pool->ctx[input_below(state, pool->count)];
}

/* ---- Values ---- */

ghz_lattice lattice_abs(ghz_type type, double eb) {
  ghz_lattice lattice;
  ghz_bound bound = {GHZ_ABS, eb};
  cr_assert_eq(ghz_lattice_make(type, bound, 0, 0, &lattice), GHZ_OK, "lattice for %g", eb);
  return lattice;
}

ref_header header_for(const ghz_lattice *l, size_t n) {
  ref_header header = {.type = (int)l->type, .cap = l->cap, .n = n, .step = l->step, .eb = l->eb, .terms = 1};
  return header;
}

ghz_bytes view(ref_bytes bytes) {
  ghz_bytes all = {bytes.data, bytes.size};
  return all;
}

ref_bytes bytes_new(size_t size) {
  ref_bytes bytes = {malloc(size ? size : 1), size};
  cr_assert_not_null(bytes.data);
  return bytes;
}

ref_bytes bytes_copy(const void *data, size_t size) {
  ref_bytes bytes = bytes_new(size);
  if (size)
    memcpy(bytes.data, data, size);
  return bytes;
}

int within(double x, double y, double eb) {
  /* d + e is exactly x - y; d alone decides unless it equals the bound. */
  double high = x > y ? x : y, low = x > y ? y : x;
  double d = high - low;
  double back = d - high;
  double e = (high - (d - back)) + (-low - back);
  return d < eb || (d == eb && e <= 0);
}

/* ---- Calls that must succeed ---- */

void succeeded(ghz_status status, ghz_context *ctx, const char *what) {
  cr_assert_eq(status, GHZ_OK, "%s: %s (%s)", what, ghz_status_text(status),
               ctx ? ghz_context_message(ctx) : "");
}

static ref_bytes shrunk(ref_bytes room, size_t size, const char *what) {
  cr_assert_leq(size, room.size, "%s: %zu bytes, promised at most %zu", what, size, room.size);
  ref_bytes exact = bytes_copy(room.data, size);
  ref_free(&room);
  return exact;
}

ghz_info info_of(ref_bytes stream) {
  ghz_info info;
  succeeded(ghz_info_read(view(stream), &info), NULL, "info");
  return info;
}

ref_bytes compress(ghz_context *ctx, const ghz_lattice *lattice, int order, const void *x, size_t n) {
  ref_bytes room = bytes_new(ghz_size_bound(n, lattice->type, 1));
  size_t size = 0;
  succeeded(ghz_compress(ctx, lattice, order, x, n, room.data, room.size, &size), ctx, "compress");
  return shrunk(room, size, "compress");
}

/* Room for a result of the given terms over the operands' array. */
static ref_bytes room_for(ref_bytes a, uint64_t terms) {
  ghz_info info = info_of(a);
  return bytes_new(ghz_size_bound(info.count, info.lattice.type, terms ? (uint32_t)terms : 1));
}

static uint64_t terms_of(size_t k, const ref_bytes *streams, const int64_t *c) {
  uint64_t terms = 0;
  for (size_t i = 0; i < k; i++) {
    int64_t factor = c ? c[i] : 1;
    terms += (uint64_t)(factor < 0 ? -factor : factor) * info_of(streams[i]).terms;
  }
  return terms;
}

static ghz_bytes *views(size_t k, const ref_bytes *streams) {
  ghz_bytes *all = malloc(k * sizeof *all);
  for (size_t i = 0; i < k; i++)
    all[i] = view(streams[i]);
  return all;
}

ref_bytes combine(ghz_context *ctx, size_t k, const ref_bytes *streams, const int64_t *c) {
  ref_bytes room = room_for(streams[0], terms_of(k, streams, c));
  ghz_bytes *all = views(k, streams);
  size_t size = 0;
  succeeded(ghz_combine(ctx, k, all, c, room.data, room.size, &size), ctx, "combine");
  free(all);
  return shrunk(room, size, "combine");
}

ref_bytes sum(ghz_context *ctx, size_t k, const ref_bytes *streams) {
  ref_bytes room = room_for(streams[0], terms_of(k, streams, NULL));
  ghz_bytes *all = views(k, streams);
  size_t size = 0;
  succeeded(ghz_sum(ctx, k, all, room.data, room.size, &size), ctx, "sum");
  free(all);
  return shrunk(room, size, "sum");
}

ref_bytes mean(ghz_context *ctx, size_t k, const ref_bytes *streams) {
  ref_bytes room = room_for(streams[0], terms_of(k, streams, NULL));
  ghz_bytes *all = views(k, streams);
  size_t size = 0;
  succeeded(ghz_mean(ctx, k, all, room.data, room.size, &size), ctx, "mean");
  free(all);
  return shrunk(room, size, "mean");
}

ref_bytes add(ghz_context *ctx, ref_bytes a, ref_bytes b) {
  ref_bytes two[2] = {a, b}, room = room_for(a, terms_of(2, two, NULL));
  size_t size = 0;
  succeeded(ghz_add(ctx, view(a), view(b), room.data, room.size, &size), ctx, "add");
  return shrunk(room, size, "add");
}

ref_bytes subtract(ghz_context *ctx, ref_bytes a, ref_bytes b) {
  ref_bytes two[2] = {a, b}, room = room_for(a, terms_of(2, two, NULL));
  size_t size = 0;
  succeeded(ghz_subtract(ctx, view(a), view(b), room.data, room.size, &size), ctx, "subtract");
  return shrunk(room, size, "subtract");
}

ref_bytes negate(ghz_context *ctx, ref_bytes a) {
  ref_bytes room = room_for(a, terms_of(1, &a, NULL));
  size_t size = 0;
  succeeded(ghz_negate(ctx, view(a), room.data, room.size, &size), ctx, "negate");
  return shrunk(room, size, "negate");
}

ref_bytes scale(ghz_context *ctx, ref_bytes a, double factor) {
  ref_bytes room = room_for(a, terms_of(1, &a, NULL));
  size_t size = 0;
  succeeded(ghz_scale(ctx, view(a), factor, room.data, room.size, &size), ctx, "scale");
  return shrunk(room, size, "scale");
}

ref_bytes extremum(ghz_context *ctx, ref_bytes a, ref_bytes b, int larger) {
  uint64_t ta = info_of(a).terms, tb = info_of(b).terms;
  ref_bytes room = room_for(a, ta > tb ? ta : tb);
  size_t size = 0;
  ghz_status status = (larger ? ghz_maximum : ghz_minimum)(ctx, view(a), view(b), room.data, room.size, &size);
  succeeded(status, ctx, "extremum");
  return shrunk(room, size, "extremum");
}

void *decompress(ghz_context *ctx, ref_bytes stream, ghz_type out) {
  ghz_info info = info_of(stream);
  void *x = bytes_new(info.count * ghz_type_size(out)).data;
  succeeded(ghz_decompress(ctx, view(stream), out, x, info.count), ctx, "decompress");
  return x;
}

/* ---- Comparisons ---- */

void same_bytes(ref_bytes got, ref_bytes want, const char *what) {
  size_t shorter = got.size < want.size ? got.size : want.size, at = 0;
  while (at < shorter && got.data[at] == want.data[at])
    at++;
  if (at == shorter && got.size == want.size)
    return;
  cr_assert_fail("%s: byte %zu is %02x, should be %02x; sizes %zu, should be %zu", what, at,
                 at < got.size ? (unsigned)got.data[at] : 0u, at < want.size ? (unsigned)want.data[at] : 0u,
                 got.size, want.size);
}

void same_values(const void *got, const void *want, size_t n, ghz_type type, const char *what) {
  size_t each = ghz_type_size(type);
  if (n == 0 || memcmp(got, want, n * each) == 0)
    return;
  for (size_t i = 0; i < n; i++)
    if (memcmp((const char *)got + i * each, (const char *)want + i * each, each) != 0) {
      double y = type == GHZ_F32 ? (double)((const float *)got)[i] : ((const double *)got)[i];
      double z = type == GHZ_F32 ? (double)((const float *)want)[i] : ((const double *)want)[i];
      cr_assert_fail("%s: value %zu is %a, should be %a", what, i, y, z);
    }
}
