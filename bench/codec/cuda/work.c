/* work.c: owns operands and results in device memory, and one call of each operation. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cuda.h"

#include <math.h>

#define MAX_STREAM_BYTES (4096 * MIB) /* of the operands and results of all sets */
#define L2_IF_UNKNOWN (64 * MIB)
#define PARTS 3 /* outcomes of OP_SEPARATE; the others have one */

const char *const cuda_operations[OPS] = {"copy", "compress", "decompress", "range",
                                          "add",  "sum of 8", "separate"};

static size_t round_up(size_t x, size_t unit) {
  return (x + unit - 1) / unit * unit;
}

static void must_gpu(ghz_status status, const char *what, const slot *s) {
  if (status != GHZ_OK)
    die(what, s ? ghz_cuda_message(s->gpu) : ghz_status_text(status));
}

/* ---- Single calls ---------------------------------------------------------------------------- */

/* Where a slot's decompressed values of a set are. */
static char *plain_of(const work *w, const slot *s, int side, int set) {
  return s->plain[side] + (size_t)set % (s->plain_bytes / w->bytes) * w->bytes;
}

static const char *values_at(const work *w, int side, int set) {
  return w->v->device[side] + w->first[set] * w->v->value_size;
}

static ghz_bytes operand(const work *w, int side, int set) {
  return (ghz_bytes){w->stream[side] + (size_t)set * w->stream_room, w->size[side][set]};
}

/* Which operand (side 0 or 1 of a set) operand j of a sum is. */
static void summand(const work *w, int sum, int j, int *set, int *side) {
  *set = (sum * (SETS_PER_SUM) + j / 2) % w->sets;
  *side = j % 2;
}

static ghz_status sum(const work *w, const slot *s, int set, void *out, ghz_cuda_outcome *outcome) {
  ghz_bytes operands[SUM_TERMS];
  for (int j = 0; j < SUM_TERMS; j++) {
    int from, side;
    summand(w, set, j, &from, &side);
    operands[j] = operand(w, side, from);
  }
  return ghz_cuda_sum(s->gpu, w->v->type, w->shape, SUM_TERMS, operands, out, w->out_room, outcome, s->stream);
}

static ghz_status decompress(const work *w, const slot *s, int side, int set, ghz_cuda_outcome *outcome) {
  return ghz_cuda_decompress(s->gpu, w->v->type, w->shape, operand(w, side, set), w->v->type,
                             plain_of(w, s, side, set), outcome, s->stream);
}

static ghz_status compress(const work *w, const slot *s, const void *x, void *out, size_t room,
                           ghz_cuda_outcome *outcome) {
  return ghz_cuda_compress(s->gpu, &w->lattice, GHZ_ORDER_BEST, x, w->shape, out, room, outcome, s->stream);
}

static ghz_status separate(const work *w, const slot *s, int set, void *out, ghz_cuda_outcome outcomes[PARTS]) {
  for (int side = 0; side < 2; side++) {
    ghz_status status = decompress(w, s, side, set, &outcomes[1 + side]);
    if (status != GHZ_OK)
      return status;
  }
  char *acc = plain_of(w, s, 0, set);
  must_cuda(add_floats(w->v->type, acc, plain_of(w, s, 1, set), w->n, s->stream), "addition of floats");
  return compress(w, s, acc, out, w->out_room, &outcomes[0]);
}

void work_call(const work *w, const slot *s, operation op, int set, int call) {
  ghz_type type = w->v->type;
  ghz_cuda_outcome *outcome = &w->outcomes[call * PARTS];
  char *out = w->out + (size_t)set * w->out_stride;
  ghz_status status = GHZ_OK;
  switch (op) {
  case OP_COPY:
    must_cuda(cudaMemcpyAsync(plain_of(w, s, 0, set), values_at(w, 0, set), w->bytes, cudaMemcpyDeviceToDevice,
                              s->stream),
              "cudaMemcpyAsync");
    break;
  case OP_COMPRESS:
    status = compress(w, s, values_at(w, 0, set), out, w->out_room, outcome);
    break;
  case OP_DECOMPRESS:
    status = decompress(w, s, 0, set, outcome);
    break;
  case OP_RANGE:
    status = ghz_cuda_range(s->gpu, type, values_at(w, 0, set), w->n, w->range[call], s->stream);
    break;
  case OP_ADD:
    status = ghz_cuda_add(s->gpu, type, w->shape, operand(w, 0, set), operand(w, 1, set), out, w->out_room,
                          outcome, s->stream);
    break;
  case OP_SUM:
    status = sum(w, s, set, out, outcome);
    break;
  default:
    status = separate(w, s, set, out, outcome);
  }
  must_gpu(status, cuda_operations[op], s);
}

