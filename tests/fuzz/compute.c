/* compute.c: fuzzer: any bytes as the operands of every operation. What comes of it is the same
 * from every instruction set and can be decoded; of streams that an encoder could have made it is
 * what the reference makes of them, whatever the order. The input: the operation, coefficients and
 * factor, then the streams, each behind its length. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "fuzz.h"
#include "mutate.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { OPERANDS = 4, CHOICES = 1 + 1 + 1 + 8 * OPERANDS + 8 + 2 };
enum kind { ADD, SUBTRACT, NEGATE, SUM, COMBINE, MEAN, SCALE, MINIMUM, MAXIMUM, ACCUMULATE, KINDS };

/* An operation and its operands. */
typedef struct task {
  enum kind kind;
  size_t k;
  ghz_bytes s[OPERANDS];
  int64_t c[OPERANDS];
  double factor;
  size_t room; /* bytes that may be too few */
} task;

typedef struct result {
  ghz_status status;
  uint8_t *data;
  size_t size;
} result;

/* ---- Running it ---- */
/* acc and what lies behind it are unchanged after an error. */
static ghz_status accumulate(ghz_context *ctx, const task *t, uint8_t *dst, size_t capacity, size_t *size) {
  memcpy(dst, t->s[0].data, t->s[0].size);
  *size = t->s[0].size;
  ghz_status status = ghz_accumulate(ctx, dst, capacity, size, t->s[1]);
  if (status != GHZ_OK)
    must_equal(dst, *size, t->s[0].data, t->s[0].size, "an accumulator after an error");
  return status;
}

static ghz_status call(ghz_context *ctx, const task *t, void *dst, size_t capacity, size_t *size) {
  switch (t->kind) {
  case ADD: return ghz_add(ctx, t->s[0], t->s[1], dst, capacity, size);
  case SUBTRACT: return ghz_subtract(ctx, t->s[0], t->s[1], dst, capacity, size);
  case NEGATE: return ghz_negate(ctx, t->s[0], dst, capacity, size);
  case SUM: return ghz_sum(ctx, t->k, t->s, dst, capacity, size);
  case COMBINE: return ghz_linear(ctx, t->k, t->s, t->c, 1, dst, capacity, size);
  case MEAN: return ghz_mean(ctx, t->k, t->s, dst, capacity, size);
  case SCALE: return ghz_scale(ctx, t->s[0], t->factor, dst, capacity, size);
  case MINIMUM: return ghz_minimum(ctx, t->s[0], t->s[1], dst, capacity, size);
  case MAXIMUM: return ghz_maximum(ctx, t->s[0], t->s[1], dst, capacity, size);
  default: return accumulate(ctx, t, dst, capacity, size);
  }
}

static result run(ghz_context *ctx, const task *t, size_t capacity) {
  result r = {.data = scratch(capacity), .size = 0};
  r.status = call(ctx, t, r.data, capacity, &r.size);
  MUST(r.status == GHZ_OK || ghz_context_message(ctx)[0], "status %d without a message", (int)r.status);
  MUST(r.size <= capacity, "%zu bytes in %zu", r.size, capacity);
  return r;
}

static result run_everywhere(const task *t, size_t capacity) {
  result first = run(fuzz_context(0), t, capacity);
  for (size_t i = 1; i < fuzz_contexts(); i++) {
    result other = run(fuzz_context(i), t, capacity);
    MUST(other.status == first.status, "%s: %d, not %d", ghz_context_isa(fuzz_context(i)), (int)other.status,
         (int)first.status);
    if (first.status == GHZ_OK)
      must_equal(other.data, other.size, first.data, first.size, ghz_context_isa(fuzz_context(i)));
  }
  return first;
}

/* ---- What is promised of it ---- */
static bool unary(enum kind kind) { return kind == NEGATE || kind == SCALE; }

static size_t operands(const task *t) {
  return unary(t->kind) ? 1 : t->kind == SUM || t->kind == COMBINE || t->kind == MEAN ? t->k : 2;
}

/* Terms of the result, or UINT32_MAX for too many. */
static uint32_t terms_of(const task *t) {
  double terms = 0;
  for (size_t i = 0; i < operands(t); i++) {
    ghz_info info;
    if (ghz_info_read(t->s[i], &info) != GHZ_OK)
      return 1;
    double own = t->kind == COMBINE ? fabs((double)t->c[i]) * info.terms : info.terms;
    terms = t->kind == MINIMUM || t->kind == MAXIMUM ? fmax(terms, own) : terms + own;
  }
  return terms >= UINT32_MAX ? UINT32_MAX : (uint32_t)terms;
}

/* Room that always suffices, the accumulator's own bytes included. */
static size_t room_for(const task *t, const ghz_info *info) {
  uint32_t terms = terms_of(t);
  size_t bound = ghz_shape_bound(&info->shape, info->lattice.type, terms ? terms : 1);
  return bound > t->s[0].size ? bound : t->s[0].size;
}

static bool all_decode(const task *t) {
  ghz_statistics st;
  for (size_t i = 0; i < operands(t); i++)
    if (ghz_scan(fuzz_context(0), t->s[i], &st) != GHZ_OK)
      return false;
  return true;
}

static bool all_honest(const task *t) {
  for (size_t i = 0; i < operands(t); i++)
    if (!honest(t->s[i]))
      return false;
  return true;
}

