/* gpu_support.c: what the checks of the GPU half share. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpu_support.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Checks ---- */
enum { PRINTED = 8, POISON = 0xa7, FRONT = 256, BACK = 512 };

int device_present(void) {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess && count > 0;
}

void fail(trial *t, const char *format, ...) {
  va_list rest;
  if (t->failures++ >= PRINTED)
    return;
  printf("\n  %s: ", t->name);
  va_start(rest, format);
  vprintf(format, rest);
  va_end(rest);
  printf(t->failures == PRINTED ? "\n  (and so on)" : "");
  fflush(stdout);
}

int by_extent(const trial *t, int quick, int usual, int full) {
  return t->extent == QUICK ? quick : t->extent == USUAL ? usual : full;
}

/* Without these no check can go on. */
static void need_cuda(cudaError_t error, const char *what) {
  if (error == cudaSuccess)
    return;
  fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
  exit(1);
}

static void need_ghz(ghz_status status, const char *message, const char *what) {
  if (status == GHZ_OK)
    return;
  fprintf(stderr, "%s: %s (%s)\n", what, ghz_status_text(status), message);
  exit(1);
}

int run_check(const char *name, check_body *body, enum extent extent) {
  SCOPE;
  trial t = {.name = name, .extent = extent};
  void *outcome;
  need_ghz(ghz_context_create(&t.cpu, extent == FULL ? 0 : 1), "", "context of the CPU");
  need_ghz(ghz_cuda_create(&t.gpu, TRIAL_VALUES, GHZ_CUDA_OPERANDS), ghz_cuda_message(NULL),
           "context of the device");
  need_cuda(cudaStreamCreateWithFlags(&t.stream, cudaStreamNonBlocking), "stream");
  need_cuda(cudaMallocHost(&outcome, sizeof *t.outcome), "outcome");
  t.outcome = outcome;
  body(&t);
  still_works(&t, name);
  cudaError_t error = cudaStreamSynchronize(t.stream);
  expect(&t, error == cudaSuccess, "after it the device says: %s", cudaGetErrorString(error));
  cudaFreeHost(t.outcome);
  cudaStreamDestroy(t.stream);
  ghz_cuda_free(t.gpu);
  ghz_context_free(t.cpu);
  return t.failures;
}

/* ---- Device memory ---- */
static void free_on_device(void *p) { cudaFree(p); }

static device_memory device_new(size_t front, size_t size, size_t back) {
  device_memory m = {.size = size, .front = front, .back = back};
  void *base;
  size_t all = front + size + back;
  need_cuda(cudaMalloc(&base, all ? all : 1), "device memory");
  m.base = scratch_held(base, free_on_device);
  m.data = m.base + front;
  return m;
}

device_memory device_input(trial *t, const void *bytes, size_t size, size_t offset) {
  device_memory m = device_new(offset, size, 0);
  if (size)
    need_cuda(cudaMemcpyAsync(m.data, bytes, size, cudaMemcpyHostToDevice, t->stream), "copy to the device");
  need_cuda(cudaStreamSynchronize(t->stream), "copy to the device");
  return m;
}

device_memory device_output(trial *t, size_t capacity, size_t offset) {
  device_memory m = device_new(FRONT + offset, capacity, BACK);
  need_cuda(cudaMemsetAsync(m.base, POISON, m.front + capacity + BACK, t->stream), "poison");
  return m;
}

static size_t unpoisoned(const uint8_t *p, size_t size) {
  size_t i = 0;
  while (i < size && p[i] == POISON)
    i++;
  return i;
}

void device_guards(trial *t, const device_memory *m, const char *what) {
  SCOPE;
  uint8_t *front = scratch(m->front), back[BACK];
  need_cuda(cudaMemcpyAsync(front, m->base, m->front, cudaMemcpyDeviceToHost, t->stream), "front guard");
  need_cuda(cudaMemcpyAsync(back, m->data + m->size, BACK, cudaMemcpyDeviceToHost, t->stream), "back guard");
  need_cuda(cudaStreamSynchronize(t->stream), "guards");
  size_t at = unpoisoned(front, m->front), behind = unpoisoned(back, BACK);
  expect(t, at == m->front, "%s: %zu bytes before the destination were written", what, m->front - at);
  expect(t, behind == BACK, "%s: byte %zu of a destination of %zu was written", what, m->size + behind,
         m->size);
}

