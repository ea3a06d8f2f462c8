/* host_copy.c: copies of device buffers in pinned memory, which is kept with the communicator. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "control/control.h"

#ifdef GHZ_HAVE_CUDA

/* ---- Which calls need copies ----------------------------------------------------------------- */

/* What a GPU does: sums of one array a rank, and data that only move. A sum of one array in all is
 * made of two, see payload/homomorphic.c. The host counts exponents, finds ranges without fills,
 * and has spare memory. */
static int suits_device(const call *c, uint64_t contributions) {
  if (c->counts || ghz_buffers_spare(c))
    return 0;
  return c->set.contributions == 1 && !c->on.apart && c->set.bound.kind != GHZ_MPI_FLOAT &&
         !(c->set.has_fill && c->set.bound.kind != GHZ_ABS) &&
         (c->reduction == REDUCE_NONE || (c->reduction == REDUCE_SUM && contributions > 1));
}

/* MPI takes device buffers if it is CUDA-aware, but the host divides averages, and copies for
 * reduce.c. */
static int suits_mpi(const call *c) {
  int copies = c->collective->reduces && collective_is_rooted(c->collective) && call_is_in_place(c);
  return ghz_device_direct() && !c->set.average && !copies;
}

static int needs_copies(const run *r) {
  if (!r->asked->on.any)
    return 0;
  return r->algorithm == GHZ_MPI_NATIVE ? !suits_mpi(r->asked)
                                        : !suits_device(r->asked, r->agreed.identity[CONTRIBUTIONS]);
}

/* ---- Copying --------------------------------------------------------------------------------- */

/* The bytes that so many values of a call take from the first one to the last, and where they
 * begin. A type may have gaps, which must come back as they were. */
typedef struct stretch {
  MPI_Aint begin;
  size_t bytes;
  int has_gaps;
} stretch;

static stretch stretch_of(const call *c, uint64_t count) {
  MPI_Aint lower, stride, first, each;
  MPI_Type_get_extent(c->type, &lower, &stride);
  MPI_Type_get_true_extent(c->type, &first, &each);
  MPI_Aint values = (MPI_Aint)count, last = values > 0 ? (values - 1) * stride : 0;
  stretch s = {.begin = first + (last < 0 ? last : 0), .has_gaps = (MPI_Aint)c->value_size != stride};
  s.bytes = values > 0 ? (size_t)(each + (last < 0 ? -last : last)) : 0;
  return s;
}

static void *moved(const void *p, MPI_Aint by) {
  return (void *)((uintptr_t)p + (uintptr_t)by);
}

/* Sets *copy to where the call finds a copy of its buffer, with the same values if `fills`. */
static ghz_status copy_in(const stretch *s, growing *memory, const void *from, int fills, void **copy) {
  void *begin = ghz_pinned_grow(memory, s->bytes);
  if (!begin)
    return GHZ_ENOMEM;
  *copy = moved(begin, -s->begin);
  return fills ? ghz_device_copy(begin, moved(from, s->begin), s->bytes) : GHZ_OK;
}

error ghz_host_copy_begin(run *r) {
  const call *asked = r->asked;
  call *made = &r->made;
  if (!needs_copies(r))
    return (error){0};
  made->on = (buffer_location){0};
  const stretch send = stretch_of(asked, asked->used.send), recv = stretch_of(asked, asked->used.recv);
  communicator *kept;
  ghz_status status = ghz_communicator_of(asked->comm, &kept).code == MPI_SUCCESS ? GHZ_OK : GHZ_ENOMEM;
  void *copy = NULL;
  if (status == GHZ_OK && asked->on.send) {
    status = copy_in(&send, &kept->pinned_send, asked->send, 1, &copy);
    made->send = copy;
  }
  if (status == GHZ_OK && asked->on.recv)
    status =
        copy_in(&recv, &kept->pinned_recv, asked->recv, asked->used.reads_recv || recv.has_gaps, &made->recv);
  if (status == GHZ_ENOMEM)
    return (error){MPI_ERR_NO_MEM, ERROR_OURS, "no pinned memory for a copy of device buffers"};
  return ghz_error_of_device(status);
}

error ghz_host_copy_end(const run *r) {
  const call *asked = r->asked, *made = &r->made;
  if (!asked->on.recv || made->on.any)
    return (error){0};
  const stretch recv = stretch_of(asked, asked->used.recv);
  return ghz_error_of_device(
      ghz_device_copy(moved(asked->recv, recv.begin), moved(made->recv, recv.begin), recv.bytes));
}

#endif
