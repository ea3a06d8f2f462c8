/* checks_emulated.c: what only an emulated device can be made to do: to be absent, to lack memory
 * or kernels, to fail at a call, to count. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cases.h"
#include "workplace.h"
#include <stdlib.h>
#include <string.h>

#ifdef GHZ_EMULATED
#include "control.h"

/* Creates a context that cannot be; yields the status. */
static ghz_status create_in_vain(trial *t, const char *what) {
  ghz_cuda *gpu = t->gpu;
  simt_holdings before = simt_held();
  ghz_status status = ghz_cuda_create(&gpu, 100000, 8);
  simt_holdings after = simt_held();
  if (status == GHZ_OK) {
    ghz_cuda_free(gpu);
    return status;
  }
  expect(t, !gpu, "%s: a context, and status %d", what, (int)status);
  expect(t, ghz_cuda_message(NULL)[0], "%s: no message", what);
  expect(t, after.blocks == before.blocks && after.streams == before.streams && after.events == before.events,
         "%s: %zu blocks of memory, %zu streams, %zu events stay behind", what, after.blocks - before.blocks,
         after.streams - before.streams, after.events - before.events);
  return status;
}

static void device_as_usual(void) {
  simt_settings s = simt_defaults();
  simt_configure(&s);
}

/* Devices that run no kernels of ours. */
void check_no_device(trial *t) {
  static const struct {
    const char *what;
    int devices, driver, kernels;
  } all[] = {
      {"no device", 0, 1, 0}, {"no driver", 1, 0, 0}, {"no such kernels", 1, 1, 98}, {"not for it", 1, 1, 209}};
  for (size_t i = 0; i < COUNT(all); i++) {
    simt_settings s = simt_defaults();
    s.devices = all[i].devices, s.driver = all[i].driver, s.kernels = all[i].kernels;
    simt_configure(&s);
    ghz_status status = create_in_vain(t, all[i].what);
    expect(t, status == GHZ_EDEVICE, "%s: status %d", all[i].what, (int)status);
  }
  device_as_usual();
}

void check_no_device_memory(trial *t) {
  simt_settings s = simt_defaults();
  ghz_status status = GHZ_ENOMEM;
  for (s.fail_allocation = 1; s.fail_allocation < 50 && status != GHZ_OK; s.fail_allocation++) {
    simt_configure(&s);
    status = create_in_vain(t, say("allocation %llu", (unsigned long long)s.fail_allocation));
    expect(t, status == GHZ_ENOMEM || (status == GHZ_OK && s.fail_allocation > 1), "allocation %llu: status %d",
           (unsigned long long)s.fail_allocation, (int)status);
  }
  expect(t, status == GHZ_OK, "more than %llu allocations", (unsigned long long)s.fail_allocation);
  s = simt_defaults();
  s.memory = simt_held().device_bytes + 1000;
  simt_configure(&s);
  status = create_in_vain(t, "1000 bytes left");
  expect(t, status == GHZ_ENOMEM, "1000 bytes left: status %d", (int)status);
  device_as_usual();
}

/* Every call of CUDA by a call of ours fails in turn: an error, or a result all the same. */
void check_cuda_that_fails(trial *t) {
  place p = place_make(t, GHZ_F32);
  simt_settings s = simt_defaults();
  ghz_status status = GHZ_EDEVICE;
  for (s.fail_call = 1; s.fail_call < 1000 && status != GHZ_OK; s.fail_call++) {
    simt_configure(&s);
    status = create_in_vain(t, say("call %llu of CUDA fails", (unsigned long long)s.fail_call));
    expect(t, status != GHZ_EINVAL, "call %llu of CUDA fails: status %d", (unsigned long long)s.fail_call,
           (int)status);
  }
  expect(t, status == GHZ_OK, "ghz_cuda_create with call %llu failing: status %d",
         (unsigned long long)s.fail_call, (int)status);
  int refused = 0;
  for (s.fail_call = 1; s.fail_call < 40; s.fail_call++) {
    simt_configure(&s);
    status = ghz_cuda_add(t->gpu, GHZ_F32, ghz_flat(N), device_view(&p.a), device_view(&p.b), p.dst.data,
                          p.dst.size, t->outcome, t->stream);
    device_as_usual();
    refused += status != GHZ_OK;
    expect(t, status == GHZ_OK || ghz_cuda_message(t->gpu)[0], "call %llu of CUDA fails: no message",
           (unsigned long long)s.fail_call);
    cudaStreamSynchronize(t->stream);
    cudaGetLastError();
    if (status != GHZ_OK)
      still_works(t, say("a sum in which call %llu of CUDA failed", (unsigned long long)s.fail_call));
  }
  expect(t, refused > 0, "no call of CUDA failed in a sum");
  place_free(t, &p);
}

/* Look-back over more groups than a warp sees in one step, which are 128: all others wait for the
 * slow first chunk. */