uint8_t *device_read(trial *t, const device_memory *m, size_t size) {
  uint8_t *bytes = scratch(size);
  if (size)
    need_cuda(cudaMemcpyAsync(bytes, m->data, size, cudaMemcpyDeviceToHost, t->stream), "copy from the device");
  need_cuda(cudaStreamSynchronize(t->stream), "copy from the device");
  return bytes;
}

ghz_bytes device_view(const device_memory *m) { return (ghz_bytes){m->data, m->size}; }

/* ---- Operations that make a stream or a message ---- */
static int makes_message(const operation *o) { return o->kind == SLICE_COMPRESS || o->kind == SLICE_SUM; }

static ghz_shape shape_or_flat(const ghz_shape *shape, size_t n) { return shape->dims ? *shape : ghz_flat(n); }

static int64_t coefficient(const operation *o, size_t i) {
  if (o->kind == SUBTRACT)
    return i ? -1 : 1;
  return o->kind == COMBINE ? o->coefficients[i] : 1;
}

/* The terms that an operand's header claims. */
static uint64_t claimed_terms(ref_bytes bytes) {
  return bytes.size > 48 ? get_little(bytes.data + 48, bytes.size < 52 ? (int)bytes.size - 48 : 4) : 0;
}

size_t room_for(const operation *o) {
  const uint64_t most = 8388607;
  uint64_t terms = o->kind == COMPRESS || o->kind == SLICE_COMPRESS;
  for (size_t i = 0; i < o->k; i++) {
    int64_t c = coefficient(o, i);
    uint64_t each = claimed_terms(o->operands[i]), by = c < 0 ? -(uint64_t)c : (uint64_t)c;
    terms = each > most || by > most || terms + each * by > most ? most : terms + each * by;
  }
  uint32_t bounded = terms ? (uint32_t)terms : 1;
  const ghz_shape shape = shape_or_flat(&o->shape, o->n);
  const size_t bound = makes_message(o) ? ghz_slice_bound(&shape, o->tiles, o->lattice.type, bounded)
                                        : ghz_shape_bound(&shape, o->lattice.type, bounded);
  return o->kind == ACCUMULATE && bound < o->operands[0].size ? o->operands[0].size : bound;
}

static ghz_bytes *views_of(const operation *o) {
  ghz_bytes *all = scratch(o->k * sizeof *all);
  for (size_t i = 0; i < o->k; i++)
    all[i] = view(o->operands[i]);
  return all;
}

/* Messages of the mean of several, which the CPU has of streams alone. */
static ghz_status cpu_slice_mean(trial *t, const operation *o, ref_bytes dst, size_t *size) {
  operation mean = *o;
  ghz_slice some;
  mean.kind = MEAN;
  mean.operands = o->whole;
  made m = cpu_make(t, &mean);
  if (m.status == GHZ_OK)
    m.status = ghz_slice_view(view(m.bytes), o->first, o->tiles, &some);
  return m.status == GHZ_OK ? ghz_slice_pack(&some, dst.data, dst.size, size) : m.status;
}

/* With another divisor than the number of messages, values off the lattice are rounded twice. */
static ghz_status cpu_slice_sum(trial *t, const operation *o, const ghz_bytes *messages, ref_bytes dst,
                                size_t *size) {
  SCOPE;
  ghz_slice *slices = scratch(o->k * sizeof *slices), sum, result;
  ref_bytes between = bytes_new(dst.size);
  ghz_status status = GHZ_OK;
  for (size_t i = 0; i < o->k && status == GHZ_OK; i++)
    status = ghz_slice_parse(messages[i], &slices[i]);
  if (status == GHZ_OK && o->k > 1 && o->divisor == o->k)
    status = cpu_slice_mean(t, o, dst, size);
  else if (status == GHZ_OK) {
    int divided = o->divisor > 1;
    sum = slices[0];
    if (o->k > 1 || !divided)
      status = ghz_slice_sum(t->cpu, o->k, slices, divided ? between.data : dst.data, dst.size, &sum);
    result = sum;
    if (status == GHZ_OK && divided)
      status = ghz_slice_mean(t->cpu, &sum, o->divisor, dst.data, dst.size, &result);
    *size = status == GHZ_OK ? ghz_slice_size(&result) : 0;
  }
  return status;
}

static ghz_status cpu_accumulate(trial *t, size_t k, const ghz_bytes *s, ref_bytes acc, size_t *size) {
  ghz_status status = GHZ_OK;
  *size = s[0].size;
  memcpy(acc.data, s[0].data, s[0].size);
  for (size_t i = 1; i < k && status == GHZ_OK; i++)
    status = ghz_accumulate(t->cpu, acc.data, acc.size, size, s[i]);
  return status;
}

