/* agree.c: the small allreduce with which every call begins. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "control/control.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* ---- What this rank knows -------------------------------------------------------------------- */

/* FNV-1a over the bytes of a number. */
static uint64_t mixed(uint64_t hash, uint64_t value) {
  for (int i = 0; i < 8; i++)
    hash = (hash ^ (value >> 8 * i & 255)) * UINT64_C(0x100000001b3);
  return hash;
}

static uint64_t name_of(const char *text) {
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  for (; *text; text++)
    hash = mixed(hash, (unsigned char)*text);
  return hash;
}

static uint64_t bits_of(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

static uint64_t count_of(const call *c) {
  uint64_t hash = (uint64_t)c->count;
  for (int b = 0; c->counts && b < c->at.ranks; b++)
    hash = mixed(hash, c->counts[b]);
  return hash;
}

static uint64_t shape_hash(const ghz_shape *s) {
  uint64_t hash = (uint64_t)s->dims;
  for (int i = 0; i < 3; i++)
    hash = mixed(hash, s->extent[i]);
  return hash;
}

static uint64_t device_hash(const call *c, uint64_t contributions) {
  uint64_t here = (uint64_t)c->at.rank << 2 | (unsigned)c->on.send << 1 | (unsigned)c->on.recv;
  return mixed(mixed(here, contributions), (unsigned)c->on.apart);
}

static void identify(const call *c, uint64_t *identity) {
  const settings *s = &c->set;
  int foreign = c->collective->reduces && c->reduction == REDUCE_NONE;
  identity[SAME_CALL] = name_of(c->collective->name);
  identity[SAME_COUNT] = count_of(c);
  identity[SAME_SHAPE] = shape_hash(&c->shape);
  identity[SAME_TYPE] = (uint64_t)c->value_size << 1 | (unsigned)c->is_real;
  identity[SAME_OPERATION] = (uint64_t)c->reduction | (uint64_t)s->average << 8 | (uint64_t)foreign << 16;
  identity[SAME_ROOT] = collective_is_rooted(c->collective) ? (uint64_t)c->root : 0;
  identity[SAME_BOUND] = bits_of(s->bound.value);
  identity[SAME_FILL] = s->has_fill && c->is_real ? mixed(1, bits_of(s->fill)) : 0;
  identity[SAME_OPTIONS] = (uint64_t)s->algorithm | (uint64_t)s->mode << 8 | (uint64_t)s->bound.kind << 16 |
                           (uint64_t)s->of_result << 24 | (uint64_t)s->keep_root << 32;
  if (s->link != 0)
    identity[SAME_OPTIONS] = mixed(identity[SAME_OPTIONS], bits_of(s->link));
  if (s->check > 0)
    identity[SAME_OPTIONS] = mixed(identity[SAME_OPTIONS], (uint64_t)s->check);
}

record ghz_agree_record(const call *c, const result_bytes *last) {
  record r = {
      .error_rank = c->at.rank, .min = INFINITY, .max = -INFINITY, .sum.last = *last, .isa = ghz_cost_isa()};
  r.sum.contributions = (uint64_t)(c->set.contributions > 0 ? c->set.contributions : 0);
  identify(c, r.identity);
  memcpy(r.most, r.identity, sizeof r.most);
  if (c->on.any) {
    r.sum.devices = 1;
    r.sum.device_ranks = device_hash(c, r.sum.contributions);
  }
  return r;
}

/* ---- What all ranks know together ------------------------------------------------------------ */

static void combine(const record *a, record *b) {
  for (int i = 0; i < IDENTITIES; i++) {
    b->identity[i] = a->identity[i] < b->identity[i] ? a->identity[i] : b->identity[i];
    b->most[i] = a->most[i] > b->most[i] ? a->most[i] : b->most[i];
  }
  if (a->error_class && (!b->error_class || a->error_rank < b->error_rank)) {
    b->error_class = a->error_class;
    b->error_rank = a->error_rank;
  }
  for (size_t i = 0; i < SUMS; i++)
    b->sums[i] += a->sums[i];
  b->min = fmin(a->min, b->min);
  b->max = fmax(a->max, b->max);
  b->isa = a->isa < b->isa ? a->isa : b->isa;
}

static void combine_all(void *in, void *inout, int *n, MPI_Datatype *type) {
  (void)type;
  for (int i = 0; i < *n; i++) {
    record a, b;
    memcpy(&a, (char *)in + (size_t)i * sizeof a, sizeof a);
    memcpy(&b, (char *)inout + (size_t)i * sizeof b, sizeof b);
    combine(&a, &b);
    memcpy((char *)inout + (size_t)i * sizeof b, &b, sizeof b);
  }
}

/* ---- The datatype and the operation of the allreduce ----------------------------------------- */

/* Made once, for all communicators and threads. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static MPI_Datatype record_type = MPI_DATATYPE_NULL;
static MPI_Op record_op = MPI_OP_NULL;

static int free_both(MPI_Comm comm, int key, void *value, void *extra) {
  (void)comm, (void)key, (void)value, (void)extra;
  MPI_Op_free(&record_op);
  MPI_Type_free(&record_type);
  return MPI_SUCCESS;
}

/* MPI_Finalize first deletes the attributes of MPI_COMM_SELF. */
static void free_at_end(void) {
  int key;
  if (MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_both, &key, NULL) != MPI_SUCCESS)
    return;
  MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
  MPI_Comm_free_keyval(&key);
}

