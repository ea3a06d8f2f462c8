/* choice.c: which collectives GHZ_MPI_CALLS names. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "intercept/intercept.h"

#include <string.h>
#include <strings.h>

const char *const choice_names =
    "all, or a list of allreduce, reduce, reduce_scatter, bcast, scatter, gather, allgather and allgatherv";

static const struct {
  const char *name;
  call_id call;
} known[] = {{"allreduce", ALLREDUCE},
             {"reduce", REDUCE},
             {"reduce_scatter", REDUCE_SCATTER_BLOCK},
             {"reduce_scatter", REDUCE_SCATTER},
             {"reduce_scatter_block", REDUCE_SCATTER_BLOCK},
             {"bcast", BCAST},
             {"scatter", SCATTER},
             {"gather", GATHER},
             {"allgather", ALLGATHER},
             {"allgatherv", ALLGATHERV}};

/* A name of `length` characters, of one call or two; as MPI has it, too: MPI_Allreduce. */
static bool read_name(const char *text, size_t length, bool *takes) {
  if (length == 3 && strncasecmp(text, "all", 3) == 0) {
    for (int c = 0; c < CALLS; c++)
      takes[c] = true;
    return true;
  }
  if (length > 4 && strncasecmp(text, "mpi_", 4) == 0) {
    text += 4;
    length -= 4;
  }
  bool is_known = false;
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (strlen(known[i].name) == length && strncasecmp(text, known[i].name, length) == 0)
      is_known = takes[known[i].call] = true;
  return is_known;
}

bool choice_read(const char *text, bool takes[CALLS]) {
  memset(takes, 0, CALLS * sizeof *takes);
  for (const char *name = text ? text : "allreduce,reduce,reduce_scatter";; name++) {
    size_t length = strcspn(name, ",");
    if (!read_name(name, length, takes))
      return false;
    name += length;
    if (!*name)
      return true;
  }
}
