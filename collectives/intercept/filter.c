/* filter.c: which communicators are intercepted: those of several processes with the same settings.
 *
 * Intercommunicators are not. Neither are communicators with processes of another MPI_COMM_WORLD
 * (spawned or connected), which may have other settings, nor, unless the user says so, those whose
 * processes share a node: memory is faster than the codec. Topology decides that, not the clock, so
 * every run decides alike. What a communicator is, is an attribute of it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "intercept/intercept.h"

static int key = MPI_KEYVAL_INVALID;
static MPI_Group world, node; /* `node`: the processes that share memory with this one */
static char kinds[FATES];     /* an attribute is the address of one */

void filter_start(void) {
  MPI_Comm sharers;
  PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
  PMPI_Comm_group(MPI_COMM_WORLD, &world);
  PMPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &sharers);
  PMPI_Comm_group(sharers, &node);
  PMPI_Comm_free(&sharers);
}

void filter_stop(void) {
  PMPI_Group_free(&node);
  PMPI_Group_free(&world);
  PMPI_Comm_free_keyval(&key);
}

static bool is_within(MPI_Comm comm, MPI_Group all) {
  MPI_Group members, others;
  int relation, outside = 0;
  PMPI_Comm_group(comm, &members);
  PMPI_Group_compare(members, all, &relation);
  if (relation == MPI_UNEQUAL) {
    PMPI_Group_difference(members, all, &others);
    PMPI_Group_size(others, &outside);
    if (others != MPI_GROUP_EMPTY)
      PMPI_Group_free(&others);
  }
  PMPI_Group_free(&members);
  return outside == 0;
}

/* All processes of a communicator find the same: each compares it with its own node, and either all
 * of them share one or none has a node that holds all. */
static fate examine(MPI_Comm comm) {
  int between = 0, size = 0;
  PMPI_Comm_test_inter(comm, &between);
  PMPI_Comm_size(comm, &size);
  if (between || size < 2 || !is_within(comm, world))
    return FOREIGN;
  return is_within(comm, node) ? NODE : COMPRESSED;
}

fate filter_fate(call_id c, MPI_Comm comm) {
  char *kind = NULL;
  int found = 0;
  if (comm == MPI_COMM_NULL)
    return FOREIGN;
  PMPI_Comm_get_attr(comm, key, &kind, &found);
  if (!found) {
    kind = kinds + examine(comm);
    PMPI_Comm_set_attr(comm, key, kind);
  }
  return kind == kinds + NODE && !intercept.spares_node[c] ? COMPRESSED : (fate)(kind - kinds);
}
