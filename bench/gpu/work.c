/* work.c: the operands and results of calls in device memory, and one call of each operation. */
#include "add_floats.h"
#include "gpu_bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STREAMS_BYTES_MOST (4096 * MIB) /* of the operands and results of all sets */
#define ACC_BYTES_MOST (4096 * MIB)     /* of the buffers of OP_ACCUMULATE */
#define L2_IF_UNKNOWN (64 * MIB)
#define PARTS 3 /* outcomes of a call; OP_SEPARATE makes so many, the others one */

const char *const operation_names[OPS] = {"copy", "compress", "decompress", "part",     "range",
                                          "add",  "subtract", "accumulate", "sum of 8", "separate"};

static size_t round_up(size_t x, size_t unit) {
  return (x + unit - 1) / unit * unit;
}

static void must(ghz_status status, const char *what, const lane *l) {
  if (status != GHZ_OK)
    die(what, l ? ghz_cuda_message(l->gpu) : ghz_status_text(status));
}

/* ---- Values ------------------------------------------------------------------------------------------ */

values values_make(const options *o, const input *in, size_t n) {
  values v = {.in = in,
              .type = o->type,
              .n = n,
              .value_size = ghz_type_size(o->type),
              .low = INFINITY,
              .high = -INFINITY};
  const char *names[2] = {in->a, in->b};
  for (int i = 0; i < 2 && names[i]; i++) {
    double low, high;
    v.host[i] = malloc(n * v.value_size);
    if (!v.host[i])
      die("out of memory", in->name);
    field_fill(o, names[i], n, v.host[i]);
    v.device[i] = device_new(n * v.value_size);
    to_device(v.device[i], v.host[i], n * v.value_size);
    check_range(v.type, v.host[i], n, &low, &high);
    v.low = fmin(v.low, low);
    v.high = fmax(v.high, high);
  }
  return v;
}

void values_free(values *v) {
  for (int i = 0; i < 2; i++)
    if (v->host[i]) {
      free(v->host[i]);
      device_free(v->device[i]);
    }
}

/* ---- Single calls ------------------------------------------------------------------------------------ */

bool work_has(const work *w, operation op) {
  return op == OP_COPY || (op >= OP_ADD) == (w->v->in->b != NULL);
}

size_t part_first(const work *w) {
  return w->n / 3;
}

size_t part_count(const work *w) {
  return w->n / 4;
}

char *plain_at(const work *w, const lane *l, int side, int set) {
  return l->plain[side] + (size_t)set % (l->plain_bytes / w->bytes) * w->bytes;
}

static const char *values_at(const work *w, int side, int set) {
  return w->v->device[side] + w->place[set] * w->v->value_size;
}

static ghz_bytes operand(const work *w, int side, int set) {
  return (ghz_bytes){w->stream[side] + (size_t)set * w->stream_room, w->size[side][set]};
}

void work_summand(const work *w, int sum, int j, int *set, int *side) {
  *set = (sum * (SUMMED / 2) + j / 2) % w->sets;
  *side = j % 2;
}

static ghz_status sum(const work *w, const lane *l, int set, void *out, ghz_cuda_outcome *outcome) {
  ghz_bytes operands[SUMMED];
  for (int j = 0; j < SUMMED; j++) {
    int from, side;
    work_summand(w, set, j, &from, &side);
    operands[j] = operand(w, side, from);
  }
  return ghz_cuda_sum(l->gpu, w->v->type, w->n, SUMMED, operands, out, w->out_room, outcome, l->stream);
}

static ghz_status decompress(const work *w, const lane *l, int side, int set, ghz_cuda_outcome *outcome) {
  return ghz_cuda_decompress(l->gpu, w->v->type, w->n, operand(w, side, set), w->v->type,
                             plain_at(w, l, side, set), outcome, l->stream);
}

static ghz_status compress(const work *w, const lane *l, const void *x, void *out, size_t room,
                           ghz_cuda_outcome *outcome) {
  return ghz_cuda_compress(l->gpu, &w->lattice, GHZ_ORDER_BEST, x, w->n, out, room, outcome, l->stream);
}

static ghz_status separate(const work *w, const lane *l, int set, void *out, ghz_cuda_outcome outcomes[PARTS]) {
  for (int side = 0; side < 2; side++) {
    ghz_status status = decompress(w, l, side, set, &outcomes[1 + side]);
    if (status != GHZ_OK)
      return status;
  }
  char *acc = plain_at(w, l, 0, set);
  must_cuda(add_floats(w->v->type, acc, plain_at(w, l, 1, set), w->n, l->stream), "addition of floats");
  return compress(w, l, acc, out, w->out_room, &outcomes[0]);
}

