/* check.c: owns the comparison of the device's results with the CPU's bytes. */
#include "cuda.h"

#include <stdlib.h>
#include <string.h>

/* A buffer that grows. */
typedef struct buffer {
  unsigned char *data;
  size_t room;
} buffer;

static buffer expected, found, plain[2];

static unsigned char *grow(buffer *b, size_t bytes) {
  if (bytes > b->room) {
    free(b->data);
    b->data = touched(bytes);
    b->room = bytes;
  }
  return b->data;
}

static void must(const work *w, ghz_status status, const char *what) {
  if (status != GHZ_OK)
    die(what, ghz_context_message(w->v->cpu));
}

void check_close(void) {
  buffer *all[] = {&expected, &found, &plain[0], &plain[1]};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    free(all[i]->data);
    *all[i] = (buffer){0};
  }
}

/* Ends the program if the bytes differ. */
static void compare(const work *w, const char *what, int set, const void *got, size_t got_size,
                    const void *right, size_t right_size) {
  char text[400], size[24];
  const unsigned char *a = got, *b = right;
  size_t at = 0;
  if (got_size == right_size && memcmp(a, b, got_size) == 0)
    return;
  while (at < got_size && at < right_size && a[at] == b[at])
    at++;
  snprintf(text, sizeof text,
           "%s of %s, %s, set %d: %zu bytes where the CPU has %zu; they differ from byte %zu on", what,
           w->v->pair->name, size_text(w->bytes, size), set, got_size, right_size, at);
  die("wrong result", text);
}

static const char *host_values(const work *w, int side, int set) {
  return w->v->host[side] + w->first[set] * w->v->value_size;
}

static ghz_bytes host_operand(const work *w, int side, int set) {
  int same = set % w->distinct;
  return (ghz_bytes){w->host[side][same], w->size[side][same]};
}

/* Compresses n values on the CPU to `expected`. */
static size_t compress(const work *w, const void *x) {
  size_t size, room = ghz_size_bound(w->n, w->v->type, 1);
  must(w, ghz_compress(w->v->cpu, &w->lattice, GHZ_ORDER_BEST, x, w->n, grow(&expected, room), room, &size),
       "ghz_compress");
  return size;
}

static void check_operand(work *w, int side, int set) {
  size_t size = w->size[side][set];
  w->host[side][set] = touched(size);
  to_host(w->host[side][set], w->stream[side] + (size_t)set * w->stream_room, size);
  size_t right = compress(w, host_values(w, side, set));
  compare(w, "compress", set, w->host[side][set], size, expected.data, right);
}

/* ---- What the CPU makes ------------------------------------------------------------------------------------ */

static void decompress(const work *w, int side, int set, buffer *to) {
  must(w, ghz_decompress(w->v->cpu, host_operand(w, side, set), w->v->type, grow(to, w->bytes), w->n),
       "ghz_decompress");
}

static size_t sum(const work *w, int set, size_t room) {
  ghz_bytes operands[SUM_TERMS];
  size_t size;
  for (int j = 0; j < SUM_TERMS; j++) {
    int from, side;
    work_summand(w, set, j, &from, &side);
    operands[j] = host_operand(w, side, from);
  }
  must(w, ghz_sum(w->v->cpu, SUM_TERMS, operands, grow(&expected, room), room, &size), "ghz_sum");
  return size;
}

static void add_plain(const work *w) {
#pragma omp parallel for
  for (size_t i = 0; i < w->n; i++)
    if (w->v->type == GHZ_F64)
      ((double *)plain[0].data)[i] += ((const double *)plain[1].data)[i];
    else
      ((float *)plain[0].data)[i] += ((const float *)plain[1].data)[i];
}

static size_t separate(const work *w, int set) {
  for (int side = 0; side < 2; side++)
    decompress(w, side, set, &plain[side]);
  add_plain(w);
  return compress(w, plain[0].data);
}

/* Makes the stream that an operation should return, in `expected`; returns its size. */
static size_t right_stream(const work *w, operation op, int set) {
  size_t room = ghz_size_bound(w->n, w->v->type, SUM_TERMS), size = 0;
  ghz_bytes a = host_operand(w, 0, set), b = host_operand(w, 1, set);
  switch (op) {
  case OP_COMPRESS:
    return compress(w, host_values(w, 0, set));
  case OP_SUBTRACT:
    must(w, ghz_subtract(w->v->cpu, a, b, grow(&expected, room), room, &size), "ghz_subtract");
    return size;
  case OP_SUM:
    return sum(w, set, room);
  case OP_SEPARATE:
    return separate(w, set);
  default:
    must(w, ghz_add(w->v->cpu, a, b, grow(&expected, room), room, &size), "ghz_add");
    return size;
  }
}

/* ---- Comparing ----------------------------------------------------------------------------------------------- */

static void check_stream(const work *w, operation op, int set) {
  const char *from =
      op == OP_ACCUMULATE ? w->acc + (size_t)set * w->acc_room : w->out + (size_t)set * w->out_stride;
  size_t size = w->result[op][set];
  to_host(grow(&found, size), from, size);
  size_t right = right_stream(w, op, set);
  compare(w, cuda_operations[op], set, found.data, size, expected.data, right);
}

/* Values that the device has written are `right`. */
static void check_plain(const work *w, const slot *s, operation op, int set, const void *right, size_t bytes) {
  to_host(grow(&found, bytes), plain_of(w, s, 0, set), bytes);
  compare(w, cuda_operations[op], set, found.data, bytes, right, bytes);
}

static void check_range(const work *w, int set) {
  double range[2];
  must(w, ghz_range(w->v->cpu, w->v->type, host_values(w, 0, set), w->n, &range[0], &range[1]), "ghz_range");
  compare(w, cuda_operations[OP_RANGE], set, w->range[0], sizeof range, range, sizeof range);
}

static void check_result(const work *w, const slot *s, operation op, int set) {
  switch (op) {
  case OP_COPY:
    check_plain(w, s, op, set, host_values(w, 0, set), w->bytes);
    break;
  case OP_RANGE:
    check_range(w, set);
    break;
  case OP_DECOMPRESS:
    decompress(w, 0, set, &plain[0]);
    check_plain(w, s, op, set, plain[0].data, w->bytes);
    break;
  case OP_PART:
    decompress(w, 0, set, &plain[0]);
    check_plain(w, s, op, set, plain[0].data + part_first(w) * w->v->value_size,
                part_count(w) * w->v->value_size);
    break;
  default:
    check_stream(w, op, set);
  }
}

void check_all(work *w, const slot *s) {
  for (int side = 0; side < 2; side++)
    for (int set = 0; set < w->distinct; set++)
      check_operand(w, side, set);
  for (int op = 0; op < OPS; op++) {
    int sets = work_usable_sets(w, (operation)op);
    work_restore(w, s, (operation)op, sets);
    for (int set = 0; set < sets; set++) {
      work_run(w, s, (operation)op, set);
      if (set < w->distinct)
        check_result(w, s, (operation)op, set);
    }
  }
}