void check_many_groups_at_once(trial *t) {
  const size_t n = (size_t)80 * 16 * 1024, slow = (size_t)16 * 1024;
  simt_settings s = simt_defaults();
  s.order = SIMT_FORWARD;
  s.resident = 200;
  s.multiprocessors = 80;
  simt_configure(&s);
  ghz_cuda *usual = t->gpu;
  ghz_status status = ghz_cuda_create(&t->gpu, n, 2);
  if (expect(t, status == GHZ_OK, "context: %s", ghz_cuda_message(NULL))) {
    ghz_lattice l = lattice_abs(GHZ_F32, 0.1);
    void *x = input_make(input_named("some_constant"), l.type, n, l.step, 1);
    void *first = input_make(input_named("specials"), l.type, slow, l.step, 2);
    memcpy(x, first, slow * sizeof(float));
    ref_bytes one = compress(t->cpu, &l, GHZ_ORDER_BEST, x, n), both[2] = {one, one};
    operation compress = {.kind = COMPRESS, .lattice = l, .order = GHZ_ORDER_BEST, .x = x, .n = n};
    operation add = {.kind = ADD, .lattice = l, .n = n, .k = 2, .operands = both};
    agree(t, &compress, "compression of many groups");
    agree(t, &add, "sum of many groups");
    ghz_cuda_free(t->gpu);
  }
  t->gpu = usual;
  device_as_usual();
}

/* No more blocks than run at once, by shared memory and registers: what is shared evenly among
 * blocks would take as long as those that start late. */
void check_grids_fit_the_device(trial *t) {
  /* A block that decompresses cubes has about 51 KiB and takes 1 more; registers are for four.
   * They are for three that compress, but in code for sm_80 for two that compress planes. */
  static const struct {
    int capability, shared, reads, plane;
    uint64_t blocks;
  } cases[] = {{80, 228, 1, 0, 12}, {80, 164, 1, 0, 9}, {80, 110, 1, 0, 6}, {80, 100, 1, 0, 3},
               {80, 228, 0, 0, 9},  {80, 228, 0, 1, 6}, {90, 228, 0, 1, 9}};
  static const ghz_shape cubes = {3, {32, 32, 64}}, planes = {2, {1, 256, 256}};
  ghz_lattice l = lattice_abs(GHZ_F32, 0.1);
  ghz_cuda *usual = t->gpu;
  for (size_t i = 0; i < COUNT(cases); i++) {
    SCOPE;
    simt_settings s = simt_defaults();
    const ghz_shape shape = cases[i].plane ? planes : cubes;
    const size_t n = (size_t)ghz_shape_count(&shape);
    operation o = {.kind = COMPRESS, .lattice = l, .order = GHZ_ORDER_BEST, .n = n, .shape = shape};
    if (s.capability < cases[i].capability) /* the interpreter of PTX has code for sm_80 alone */
      continue;
    s.capability = cases[i].capability;
    s.shared = cases[i].shared;
    simt_configure(&s);
    if (!expect(t, ghz_cuda_create(&t->gpu, n, 2) == GHZ_OK, "context: %s", ghz_cuda_message(NULL)))
      break;
    o.x = field_of(&l, &shape, 0, 1);
    const ref_bytes stream = cpu_make(t, &o).bytes;
    const uint64_t before = simt_count().started;
    const reading r = {
        .type = GHZ_F32, .source = stream, .out = GHZ_F32, .kind = DECOMPRESS, .shape = shape, .n = n};
    const char *what = say("case %zu", i);
    if (cases[i].reads)
      agree_values(t, &r, what);
    else
      same_bytes(t, gpu_make(t, &o, stream.size, what).bytes, stream, what);
    const uint64_t blocks = simt_count().started - before;
    expect(t, blocks == cases[i].blocks, "%s: %llu blocks", what, (unsigned long long)blocks);
    ghz_cuda_free(t->gpu);
  }
  t->gpu = usual;
  device_as_usual();
}

/* Once set up, calls neither allocate nor wait. */
void check_no_allocation_no_waiting(trial *t) {
  place p = place_make(t, GHZ_F32);
  const arguments a = right_arguments(t, &p);
  simt_counters before = simt_count();
  for (int call = 0; call < CALLS; call++) {
    ghz_status status = make_call((kind)call, &a);
    expect(t, status == GHZ_OK, "%s: status %d", call_names[call], (int)status);
  }
  simt_counters after = simt_count();
  expect(t, after.allocations == before.allocations && after.frees == before.frees,
         "memory was allocated or freed");
  expect(t, after.objects == before.objects, "streams or events were created");
  expect(t, after.synchronisations == before.synchronisations, "a call waited");
  expect(t, after.pageable == before.pageable, "a copy from or to pageable memory");
  cudaStreamSynchronize(t->stream);
  place_free(t, &p);
}

#endif