void work_call(const work *w, const lane *l, operation op, int set, int call) {
  ghz_type type = w->v->type;
  ghz_cuda_outcome *outcome = &w->outcomes[call * PARTS];
  char *out = w->out + (size_t)set * w->out_stride;
  ghz_status status = GHZ_OK;
  switch (op) {
  case OP_COPY:
    must_cuda(cudaMemcpyAsync(plain_at(w, l, 0, set), values_at(w, 0, set), w->bytes, cudaMemcpyDeviceToDevice,
                              l->stream),
              "cudaMemcpyAsync");
    break;
  case OP_COMPRESS:
    status = compress(w, l, values_at(w, 0, set), out, w->out_room, outcome);
    break;
  case OP_DECOMPRESS:
    status = decompress(w, l, 0, set, outcome);
    break;
  case OP_PART:
    status = ghz_cuda_decompress_range(l->gpu, type, w->n, operand(w, 0, set), type, part_first(w),
                                       part_count(w), plain_at(w, l, 0, set), outcome, l->stream);
    break;
  case OP_RANGE:
    status = ghz_cuda_range(l->gpu, type, values_at(w, 0, set), w->n, w->range[call], l->stream);
    break;
  case OP_ADD:
    status = ghz_cuda_add(l->gpu, type, w->n, operand(w, 0, set), operand(w, 1, set), out, w->out_room, outcome,
                          l->stream);
    break;
  case OP_SUBTRACT:
    status = ghz_cuda_subtract(l->gpu, type, w->n, operand(w, 0, set), operand(w, 1, set), out, w->out_room,
                               outcome, l->stream);
    break;
  case OP_ACCUMULATE:
    status = ghz_cuda_accumulate(l->gpu, type, w->n, w->acc + (size_t)set * w->acc_room, w->acc_room,
                                 operand(w, 1, set), outcome, l->stream);
    break;
  case OP_SUM:
    status = sum(w, l, set, out, outcome);
    break;
  default:
    status = separate(w, l, set, out, outcome);
  }
  must(status, operation_names[op], l);
}

void work_restore(const work *w, const lane *l, operation op, int sets) {
  for (int set = 0; set < sets && op == OP_ACCUMULATE; set++)
    must_cuda(cudaMemcpyAsync(w->acc + (size_t)set * w->acc_room, operand(w, 0, set).data, w->size[0][set],
                              cudaMemcpyDeviceToDevice, l->stream),
              "cudaMemcpyAsync");
}

void work_check(const work *w, operation op, int calls) {
  if (op == OP_COPY || op == OP_RANGE)
    return;
  for (int call = 0; call < calls; call++)
    for (int part = 0; part < (op == OP_SEPARATE ? PARTS : 1); part++)
      must((ghz_status)w->outcomes[call * PARTS + part].status, operation_names[op], NULL);
}

/* ---- What a call handles ------------------------------------------------------------------------------- */

double work_original(const work *w, operation op) {
  return op == OP_PART ? (double)(part_count(w) * w->v->value_size) : (double)w->bytes;
}

double work_packed(const work *w, operation op, int set) {
  if (op == OP_COPY || op == OP_RANGE)
    return NAN;
  return (double)(op == OP_DECOMPRESS || op == OP_PART ? w->size[0][set] : w->result[op][set]);
}

