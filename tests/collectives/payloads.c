/* payloads.c: what a payload does with one piece, whatever call it is part of. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "payload/payloads.h"
#include "suite.h"
#include <math.h>
#include <string.h>

enum { COUNT = 40, ROOM = 1 << 16 };

static float x[COUNT], y[COUNT];
static part parts = {(uint8_t *)x, (uint8_t *)y, {1, {1, 1, COUNT}}};
static const piece whole = {.part = &parts, .tiles = 1};
static const plan flat = {.layout = {.shape = {1, {1, 1, COUNT}}}};
static ghz_mpi_report report;
static buffer_pool pool;
static payload_job job = {.pool = &pool,
                          .plan = &flat,
                          .order = GHZ_ORDER_BEST,
                          .contributions = 1,
                          .report = &report,
                          .value_size = 4};

/* A message of more terms than there are contributions, or of another eb, is refused; a lone
 * contribution to a sum has the bytes of a sum, which are others where it is raw. */
static void compressed_messages(void) {
  buffer *one = ghz_buffer_acquire(&pool), *two = ghz_buffer_acquire(&pool);
  ghz_slice expected = {.lattice = job.lattice, .shape = flat.layout.shape, .tiles = 1}, seen;
  suite_case("messages");
  job.total_contributions = 2;
  check(ghz_payload_homomorphic.encode(&job, &whole, one) == GHZ_OK, "no message");
  check(ghz_slice_sum(job.codec, 2, (ghz_slice[]){one->slice, one->slice}, two->memory, two->capacity,
                      &two->slice) == GHZ_OK,
        "no sum");
  const ghz_bytes sum = {two->memory, ghz_slice_size(&two->slice)};
  check(ghz_payload_view(&job, &expected, sum, &seen) == GHZ_OK && seen.terms == 2, "two terms are refused");
  job.total_contributions = 1;
  check(ghz_payload_view(&job, &expected, sum, &seen) == GHZ_EMISMATCH, "two terms of one contribution");
  job.total_contributions = 2;
  expected.lattice.eb = nextafter(expected.lattice.eb, 0);
  check(ghz_payload_view(&job, &expected, sum, &seen) == GHZ_EMISMATCH, "another eb");
  suite_case("a lone contribution");
  ghz_slice alone;
  job.total_contributions = 1;
  job.reduction = REDUCE_SUM;
  check(ghz_slice_sum(job.codec, 1, &one->slice, two->memory, two->capacity, &alone) == GHZ_OK, "no sum");
  buffer *out = ghz_buffer_acquire(&pool);
  check(ghz_payload_homomorphic.encode(&job, &whole, out) == GHZ_OK, "an error");
  check(out->size == ghz_slice_size(&alone) && memcmp(out->memory, two->memory, out->size) == 0, "is no sum");
  check(out->size != one->size, "the test's");
  ghz_buffer_release(&pool, out);
  ghz_buffer_release(&pool, two);
  ghz_buffer_release(&pool, one);
}

int main(int argc, char **argv) {
  suite_begin(argc, argv, MPI_THREAD_SINGLE);
  for (uint32_t i = 0; i < COUNT; i++) {
    x[i] = (float)(i * 2654435761U); /* more bits than a float has, in steps */
    y[i] = (float)i;
  }
  check(ghz_context_create(&job.codec, 1) == GHZ_OK, "no context");
  check(ghz_lattice_make(GHZ_F32, (ghz_bound){GHZ_ABS, 1}, 0, 0, &job.lattice) == GHZ_OK, "no lattice");
  check(ghz_buffer_pool_reserve(&pool, ROOM, 6), "no memory");
  compressed_messages();
  ghz_buffer_pool_free(&pool);
  ghz_context_free(job.codec);
  return suite_end(NULL);
}