void work_must(const work *w, operation op, int calls) {
  if (op == OP_COPY || op == OP_RANGE)
    return;
  for (int call = 0; call < calls; call++)
    for (int part = 0; part < (op == OP_SEPARATE ? PARTS : 1); part++)
      must_gpu((ghz_status)w->outcomes[call * PARTS + part].status, cuda_operations[op], NULL);
}

/* ---- What a call handles --------------------------------------------------------------------- */

double work_packed(const work *w, operation op, int set) {
  if (op == OP_COPY || op == OP_RANGE)
    return NAN;
  return (double)(op == OP_DECOMPRESS ? w->size[0][set] : w->result[op][set]);
}

/* Bytes of all operands of a sum. */
static double summed_bytes(const work *w, int set) {
  double all = 0;
  for (int j = 0; j < SUM_TERMS; j++) {
    int from, side;
    summand(w, set, j, &from, &side);
    all += (double)w->size[side][from];
  }
  return all;
}

double work_moved(const work *w, operation op, int set) {
  double bytes = (double)w->bytes, both = (double)w->size[0][set] + (double)w->size[1][set];
  double result = (double)w->result[op][set];
  switch (op) {
  case OP_COPY:
    return 2 * bytes;
  case OP_COMPRESS:
    return bytes + result;
  case OP_DECOMPRESS:
    return bytes + (double)w->size[0][set];
  case OP_RANGE:
    return bytes;
  case OP_SUM:
    return summed_bytes(w, set) + result;
  case OP_SEPARATE: /* two arrays written, two read and one written, one read */
    return both + 6 * bytes + result;
  default:
    return both + result;
  }
}

int work_usable_sets(const work *w, operation op) {
  return op == OP_SUM ? w->sets / SETS_PER_SUM : w->sets;
}

int work_round_sets(const work *w, operation op) {
  size_t cache = device_l2() ? device_l2() : L2_IF_UNKNOWN;
  int usable = work_usable_sets(w, op);
  double moved = 0;
  for (int set = 0; set < w->sets; set++)
    moved += work_moved(w, op, op == OP_SUM ? set % usable : set) / w->sets;
  return (int)fmax(1, fmin(usable, ceil(4 * (double)cache / moved)));
}

/* ---- Making sets ----------------------------------------------------------------------------- */

static size_t common_divisor(size_t a, size_t b) {
  return b ? common_divisor(b, a % b) : a;
}

/* Spreads the sets over all values by steps of the golden ratio: the first few are apart, too. */
static void spread_sets(work *w, int sets) {
  size_t slots = w->v->n / w->n, step = (size_t)(0.618 * (double)slots) + 1;
  while (common_divisor(step, slots) != 1)
    step++;
  w->sets = sets;
  for (int set = 0; set < sets; set++)
    w->first[set] = (size_t)set * step % slots * w->n;
  w->distinct = slots < (size_t)sets ? (int)slots : sets;
}

/* Makes an operand at `out`, waits, and returns its size. */
static size_t make_operand(const work *w, const slot *s, int side, int set, void *out, size_t room) {
  must_gpu(compress(w, s, values_at(w, side, set), out, room, &w->outcomes[0]), "compress", s);
  must_gpu(ghz_cuda_wait(s->gpu, &w->outcomes[0], NULL, s->stream), "compress", s);
  return (size_t)w->outcomes[0].size;
}

