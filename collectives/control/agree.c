/* agree.c: the small allreduce with which every call begins. */

#include "control/agree.h"

#include <string.h>

#include "engine/poll.h"

static double least(double a, double b) {
  return b < a ? b : a;
}

static double most(double a, double b) {
  return b > a ? b : a;
}

static void combine(const record *a, record *b) {
  b->differing |= a->differing;
  for (int i = 0; i < IDENTITIES; i++)
    if (a->identity[i] != b->identity[i]) {
      b->differing |= UINT64_C(1) << i;
      /* whichever order ranks are combined in, all end with the same number */
      b->identity[i] = a->identity[i] > b->identity[i] ? a->identity[i] : b->identity[i];
    }
  if (a->error_class && (!b->error_class || a->error_rank < b->error_rank)) {
    b->error_class = a->error_class;
    b->error_rank = a->error_rank;
  }
  b->contributions += a->contributions;
  b->devices += a->devices;
  b->placement += a->placement;
  b->min = least(a->min, b->min);
  b->max = most(a->max, b->max);
  b->seconds = most(a->seconds, b->seconds);
  b->agreeing = least(a->agreeing, b->agreeing);
  b->plain_seconds = least(a->plain_seconds, b->plain_seconds);
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

int ghz_agreement_make(agreement *a) {
  int code = MPI_Type_contiguous((int)sizeof(record), MPI_BYTE, &a->type);
  if (code != MPI_SUCCESS)
    return code;
  code = MPI_Type_commit(&a->type);
  if (code == MPI_SUCCESS)
    code = MPI_Op_create(combine_all, 1, &a->op);
  if (code != MPI_SUCCESS)
    MPI_Type_free(&a->type);
  return code;
}

void ghz_agreement_free(agreement *a) {
  MPI_Op_free(&a->op);
  MPI_Type_free(&a->type);
}

int ghz_agree(const agreement *a, record *r, MPI_Comm comm) {
  MPI_Request request;
  int code = MPI_Iallreduce(MPI_IN_PLACE, r, 1, a->type, a->op, comm, &request);
  return code == MPI_SUCCESS ? ghz_wait(&request) : code;
}

const char *ghz_disagreement(const record *r) {
  static const char *const texts[IDENTITIES] = {
      "the ranks disagree on the call",   "the ranks disagree on the count",
      "the ranks disagree on the type",   "the ranks disagree on the operation",
      "the ranks disagree on the root",   "the ranks disagree on the bound",
      "the ranks disagree on the options"};
  for (int i = 0; i < IDENTITIES; i++)
    if (r->differing >> i & 1)
      return texts[i];
  return NULL;
}