static ghz_status cpu_run(trial *t, const operation *o, const ghz_bytes *s, ref_bytes room, size_t *size) {
  const ghz_shape shape = shape_or_flat(&o->shape, o->n);
  ghz_slice slice = {.tiles = 0};
  ghz_status status;
  switch (o->kind) {
  case COMPRESS:
    return ghz_compress_shape(t->cpu, &o->lattice, o->order, o->x, &shape, room.data, room.size, size);
  case ADD: return ghz_add(t->cpu, s[0], s[1], room.data, room.size, size);
  case SUBTRACT: return ghz_subtract(t->cpu, s[0], s[1], room.data, room.size, size);
  case SUM: return ghz_sum(t->cpu, o->k, s, room.data, room.size, size);
  case MEAN: return ghz_mean(t->cpu, o->k, s, room.data, room.size, size);
  case COMBINE: return ghz_linear(t->cpu, o->k, s, o->coefficients, 1, room.data, room.size, size);
  case ACCUMULATE: return cpu_accumulate(t, o->k, s, room, size);
  case SLICE_COMPRESS:
    status = ghz_slice_compress_shape(t->cpu, &o->lattice, o->order, o->x, &shape, o->first, o->tiles,
                                      room.data, room.size, &slice);
    break;
  case SLICE_SUM: return cpu_slice_sum(t, o, s, room, size);
  default: return GHZ_EINVAL;
  }
  *size = status == GHZ_OK ? ghz_slice_size(&slice) : 0;
  return status;
}

made cpu_make(trial *t, const operation *o) {
  made m = {.bytes = bytes_new(room_for(o))};
  ghz_bytes *streams = views_of(o);
  size_t size = 0;
  m.status = cpu_run(t, o, streams, m.bytes, &size);
  m.bytes.size = size;
  return m;
}

static ghz_status launch(trial *t, const operation *o, arguments *a) {
  ghz_status status = GHZ_OK;
  memset(t->outcome, POISON, sizeof *t->outcome);
  if (o->kind != ACCUMULATE)
    return make_call(o->kind, a);
  need_cuda(cudaMemcpyAsync(a->dst, a->many[0].data, o->operands[0].size, cudaMemcpyDeviceToDevice, t->stream),
            "accumulator");
  for (size_t i = 1; i < o->k && status == GHZ_OK; i++, a->many++)
    status = make_call(ACCUMULATE, a);
  return status;
}

/* The status of the work that was launched last. */
static ghz_status gpu_wait(trial *t, ghz_cuda_outcome *outcome) {
  ghz_status status = ghz_cuda_wait(t->gpu, t->outcome, outcome, t->stream);
  expect(t, status == (ghz_status)outcome->status, "wait returns %d where the outcome says %d", (int)status,
         (int)outcome->status);
  return status;
}

/* Where a stream begins so that no more than 15 bytes follow it in an allocation. */
static size_t at_the_end(size_t size) { return (256 - size % 256) % 256 / 16 * 16; }

#ifdef GHZ_EMULATED
enum { EMULATED = 1 };
#else
enum { EMULATED = 0 };
#endif

/* A stream in device memory, and bytes behind it that are none of it, or only said to be there. */
static device_memory operand_with(trial *t, ref_bytes stream, size_t behind, int missing) {
  ref_bytes all = bytes_new(stream.size + (missing ? 0 : behind));
  memset(all.data, 0xa5, all.size);
  memcpy(all.data, stream.data, stream.size);
  device_memory m = device_input(t, all.data, all.size, at_the_end(all.size));
  m.size = stream.size + behind;
  return m;
}