/* Finds the sizes of all possible operands, and the largest for stream_room. */
static void find_sizes(work *w, const slot *s) {
  w->stream_room = 0;
  for (int side = 0; side < 2; side++)
    for (int set = 0; set < w->sets; set++) {
      size_t size = set < w->distinct ? make_operand(w, s, side, set, w->out, w->out_room)
                                      : w->size[side][set - w->distinct];
      w->size[side][set] = size;
      w->stream_room = size > w->stream_room ? size : w->stream_room;
    }
  w->stream_room = round_up(w->stream_room, 256);
}

/* So many sets that an addition fills the L2 cache four times; a multiple of what a sum takes. */
static void choose_sets(work *w) {
  size_t unit = SETS_PER_SUM, sets = round_up((size_t)work_round_sets(w, OP_ADD), unit);
  while (sets > unit && sets * 3 * w->stream_room > MAX_STREAM_BYTES)
    sets -= unit;
  w->sets = (int)sets;
  w->distinct = w->sets < w->distinct ? w->sets : w->distinct;
}

static void make_operands(work *w, const slot *s) {
  for (int side = 0; side < 2; side++) {
    w->stream[side] = device_new((size_t)w->sets * w->stream_room);
    for (int set = 0; set < w->sets; set++)
      make_operand(w, s, side, set, w->stream[side] + (size_t)set * w->stream_room, w->stream_room);
  }
}

void work_run(work *w, const slot *s, operation op, int set) {
  work_call(w, s, op, set, 0);
  must_cuda(cudaStreamSynchronize(s->stream), cuda_operations[op]);
  work_must(w, op, 1);
  if (op != OP_COPY && op != OP_RANGE)
    w->result[op][set] = (size_t)w->outcomes[0].size;
}

/* Bytes that the result of every measured operation fits in. */
static size_t result_room(const work *w) {
  size_t most = w->stream_room;
  for (int op = OP_COMPRESS; op < OPS; op++)
    for (int set = 0; set < w->sets; set++)
      if (op != OP_DECOMPRESS && w->result[op][set] > most)
        most = w->result[op][set];
  return round_up(most, 256);
}

void work_fit(work *w) {
  device_free(w->out);
  w->out_room = w->out_stride = result_room(w);
  w->out = device_new((size_t)w->sets * w->out_stride);
}

ghz_shape work_bricks(const pair *p, size_t n) {
  const ghz_shape whole = field_shape(&p->a);
  const size_t width = (size_t)whole.extent[2], plane = width * (size_t)whole.extent[1];
  const size_t unit = whole.dims == 3 ? plane : width, depth = n / unit;
  if (whole.dims == 1 || n % unit || depth < (whole.dims == 3 ? 8 : 32))
    return ghz_flat(n);
  return whole.dims == 3 ? (ghz_shape){3, {depth, whole.extent[1], width}} : (ghz_shape){2, {1, depth, width}};
}

work work_open(const values *v, const slot *s, double bound, const ghz_shape *shape, bool few_sets) {
  const size_t n = (size_t)ghz_shape_count(shape);
  work w = {.v = v, .n = n, .bytes = n * v->value_size, .shape = *shape};
  must_gpu(ghz_lattice_make(v->type, (ghz_bound){GHZ_REL, bound}, v->low, v->high, &w.lattice),
           "ghz_lattice_make", NULL);
  w.outcomes = pinned_new(MAX_CALLS * PARTS * sizeof *w.outcomes);
  w.range = pinned_new(MAX_CALLS * sizeof *w.range);
  w.out_room = ghz_shape_bound(shape, v->type, SUM_TERMS);
  w.out = device_new(w.out_room);
  spread_sets(&w, few_sets ? 2 * SETS_PER_SUM : MAX_SETS);
  find_sizes(&w, s);
  choose_sets(&w);
  make_operands(&w, s);
  return w;
}

void work_close(work *w) {
  for (int side = 0; side < 2; side++)
    device_free(w->stream[side]);
  device_free(w->out);
  must_cuda(cudaFreeHost(w->outcomes), "cudaFreeHost");
  must_cuda(cudaFreeHost(w->range), "cudaFreeHost");
}
