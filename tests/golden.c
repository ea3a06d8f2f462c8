/* golden.c: the table of golden streams: types, orders and tile modes, small enough to keep. */
#include "golden.h"
#include "inputs.h"
#include <stdlib.h>
#include <string.h>

const golden_case golden_cases[] = {
#include "golden_cases.inc"
};
const size_t golden_count = sizeof golden_cases / sizeof *golden_cases;

static ref_bytes fail_free_alloc(size_t size) {
  ref_bytes bytes = {malloc(size ? size : 1), size};
  if (!bytes.data)
    abort();
  return bytes;
}

static ref_bytes one_array(const golden_case *g, ghz_context *ctx, uint64_t seed) {
  ghz_lattice lattice;
  ghz_bound bound = {GHZ_ABS, g->eb};
  if (ghz_lattice_make(g->type, bound, 0, 0, &lattice) != GHZ_OK)
    abort();
  void *x = input_make(input_named(g->maker), g->type, g->n, lattice.step, seed);
  ref_bytes out = fail_free_alloc(ghz_size_bound(g->n, g->type, 1));
  size_t size;
  if (ghz_compress(ctx, &lattice, g->order, x, g->n, out.data, out.size, &size) != GHZ_OK)
    abort();
  out.size = size;
  free(x);
  return out;
}

ref_bytes golden_stream(const golden_case *g, ghz_context *ctx) {
  ref_bytes total = fail_free_alloc(ghz_size_bound(g->n, g->type, (uint32_t)g->copies));
  size_t capacity = total.size;
  ref_bytes first = one_array(g, ctx, g->seed);
  memcpy(total.data, first.data, first.size);
  total.size = first.size;
  ref_free(&first);
  for (int i = 1; i < g->copies; i++) {
    ref_bytes next = one_array(g, ctx, g->seed + (uint64_t)i);
    ghz_bytes operand = {next.data, next.size};
    if (ghz_accumulate(ctx, total.data, capacity, &total.size, operand) != GHZ_OK)
      abort();
    ref_free(&next);
  }
  return total;
}

static void canonical_nans(ghz_type type, uint8_t *values, size_t n) {
  size_t each = ghz_type_size(type);
  for (size_t i = 0; i < n; i++) {
    uint64_t bits = 0;
    memcpy(&bits, values + each * i, each);
    bits = ref_bits((int)type, ref_value((int)type, bits));
    memcpy(values + each * i, &bits, each);
  }
}

const char *golden_ending(const char *name) {
  return strstr(name, "message") ? "msg" : "ghz";
}

/* All tiles of a stream, or those of a message. */
static ghz_slice tiles_of(ghz_bytes src) {
  ghz_slice slice;
  ghz_info info;
  if (src.size >= 4 && memcmp(src.data, "GHZM", 4) == 0) {
    if (ghz_slice_parse(src, &slice) != GHZ_OK)
      abort();
  } else if (ghz_info_read(src, &info) != GHZ_OK || ghz_slice_view(src, 0, info.tiles, &slice) != GHZ_OK) {
    abort();
  }
  return slice;
}

uint64_t golden_checksum(ref_bytes stream, ghz_context *ctx) {
  ghz_slice slice = tiles_of((ghz_bytes){stream.data, stream.size});
  ghz_type type = slice.lattice.type;
  size_t count = ghz_slice_count(&slice), size = count * ghz_type_size(type);
  ref_bytes values = fail_free_alloc(size);
  uint64_t hash = 0xcbf29ce484222325u;
  if (ghz_slice_decompress(ctx, &slice, type, values.data) != GHZ_OK)
    abort();
  canonical_nans(type, values.data, count);
  for (size_t i = 0; i < size; i++)
    hash = (hash ^ values.data[i]) * 0x100000001b3u;
  ref_free(&values);
  return hash;
}