made gpu_make(trial *t, const operation *o, size_t capacity, const char *what) {
  made m = {.bytes = {NULL, 0}};
  const size_t each = ghz_type_size(o->lattice.type);
  device_memory dst = device_output(t, capacity, 0);
  ghz_bytes *operands = scratch(o->k * sizeof *operands);
  int64_t *coefficients = scratch(o->k * sizeof *coefficients);
  arguments a = {.gpu = t->gpu,
                 .lattice = o->lattice,
                 .order = o->order,
                 .type = o->lattice.type,
                 .shape = shape_or_flat(&o->shape, o->n),
                 .k = o->k,
                 .many = operands,
                 .coefficients = coefficients,
                 .first = o->first,
                 .tiles = o->tiles,
                 .divisor = o->divisor,
                 .dst = dst.data,
                 .room = capacity,
                 .outcome = t->outcome,
                 .stream = t->stream};
  if (o->x)
    a.x = device_input(t, o->x, o->n * each, o->shift * each).data;
  for (size_t i = 0; i < o->k; i++) {
    const device_memory operand = operand_with(t, o->operands[i], o->behind, EMULATED && o->missing);
    operands[i] = device_view(&operand);
    coefficients[i] = o->coefficients ? o->coefficients[i] : 0;
  }
  m.returned = m.status = launch(t, o, &a);
  /* What was passed in host memory may be overwritten at once. */
  memset(operands, 0xff, o->k * sizeof *operands);
  memset(coefficients, 0xff, o->k * sizeof *coefficients);
  memset(&a, 0xff, sizeof a);
  if (m.returned == GHZ_OK)
    m.status = gpu_wait(t, &m.outcome);
  device_guards(t, &dst, what);
  if (m.status == GHZ_OK && expect(t, m.outcome.size <= capacity, "%s: a result of %llu bytes in room for %zu",
                                   what, (unsigned long long)m.outcome.size, capacity))
    m.bytes = (ref_bytes){device_read(t, &dst, (size_t)m.outcome.size), (size_t)m.outcome.size};
  return m;
}

void same_bytes(trial *t, ref_bytes got, ref_bytes want, const char *what) {
  const char *difference = bytes_differ(got, want);
  if (difference)
    fail(t, "%s: %s", what, difference);
}

/* What the outcome says of a result is what is in its header. */
static void check_account(trial *t, const ghz_cuda_outcome *o, ref_bytes want, const char *what) {
  expect(t, o->terms == claimed_terms(want), "%s: %u terms, should be %llu", what, (unsigned)o->terms,
         (unsigned long long)claimed_terms(want));
  expect(t, o->inexact == (want.data[5] & 1), "%s: inexact %d, should be %d", what, (int)o->inexact,
         want.data[5] & 1);
  expect(t, o->operand == UINT32_MAX && o->tile == UINT64_MAX,
         "%s: operand %u, tile %llu at fault in a success", what, (unsigned)o->operand,
         (unsigned long long)o->tile);
}

static void check_capacity(trial *t, const operation *o, size_t capacity, ref_bytes want, const char *what) {
  SCOPE;
  made got = gpu_make(t, o, capacity, what);
  if (capacity < want.size)
    expect(t, got.status == GHZ_ECAPACITY, "%s: status %d with room for %zu of %zu bytes", what,
           (int)got.status, capacity, want.size);
  else if (expect(t, got.status == GHZ_OK, "%s: status %d, %s", what, (int)got.status,
                  ghz_cuda_message(t->gpu))) {
    same_bytes(t, got.bytes, want, what);
    check_account(t, &got.outcome, want, what);
  }
}

void agree(trial *t, const operation *asked, const char *what) {
  SCOPE;
  operation roomy = *asked;
  const operation *o = &roomy;
  made want = cpu_make(t, o);
  const size_t size = want.bytes.size, all = room_for(o),
               rooms[6] = {size, size - 1, size, all, size, size - size / 3};
  const unsigned turn = t->cases++ % 6;
  roomy.behind = (size_t[]){16, 16, 0, 1 + t->cases % 3 * 4999}[t->cases % 4];
  roomy.missing = t->cases % 4 == 0;
  if (expect(t, want.status == GHZ_OK, "%s: the CPU says %d, %s", what, (int)want.status,
             ghz_context_message(t->cpu))) {
    check_capacity(t, o, o->kind == ACCUMULATE ? all : size, want.bytes, what);
    if (turn % 2 && o->kind != ACCUMULATE)
      check_capacity(t, o, rooms[turn], want.bytes, what);
  }
}

void still_works(trial *t, const char *after) {
  SCOPE;
  const ghz_lattice l = lattice_abs(GHZ_F32, 0.1);
  const ref_bytes s[2] = {stream_of(t->cpu, &l, GHZ_ORDER_BEST, "walk", 3000, 1),
                          stream_of(t->cpu, &l, 1, "specials", 3000, 2)};
  const operation o = {.kind = ADD, .lattice = l, .n = 3000, .k = 2, .operands = s};
  agree(t, &o, say("after %s", after));
}

/* ---- Operations that make values ---- */
size_t reading_count(const reading *r) {
  if (r->kind == DECOMPRESS || (r->kind == SLICE_DECOMPRESS && r->shape.dims > 1))
    return r->n;
  if (r->kind == DECOMPRESS_BOX)
    return (size_t)(r->extent[0] * r->extent[1] * r->extent[2]);
  if (r->kind == DECOMPRESS_RANGE)
    return r->count;
  size_t start = (size_t)r->first * GHZ_TILE, left = r->n > start ? r->n - start : 0;
  return r->count > left / GHZ_TILE ? left : r->count * GHZ_TILE;
}

