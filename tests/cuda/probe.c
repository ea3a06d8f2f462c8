/* probe.c: owns how any bytes are read and computed with on both sides. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "probe.h"
#include <string.h>

/* ---- What the CPU makes of bytes in a longer buffer ---- */
/* A field of a header; bytes that are not there are 0. */
static uint64_t field(ref_bytes b, size_t at, size_t bytes) {
  size_t had = at < b.size ? b.size - at : 0;
  return had ? get_little(b.data + at, (int)(had < bytes ? had : bytes)) : 0;
}

/* What the header says of the array. */
static ghz_shape shape_in(ref_bytes b) {
  return (ghz_shape){(int)field(b, 7, 1), {field(b, 8, 8), field(b, 16, 8), field(b, 24, 8)}};
}

ref_bytes trimmed(ref_bytes b, int message) {
  const ghz_shape shape = shape_in(b);
  uint64_t tiles = message ? field(b, 80, 8) : ghz_shape_tiles(&shape);
  if (b.size < 72 || tiles > b.size)
    return b;
  uint64_t header = message ? 88 : 72 + (tiles + 15) / 16 * 8, payload = field(b, 56, 8);
  uint64_t index = header + 2 * tiles;
  if (index <= b.size && payload <= b.size - index)
    b.size = (size_t)(index + payload);
  return b;
}

int refusal(ghz_status status) {
  return status == GHZ_ECORRUPT || status == GHZ_EVERSION || status == GHZ_EMISMATCH || status == GHZ_ERANGE ||
         status == GHZ_ECAPACITY;
}

int another_array(ref_bytes b, ghz_type type, const ghz_shape *s) {
  return field(b, 4, 1) != (uint64_t)type || field(b, 7, 1) != (uint64_t)s->dims ||
         field(b, 8, 8) != s->extent[0] || field(b, 16, 8) != s->extent[1] || field(b, 24, 8) != s->extent[2];
}

static ghz_shape array_of(const ghz_shape *s, size_t n) { return s->dims ? *s : ghz_flat(n); }

static int another_slice(const reading *r) {
  const ghz_shape shape = array_of(&r->shape, r->n);
  return another_array(r->source, r->type, &shape) ||
         (r->kind == SLICE_DECOMPRESS &&
          (field(r->source, 72, 8) != r->first || field(r->source, 80, 8) != r->count));
}

/* Bytes before the payload of what is asked for. Fewer are refused before any is read. */
static uint64_t index_size(const reading *r) {
  const ghz_shape shape = array_of(&r->shape, r->n);
  const uint64_t tiles = ghz_shape_tiles(&shape);
  return r->kind == SLICE_DECOMPRESS ? 88 + 2 * r->count : 72 + 8 * ((tiles + 15) / 16) + 2 * tiles;
}

ghz_status verdict(trial *t, const reading *r, void *values) {
  const ghz_shape shape = array_of(&r->shape, r->n);
  ghz_info info;
  if (r->kind == SLICE_DECOMPRESS)
    return cpu_read(t, r, values);
  ghz_status status = ghz_info_read(view(r->source), &info);
  if (status == GHZ_OK)
    status = another_array(r->source, r->type, &shape) ? GHZ_EMISMATCH : cpu_read(t, r, values);
  return status;
}

ghz_status probe(trial *t, const reading *on_device, const char *what) {
  SCOPE;
  reading r = *on_device;
  uint8_t *got;
  ref_bytes want = bytes_new(reading_count(&r) * ghz_type_size(r.out));
  r.source = trimmed(r.source, r.kind == SLICE_DECOMPRESS);
  ghz_status wanted = verdict(t, &r, want.data), status = gpu_read(t, on_device, &got, what);
  int agreed = status == wanted || (wanted != GHZ_OK && status == GHZ_EMISMATCH && another_slice(&r)) ||
               (wanted == GHZ_EVERSION && status == GHZ_ECORRUPT && r.source.size < index_size(&r));
  expect(t, agreed, "%s: status %d, should be %d (%s)", what, (int)status, (int)wanted,
         ghz_cuda_message(t->gpu));
  if (status == GHZ_OK && wanted == GHZ_OK)
    same_values(t, got, want.data, reading_count(&r), r.out, what);
  return wanted;
}

void probe_operation(trial *t, const operation *on_device, const char *what) {
  SCOPE;
  operation o = *on_device;
  const ghz_shape shape = array_of(&o.shape, o.n);
  ref_bytes operands[4], short_operands[4];
  int other = 0;
  o.operands = memcpy(operands, o.operands, o.k * sizeof *operands);
  if (o.kind == ACCUMULATE) { /* what lies behind it in its room is the same on both sides */
    operands[0] = bytes_new(room_for(on_device));
    memset(operands[0].data, 0x55, operands[0].size);
    memcpy(operands[0].data, on_device->operands[0].data, on_device->operands[0].size);
  }
  const operation whole = o;
  for (size_t i = 0; i < o.k; i++) {
    short_operands[i] = trimmed(o.operands[i], o.kind == SLICE_SUM);
    other |= another_array(short_operands[i], o.lattice.type, &shape);
  }
  o.operands = short_operands;
  made want = cpu_make(t, &o), got = gpu_make(t, &whole, room_for(on_device), what);
  if (want.status == GHZ_OK && !other) {
    if (expect(t, got.status == GHZ_OK, "%s: status %d where the CPU succeeds (%s)", what, (int)got.status,
               ghz_cuda_message(t->gpu)))
      same_bytes(t, got.bytes, want.bytes, what);
  } else
    expect(t, refusal(got.status), "%s: status %d where the CPU says %d", what, (int)got.status,
           (int)want.status);
}

void probe_operations(trial *t, ref_bytes bytes, ref_bytes good, ghz_type type, ghz_shape shape, unsigned turn,
                      const char *what) {
  static const int64_t coefficients[3] = {3, -2, 1};
  static const struct {
    kind kind;
    size_t k;
  } kinds[PROBED] = {{ADD, 2}, {SUBTRACT, 2}, {COMBINE, 3}, {MEAN, 3}, {SUM, 1}, {ACCUMULATE, 2}, {SUM, 3}};
  operation o = {.kind = kinds[turn % PROBED].kind, .k = kinds[turn % PROBED].k, .coefficients = coefficients};
  ref_bytes orders[4][3] = {
      {bytes, good, good}, {good, bytes, bytes}, {bytes, bytes, good}, {good, good, bytes}};
  o.lattice.type = type;
  o.shape = shape;
  o.n = (size_t)ghz_shape_count(&shape);
  o.operands = orders[turn % 4];
  probe_operation(t, &o, say("%s, kind %d, place %u", what, (int)o.kind, turn % 4));
}
