/* host_copy.c: copies of device buffers in pinned memory, which is an attribute of the communicator and goes with it. */

#include "control/host_copy.h"

#ifdef GHZ_HAVE_CUDA

#include <pthread.h>

typedef struct host_copies {
  growing send, recv;
} host_copies;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int keyval = MPI_KEYVAL_INVALID, keyval_code;

static int on_free(MPI_Comm comm, int key, void *value, void *extra) {
  host_copies *s = value;
  (void)comm, (void)key, (void)extra;
  ghz_pinned_free(&s->send);
  ghz_pinned_free(&s->recv);
  free(s);
  return MPI_SUCCESS;
}

static void make_keyval(void) {
  keyval_code = MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_free, &keyval, NULL);
}

static host_copies *host_copies_of(MPI_Comm comm) {
  int found = 0;
  void *value = NULL;
  pthread_once(&once, make_keyval);
  if (keyval_code != MPI_SUCCESS || MPI_Comm_get_attr(comm, keyval, &value, &found) != MPI_SUCCESS)
    return NULL;
  if (found)
    return value;
  host_copies *s = calloc(1, sizeof *s);
  if (s && MPI_Comm_set_attr(comm, keyval, s) != MPI_SUCCESS) {
    free(s);
    s = NULL;
  }
  return s;
}

/* The bytes that `values` of a type take from the first one to the last, and where they begin. A type may have gaps, which
 * must come back as they were. */
typedef struct stretch {
  MPI_Aint begin;
  size_t bytes;
  int has_gaps;
} stretch;

static stretch stretch_of(const call *c, uint64_t arrays) {
  MPI_Aint lower, stride, first, each;
  MPI_Type_get_extent(c->type, &lower, &stride);
  MPI_Type_get_true_extent(c->type, &first, &each);
  MPI_Aint values = (MPI_Aint)(arrays * (uint64_t)c->count), last = values > 0 ? (values - 1) * stride : 0;
  stretch s = {.begin = first + (last < 0 ? last : 0), .has_gaps = (MPI_Aint)c->value_size != stride};
  s.bytes = values > 0 ? (size_t)(each + (last < 0 ? -last : last)) : 0;
  return s;
}

static void *moved(const void *p, MPI_Aint by) {
  return (void *)((uintptr_t)p + (uintptr_t)by);
}

/* Where in the pinned memory the call finds its buffer. NULL: there is no memory. */
static void *open_copy(const stretch *s, growing *memory) {
  void *begin = ghz_pinned_grow(memory, s->bytes);
  return begin ? moved(begin, -s->begin) : NULL;
}

static ghz_status fill(const stretch *s, void *copy, const void *values) {
  return ghz_device_copy(moved(copy, s->begin), moved(values, s->begin), s->bytes);
}

ghz_status ghz_host_copy_begin(const call *c, call *host, const char **why) {
  const extent used = c->collective->extent(c);
  const stretch send = stretch_of(c, used.send), recv = stretch_of(c, used.recv);
  host_copies *s = host_copies_of(c->comm);
  ghz_status status = s ? GHZ_OK : GHZ_ENOMEM;
  *host = *c;
  host->on = (buffer_location){0};
  if (s && c->on.send && !(host->send = open_copy(&send, &s->send)))
    status = GHZ_ENOMEM;
  if (s && c->on.recv && !(host->recv = open_copy(&recv, &s->recv)))
    status = GHZ_ENOMEM;
  if (status == GHZ_OK && c->on.send)
    status = fill(&send, (void *)(uintptr_t)host->send, c->send);
  if (status == GHZ_OK && c->on.recv && (used.reads_recv || recv.has_gaps))
    status = fill(&recv, host->recv, c->recv);
  *why = status == GHZ_ENOMEM ? "no pinned memory for a copy of device buffers" : ghz_device_message();
  return status;
}

ghz_status ghz_host_copy_end(const call *c, const call *host, const char **why) {
  const stretch recv = stretch_of(c, c->collective->extent(c).recv);
  ghz_status status = GHZ_OK;
  if (c->on.recv)
    status = ghz_device_copy(moved(c->recv, recv.begin), moved(host->recv, recv.begin), recv.bytes);
  *why = ghz_device_message();
  return status;
}

#endif