static ref_bytes reference(const task *t) {
  static const int64_t ones[OPERANDS] = {1, 1, 1, 1}, minus[2] = {1, -1}, negative[1] = {-1};
  ref_bytes s[OPERANDS];
  for (size_t i = 0; i < operands(t); i++)
    s[i] = fuzz_reference(t->s[i]);
  switch (t->kind) {
  case SUBTRACT: return ref_combine(2, s, minus, REF_PLAIN, 1);
  case NEGATE: return ref_combine(1, s, negative, REF_PLAIN, 1);
  case COMBINE: return ref_combine(t->k, s, t->c, REF_PLAIN, 1);
  case MEAN: return ref_mean(t->k, s);
  case SCALE: return ref_scale(s[0], t->factor);
  case MINIMUM:
  case MAXIMUM: return ref_extremum(s[0], s[1], t->kind == MAXIMUM);
  default: return ref_combine(operands(t), s, ones, REF_PLAIN, 1);
  }
}

static void check_reference(const task *t, const result *r) {
  ref_bytes want = reference(t);
  must_equal(r->data, r->size, want.data, want.size, "the reference");
}

/* Operands in reverse order; a difference changes its sign. */
static void check_reversed(const task *t, const result *r) {
  task other = *t;
  size_t k = operands(t);
  for (size_t i = 0; i < k; i++) {
    other.s[i] = t->s[k - 1 - i];
    other.c[i] = t->c[k - 1 - i];
  }
  if (t->kind == ACCUMULATE)
    other.kind = ADD;
  if (t->kind == SUBTRACT) {
    other.kind = COMBINE;
    other.k = 2;
    other.c[0] = -1;
    other.c[1] = 1;
  }
  result back = run(fuzz_context(fuzz_contexts() - 2), &other, r->size + 16384);
  MUST(back.status == GHZ_OK, "in reverse: %d", (int)back.status);
  must_equal(back.data, back.size, r->data, r->size, "in reverse");
}

/* The sum of the last operands, added to the first. */
static void check_grouped(const task *t, const result *r, const ghz_info *first) {
  task rest = {.kind = SUM, .k = t->k - 1}, whole = {.kind = ADD, .k = 2};
  memcpy(rest.s, t->s + 1, rest.k * sizeof *rest.s);
  result right = run(fuzz_context(0), &rest, r->size + ghz_shape_bound(&first->shape, GHZ_F64, 1000));
  if (right.status == GHZ_OK) {
    whole.s[0] = t->s[0];
    whole.s[1] = (ghz_bytes){right.data, right.size};
    result both = run(fuzz_context(0), &whole, r->size + 16384);
    MUST(both.status == GHZ_OK, "grouped: %d", (int)both.status);
    must_equal(both.data, both.size, r->data, r->size, "grouped");
  }
}

static void check_result(const task *t, const result *r, const ghz_info *first) {
  ghz_info info;
  ghz_bytes made = {r->data, r->size};
  MUST(ghz_info_read(made, &info) == GHZ_OK, "the result is no stream");
  MUST(info.count == first->count && info.lattice.type == first->lattice.type, "another array");
  MUST(info.shape.dims == first->shape.dims &&
           memcmp(info.shape.extent, first->shape.extent, sizeof info.shape.extent) == 0,
       "another shape");
  MUST(info.terms == terms_of(t), "%u terms", info.terms);
  if (all_decode(t))
    MUST(ref_check(r->data, r->size) != REF_BAD, "the result is damaged");
  if (!all_honest(t))
    return;
  check_reference(t, r);
  if (info.inexact)
    return;
  check_reversed(t, r);
  if (t->kind == SUM && t->k > 2)
    check_grouped(t, r, first);
}

/* With any room there is the same result, or an error that says what is wrong. */
static void check_room(const task *t, const result *r) {
  if (t->kind == ACCUMULATE && t->room < t->s[0].size)
    return;
  for (size_t i = 0; i < fuzz_contexts(); i++) {
    result other = run(fuzz_context(i), t, t->room);
    if (other.status == GHZ_OK)
      must_equal(other.data, other.size, r->data, r->size, "with less room");
    else
      MUST(other.status == GHZ_ECAPACITY || other.status == r->status, "with less room: %d", (int)other.status);
    MUST(other.status != GHZ_ECAPACITY || r->status != GHZ_OK || t->room < r->size, "%zu bytes are enough",
         t->room);
  }
}

/* ---- The input ---- */
/* Coefficients are small unless all eight bytes are wanted. */
static task choose_task(choices *c) {
  task t = {.kind = (enum kind)choose_below(c, KINDS)};
  t.k = 1 + (size_t)choose_below(c, OPERANDS);
  unsigned large = (unsigned)choose(c, 1);
  for (size_t i = 0; i < OPERANDS; i++) {
    t.c[i] = (int64_t)choose(c, 8);
    if (!(large >> i & 1))
      t.c[i] %= 200;
  }
  t.factor = choose_double(c);
  t.room = (size_t)choose(c, 2);
  return t;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  SCOPE;
  if (size < CHOICES)
    return 0;
  choices c = {data, size};
  task t = choose_task(&c);
  for (size_t i = 0; i < OPERANDS; i++)
    t.s[i] = c.left ? choose_part(&c) : t.s[0];
  ghz_info info;
  if (ghz_info_read(t.s[0], &info) != GHZ_OK)
    info = (ghz_info){.lattice = {.type = GHZ_F32}, .shape = ghz_flat(1), .count = 1};
  if (info.count > FUZZ_VALUES)
    return 0;
  result r = run_everywhere(&t, room_for(&t, &info));
  MUST(r.status != GHZ_ECAPACITY && r.status != GHZ_ENOMEM, "status %d with enough room", (int)r.status);
  if (r.status == GHZ_OK)
    check_result(&t, &r, &info);
  check_room(&t, &r);
  return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed) {
  uint64_t state = seed;
  return mutate_parts(data, size, room, CHOICES, &state);
}
