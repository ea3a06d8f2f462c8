/* any_size.c: with threshold 0 messages of any size have the same bits: no value, one value, one
 * more or less than a tile, whatever the collective and however often the call is made. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "expected.h"
#include "suite.h"

static const uint64_t counts[] = {0, 1, 7, 1023, 1025};

static call call_of(collective what, ghz_type type, operation op, uint64_t count, ghz_bound bound) {
  return (call){.what = what,
                .mode = GHZ_MPI_MODE_AUTO,
                .type = type,
                .op = op,
                .root = here.ranks / 2,
                .count = count,
                .bound = bound,
                .data = {FIELD_ROUGH, 0, 5},
                .threads = 1};
}

/* The sum of the hashes of what all ranks received. */
static uint64_t traced(const call *s) {
  call_result l = make_call(s, MPI_COMM_WORLD);
  uint64_t hash = l.result ? hash_bytes(l.result, l.values * value_size(s)) % (UINT64_C(1) << 50) : 0, all = 0;
  check(l.report.mode == GHZ_MPI_HOMOMORPHIC || here.ranks == 1, "it is not compressed");
  check_expected(s, &l, MPI_COMM_WORLD);
  check_same_bits(s, &l, MPI_COMM_WORLD);
  call_result_free(&l);
  MPI_Allreduce(&hash, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

static int gives_a_choice(collective what, ghz_mpi_algorithm a) {
  return a == GHZ_MPI_ALGORITHM_AUTO || has_algorithm(what, a);
}

static void every_way(call *s) {
  suite_case("%s", call_text(s));
  uint64_t want = traced(s);
  for (int a = GHZ_MPI_ALGORITHM_AUTO; a <= GHZ_MPI_LINEAR; a++)
    if (gives_a_choice(s->what, (ghz_mpi_algorithm)a) && here.ranks > 1) {
      s->algorithm = (ghz_mpi_algorithm)a;
      suite_case("%s", call_text(s));
      check(traced(s) == want, "other bits than the first call's");
    }
}

int main(int argc, char **argv) {
  static const ghz_bound bounds[] = {{GHZ_ABS, 100}, {GHZ_REL, 1e-4}};
  suite_begin(argc, argv, MPI_THREAD_SINGLE);
  for (int what = 0; what < COLLECTIVES; what++)
    for (unsigned c = 0; c < sizeof counts / sizeof *counts; c++)
      for (int type = GHZ_F32; type <= GHZ_F64; type++)
        for (int b = 0; b < 2; b++) {
          call s = call_of((collective)what, (ghz_type)type, (operation)(c % OPERATIONS), counts[c], bounds[b]);
          every_way(&s);
        }
  return suite_end(NULL);
}
