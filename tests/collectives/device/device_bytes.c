/* device_bytes.c: wherever buffers lie, ranks send each other the very same messages, and results
 * have the same bits as with buffers on the host. Linked with device_buffers.c. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "call.h"
#include "device_buffers.h"
#include "special.h"
#include "suite.h"

/* ---- What a rank sends ---- */
static uint64_t sent; /* a sum over messages: in whatever order */

int MPI_Isend(const void *data, int size, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request *request) {
  if (type == MPI_BYTE)
    sent += mix(hash_bytes(data, (uint64_t)size), (uint64_t)to << 32 | (unsigned)tag);
  return PMPI_Isend(data, size, type, to, tag, comm, request);
}

/* ---- Comparing ---- */
/* What came of a call on this rank. */
typedef struct trace {
  uint64_t result, sent, bytes;
  int inexact;
} trace;

static trace traced(const call *s, device_placement place, int *on_device) {
  long before = device_placed;
  device_place = place;
  sent = 0;
  call_result l = make_call(s, MPI_COMM_WORLD);
  trace t = {.sent = sent, .bytes = l.report.sent_bytes, .inexact = l.report.inexact};
  if (l.result && l.code == MPI_SUCCESS)
    t.result = hash_bytes(l.result, l.values * value_size(s));
  call_result_free(&l);
  *on_device = on_any(device_placed > before, MPI_COMM_WORLD);
  return t;
}

static void compare(const call *s) {
  static const device_placement places[] = {DEVICE_EVEN, DEVICE_MIXED};
  int on_device;
  trace host = traced(s, DEVICE_NONE, &on_device), all = traced(s, DEVICE_ALL, &on_device);
  check(on_device, "no buffer was on the device");
  check(all.result == host.result, "on the device, the result has other bits");
  check(all.inexact == host.inexact, "on the device, inexact is %d, not %d", all.inexact, host.inexact);
  for (int i = 0; i < 2; i++) {
    trace t = traced(s, places[i], &on_device);
    check(t.result == host.result, "placement %d: the result has other bits", i);
    check(!on_device || (t.sent == all.sent && t.bytes == all.bytes), "placement %d: other messages", i);
  }
}

int main(int argc, char **argv) {
  static const special kinds[] = {SPECIAL_NOISE, SPECIAL_NAN, SPECIAL_MIXED,
                                  SPECIAL_EDGES, SPECIAL_RAW, SPECIAL_CONSTANT};
  suite_begin(argc, argv, MPI_THREAD_SINGLE);
  uint64_t state = mix(here.seed, 3);
  for (int what = 0; what < COLLECTIVES; what++)
    for (int a = GHZ_MPI_RING; a <= GHZ_MPI_LINEAR; a++)
      for (int i = 0; i < 6 && has_algorithm((collective)what, (ghz_mpi_algorithm)a); i++) {
        call s = {.what = (collective)what,
                  .algorithm = (ghz_mpi_algorithm)a,
                  .mode = GHZ_MPI_HOMOMORPHIC,
                  .type = (ghz_type)(i % 2),
                  .op = reduces((collective)what) ? (operation)draw_below(&state, 3) : SUM,
                  .in_place = (int)draw_below(&state, 2),
                  .root = (int)draw_below(&state, (uint64_t)here.ranks),
                  .count = i == 0 ? 1 : 1 + draw_below(&state, has_blocks((collective)what) ? 30000 : 150000),
                  .bound = i % 3 == 2 ? (ghz_bound){GHZ_REL, 1e-3} : (ghz_bound){GHZ_ABS, SPECIAL_EB},
                  .of_result = (int)draw_below(&state, 2),
                  .keep_root = (int)draw_below(&state, 2),
                  .threads = 1};
        special_use(&s, kinds[i], here.seed * 100 + (uint64_t)i, 0);
        suite_case("%s, %s", call_text(&s), special_names[kinds[i]]);
        compare(&s);
      }
  return suite_end(NULL);
}