static int make_both(void) {
  int code = MPI_Type_contiguous((int)sizeof(record), MPI_BYTE, &record_type);
  if (code != MPI_SUCCESS)
    return code;
  code = MPI_Type_commit(&record_type);
  if (code == MPI_SUCCESS)
    code = MPI_Op_create(combine_all, 1, &record_op);
  if (code == MPI_SUCCESS)
    free_at_end();
  else
    MPI_Type_free(&record_type);
  return code;
}

static int have_both(void) {
  int code = MPI_SUCCESS;
  pthread_mutex_lock(&lock);
  if (record_type == MPI_DATATYPE_NULL)
    code = make_both();
  pthread_mutex_unlock(&lock);
  return code;
}

/* ---- What follows ---------------------------------------------------------------------------- */

static const char *class_text(int error_class) {
  return error_class == MPI_ERR_NO_MEM   ? "ran out of memory"
         : error_class == MPI_ERR_COUNT  ? "gave a bad count"
         : error_class == MPI_ERR_TYPE   ? "gave a bad type"
         : error_class == MPI_ERR_ROOT   ? "gave a bad root"
         : error_class == MPI_ERR_BUFFER ? "gave a bad buffer"
         : error_class == MPI_ERR_OTHER  ? "had trouble with its GPU"
                                         : "gave a bad argument";
}

static error disagreement(const record *r) {
  static const char *const names[IDENTITIES] = {"call", "count", "shape",      "type",   "operation",
                                                "root", "bound", "fill value", "options"};
  error e = {0};
  for (int i = 0; i < IDENTITIES && !e.code; i++)
    if (r->identity[i] != r->most[i]) {
      e.code = MPI_ERR_ARG;
      snprintf(e.text, sizeof e.text, "the ranks disagree on the %s", names[i]);
    }
  return e;
}

error ghz_agree(MPI_Comm comm, record *r, error own) {
  MPI_Request request;
  r->error_class = own.code;
  int code = have_both();
  if (code == MPI_SUCCESS)
    code = MPI_Iallreduce(MPI_IN_PLACE, r, 1, record_type, record_op, comm, &request);
  if (code == MPI_SUCCESS)
    code = ghz_wait(&request);
  if (code != MPI_SUCCESS)
    return (error){code, ERROR_RAISED, ""};
  if (own.code || !r->error_class)
    return own.code ? own : disagreement(r);
  error e = {.code = r->error_class};
  snprintf(e.text, sizeof e.text, "rank %d %s", r->error_rank, class_text(r->error_class));
  return e;
}
