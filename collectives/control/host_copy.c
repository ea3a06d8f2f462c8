/* host_copy.c: copies of device buffers in pinned memory, which is kept with the communicator. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "control/control.h"

/* ---- Which calls need copies ----------------------------------------------------------------- */

/* What a GPU does: sums of one array a rank, and data that only move, in its own memory. A sum of
 * one array in all is made of two, see payload/homomorphic.c. The host counts exponents, finds
 * ranges without fills, and has spare memory. */
static int suits_device(const call *c, uint64_t contributions) {
  if (c->counts || ghz_buffers_spare(c) || (c->used.send && c->used.recv && c->on.send != c->on.recv))
    return 0;
  return c->set.contributions == 1 && c->set.bound.kind != GHZ_MPI_FLOAT &&
         !(c->set.has_fill && c->set.bound.kind != GHZ_ABS) &&
         (c->reduction == REDUCE_NONE || (c->reduction == REDUCE_SUM && contributions > 1));
}

/* MPI takes device buffers if it is CUDA-aware, but the host divides averages, and makes copies for
 * some reductions in place, see calls/calls.c. */
static int suits_mpi(const call *c) {
  if (c->collective->reduces && (c->counts || collective_is_rooted(c->collective)) && call_is_in_place(c))
    return 0;
  return !c->set.average && ghz_device_direct();
}

static int needs_copies(const run *r) {
  if (!r->asked->on.any)
    return 0;
  return r->algorithm == GHZ_MPI_NATIVE ? !suits_mpi(r->asked)
                                        : !suits_device(r->asked, r->agreed.identity[CONTRIBUTIONS]);
}

/* ---- Copying --------------------------------------------------------------------------------- */

/* What so many values of a call take of their buffer, from the first one to the last. */
typedef struct stretch {
  MPI_Aint begin;
  size_t bytes;
} stretch;

static stretch stretch_of(const call *c, uint64_t values) {
  MPI_Aint lower, stride, first, each;
  MPI_Type_get_extent(c->type, &lower, &stride);
  MPI_Type_get_true_extent(c->type, &first, &each);
  const MPI_Aint last = ((MPI_Aint)values - 1) * stride;
  return (stretch){first + (last < 0 ? last : 0), (size_t)(each + (last < 0 ? -last : last))};
}

static void *moved(const void *p, MPI_Aint by) {
  return (void *)((uintptr_t)p + (uintptr_t)by);
}

/* Sets *copy to where the call finds a copy of a buffer, with the same values if it `reads` them or
 * if there are gaps between them, which must come back as they were. */
static ghz_status copy_in(const call *c, const void *from, uint64_t values, int reads, growing *memory,
                          void **copy) {
  const stretch s = stretch_of(c, values);
  void *begin = ghz_pinned_grow(memory, s.bytes);
  if (!begin)
    return GHZ_ENOMEM;
  *copy = moved(begin, -s.begin);
  return reads || s.bytes != values * c->value_size ? ghz_device_copy(begin, moved(from, s.begin), s.bytes)
                                                    : GHZ_OK;
}

error ghz_host_copy_begin(run *r) {
  const call *asked = r->asked;
  call *made = &r->made;
  communicator *kept;
  void *send = NULL;
  ghz_status status = GHZ_OK;
  if (!needs_copies(r))
    return (error){0};
  made->on = (buffer_location){0};
  const error e = ghz_communicator_of(asked->comm, &kept);
  if (e.code)
    return e;
  if (asked->on.send) {
    status = copy_in(asked, asked->send, asked->used.send, 1, &kept->pinned_send, &send);
    made->send = send;
  }
  if (status == GHZ_OK && asked->on.recv)
    status =
        copy_in(asked, asked->recv, asked->used.recv, asked->used.reads_recv, &kept->pinned_recv, &made->recv);
  return ghz_error_of_device(status);
}

error ghz_host_copy_end(const run *r) {
  const call *asked = r->asked, *made = &r->made;
  if (asked->on.recv == made->on.recv)
    return (error){0};
  const stretch s = stretch_of(asked, asked->used.recv);
  return ghz_error_of_device(ghz_device_copy(moved(asked->recv, s.begin), moved(made->recv, s.begin), s.bytes));
}