ghz_status cpu_read(trial *t, const reading *r, void *values) {
  ghz_slice slice;
  ghz_bytes source = view(r->source);
  if (r->kind == DECOMPRESS)
    return ghz_decompress(t->cpu, source, r->out, values, r->n);
  if (r->kind == DECOMPRESS_RANGE)
    return ghz_decompress_range(t->cpu, source, r->out, r->first, r->count, values);
  if (r->kind == DECOMPRESS_BOX)
    return ghz_decompress_box(t->cpu, source, r->out, r->origin, r->extent, values);
  ghz_status status = ghz_slice_parse(source, &slice);
  if (status != GHZ_OK)
    return status;
  if (slice.lattice.type != r->type || slice.count != r->n || slice.first != r->first ||
      slice.tiles != r->count)
    return GHZ_EMISMATCH;
  return r->shape.dims > 1 ? ghz_slice_decompress_into(t->cpu, &slice, r->out, values)
                           : ghz_slice_decompress(t->cpu, &slice, r->out, values);
}

static ghz_status launch_reading(trial *t, const reading *r, ghz_bytes source, uint8_t *dst) {
  const arguments a = {.gpu = t->gpu,
                       .type = r->type,
                       .out = r->out,
                       .shape = shape_or_flat(&r->shape, r->n),
                       .streams = {source},
                       .message = source,
                       .first = r->first,
                       .tiles = r->count,
                       .from = r->first,
                       .values = r->count,
                       .origin = {r->origin[0], r->origin[1], r->origin[2]},
                       .extent = {r->extent[0], r->extent[1], r->extent[2]},
                       .y = dst,
                       .outcome = t->outcome,
                       .stream = t->stream};
  memset(t->outcome, POISON, sizeof *t->outcome);
  return make_call(r->kind == SLICE_DECOMPRESS && a.shape.dims > 1 ? SLICE_DECOMPRESS_INTO : r->kind, &a);
}

ghz_status gpu_read(trial *t, const reading *r, uint8_t **values, const char *what) {
  size_t each = ghz_type_size(r->out), size = reading_count(r) * each;
  device_memory source = device_input(t, r->source.data, r->source.size, 0);
  device_memory dst = device_output(t, size, r->shift * each);
  ghz_cuda_outcome outcome;
  ghz_status status = launch_reading(t, r, device_view(&source), dst.data);
  if (status == GHZ_OK)
    status = gpu_wait(t, &outcome);
  device_guards(t, &dst, what);
  *values = NULL;
  if (status == GHZ_OK) {
    *values = device_read(t, &dst, size);
    expect(t, outcome.size == size || (r->kind == SLICE_DECOMPRESS && r->shape.dims > 1),
           "%s: values of %llu bytes, should be %zu", what, (unsigned long long)outcome.size, size);
    check_account(t, &outcome, r->source, what);
  }
  return status;
}

void same_values(trial *t, const void *got, const void *want, size_t n, ghz_type type, const char *what) {
  const char *difference = values_differ(got, want, n, type);
  if (difference)
    fail(t, "%s: %s", what, difference);
}

void agree_values(trial *t, const reading *r, const char *what) {
  SCOPE;
  size_t count = reading_count(r), behind = t->cases++ % 4 * 33;
  uint8_t *want = memset(scratch(count * ghz_type_size(r->out)), POISON, count * ghz_type_size(r->out)), *got;
  reading roomy = *r; /* a stream knows its size: what follows in its buffer is not looked at */
  roomy.source = bytes_new(r->source.size + behind);
  memset(roomy.source.data, 0xee, roomy.source.size);
  memcpy(roomy.source.data, r->source.data, r->source.size);
  ghz_status wanted = cpu_read(t, r, want), status = gpu_read(t, &roomy, &got, what);
  expect(t, wanted == GHZ_OK, "%s: the CPU says %d, %s", what, (int)wanted, ghz_context_message(t->cpu));
  if (expect(t, status == GHZ_OK, "%s: status %d, %s", what, (int)status, ghz_cuda_message(t->gpu)))
    same_values(t, got, want, count, r->out, what);
}

void agree_range(trial *t, ghz_type type, const void *x, size_t n, size_t shift, const char *what) {
  SCOPE;
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