/* Bytes of all operands of a sum. */
static double summed_bytes(const work *w, int set) {
  double all = 0;
  for (int j = 0; j < SUMMED; j++) {
    int from, side;
    work_summand(w, set, j, &from, &side);
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
  case OP_PART:
    return work_original(w, op) * (1 + (double)w->size[0][set] / bytes);
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

int work_sets(const work *w, operation op) {
  size_t cache = device_l2() ? device_l2() : L2_IF_UNKNOWN;
  double most = w->sets, moved = 0;
  if (op == OP_SUM)
    most = w->sets / (SUMMED / 2);
  else if (op == OP_ACCUMULATE)
    most = w->acc_sets;
  for (int set = 0; set < w->sets; set++)
    moved += work_moved(w, op, op == OP_SUM ? set % (int)most : set) / w->sets;
  return (int)fmax(1, fmin(most, ceil(4 * (double)cache / moved)));
}

/* ---- Making sets --------------------------------------------------------------------------------------- */

static size_t common_divisor(size_t a, size_t b) {
  return b ? common_divisor(b, a % b) : a;
}

/* Places of sets, in an order whose beginnings are spread over all values, too: steps of the golden ratio. */
static void place_sets(work *w, int sets) {
  size_t slots = w->v->n / w->n, step = (size_t)(0.618 * (double)slots) + 1;
  while (common_divisor(step, slots) != 1)
    step++;
  w->sets = sets;
  for (int set = 0; set < sets; set++)
    w->place[set] = (size_t)set * step % slots * w->n;
  w->distinct = slots < (size_t)sets ? (int)slots : sets;
}

/* Makes an operand at `out`, waits, and returns its size. */
static size_t make_operand(const work *w, const lane *l, int side, int set, void *out, size_t room) {
  must(compress(w, l, values_at(w, side, set), out, room, &w->outcomes[0]), "compress", l);
  must(ghz_cuda_wait(l->gpu, &w->outcomes[0], NULL, l->stream), "compress", l);
  return (size_t)w->outcomes[0].size;
}

/* The sizes of all operands that there may be; the largest in stream_room. */
static void find_sizes(work *w, const lane *l, int sides) {
  w->stream_room = 0;
  for (int side = 0; side < sides; side++)
    for (int set = 0; set < w->sets; set++) {
      size_t size = set < w->distinct ? make_operand(w, l, side, set, w->out, w->out_room)
                                      : w->size[side][set - w->distinct];
      w->size[side][set] = size;
      w->stream_room = size > w->stream_room ? size : w->stream_room;
    }
  w->stream_room = round_up(w->stream_room, 256);
}

/* So many sets that an operation with little to move fills the L2 cache four times; a multiple of what a sum takes. */
static void choose_sets(work *w) {
  operation least = w->v->in->b ? OP_ADD : OP_DECOMPRESS;
  size_t unit = SUMMED / 2, sets = round_up((size_t)work_sets(w, least), unit);
  while (sets > unit && sets * 3 * w->stream_room > STREAMS_BYTES_MOST)
    sets -= unit;
  w->sets = (int)sets;
  w->distinct = w->sets < w->distinct ? w->sets : w->distinct;
}

static void make_operands(work *w, const lane *l, int sides) {
  for (int side = 0; side < sides; side++) {
    w->stream[side] = device_new((size_t)w->sets * w->stream_room);
    for (int set = 0; set < w->sets; set++) {
      make_operand(w, l, side, set, w->stream[side] + (size_t)set * w->stream_room, w->stream_room);
      if (set < w->distinct)
        check_operand(w, side, set);
    }
  }
}

static void make_accumulators(work *w) {
  w->acc_room = round_up(ghz_size_bound(w->n, w->v->type, 2), 256);
  w->acc_sets = w->sets;
  while (w->acc_sets > 1 && (size_t)w->acc_sets * w->acc_room > ACC_BYTES_MOST)
    w->acc_sets--;
  w->acc = device_new((size_t)w->acc_sets * w->acc_room);
}

/* Runs an operation once on every set that it may use. */
static void run_once(work *w, const lane *l, operation op) {
  int sets = op == OP_SUM ? w->sets / (SUMMED / 2) : op == OP_ACCUMULATE ? w->acc_sets : w->sets;
  work_restore(w, l, op, op == OP_ACCUMULATE ? sets : 0);
  for (int set = 0; set < sets; set++) {
    work_call(w, l, op, set, 0);
    must_cuda(cudaStreamSynchronize(l->stream), operation_names[op]);
    work_check(w, op, 1);
    if (op != OP_COPY && op != OP_RANGE)
      w->result[op][set] = (size_t)w->outcomes[0].size;
    if (set < w->distinct)
      check_result(w, l, op, set);
  }
}

/* Bytes that the result of every measured operation fits in. */
static size_t result_room(const work *w) {
  size_t most = w->stream_room;
  for (int op = OP_COMPRESS; op < OPS; op++)
    for (int set = 0; set < w->sets; set++)
      if (op != OP_DECOMPRESS && op != OP_PART && w->result[op][set] > most)
        most = w->result[op][set];
  return round_up(most, 256);
}

work work_make(const options *o, const values *v, const lane *l, double bound, size_t n) {
  work w = {.v = v, .n = n, .bytes = n * v->value_size};
  int sides = v->in->b ? 2 : 1;
  must(ghz_lattice_make(v->type, (ghz_bound){GHZ_REL, bound}, v->low, v->high, &w.lattice), "ghz_lattice_make",
       NULL);
  void *pinned;
  must_cuda(cudaMallocHost(&pinned, CALLS_MOST * PARTS * sizeof *w.outcomes), "cudaMallocHost");
  w.outcomes = pinned;
  must_cuda(cudaMallocHost(&pinned, CALLS_MOST * sizeof *w.range), "cudaMallocHost");
  w.range = pinned;
  w.out_room = ghz_size_bound(n, v->type, SUMMED);
  w.out = device_new(w.out_room);
  place_sets(&w, o->sets);
  find_sizes(&w, l, sides);
  choose_sets(&w);
  make_operands(&w, l, sides);
  if (work_has(&w, OP_ACCUMULATE))
    make_accumulators(&w);
  for (int op = 0; op < OPS; op++)
    if (work_has(&w, (operation)op))
      run_once(&w, l, (operation)op);
  device_free(w.out);
  w.out_room = w.out_stride = result_room(&w);
  w.out = device_new((size_t)w.sets * w.out_stride);
  return w;
}

void work_free(work *w) {
  for (int side = 0; side < 2; side++) {
    for (int set = 0; set < SETS_MOST; set++)
      free(w->host[side][set]);
    if (w->stream[side])
      device_free(w->stream[side]);
  }
  if (w->acc)
    device_free(w->acc);
  device_free(w->out);
  must_cuda(cudaFreeHost(w->outcomes), "cudaFreeHost");
  must_cuda(cudaFreeHost(w->range), "cudaFreeHost");
}
