/* filter.c: which communicators are intercepted: those of several processes with the same settings.
 *
 * Intercommunicators are not. Neither are communicators with processes of another MPI_COMM_WORLD
 * (spawned or connected), which may have other settings. The answer is an attribute of the
 * communicator. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "intercept/intercept.h"

static int key = MPI_KEYVAL_INVALID;
static char ours, foreign;

void filter_start(void) {
  PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
}

void filter_stop(void) {
  PMPI_Comm_free_keyval(&key);
}

static bool in_world(MPI_Comm comm) {
  MPI_Group members, world, others;
  int relation, outside = 0;
  PMPI_Comm_group(comm, &members);
  PMPI_Comm_group(MPI_COMM_WORLD, &world);
  PMPI_Group_compare(members, world, &relation);
  if (relation == MPI_UNEQUAL) {
    PMPI_Group_difference(members, world, &others);
    PMPI_Group_size(others, &outside);
    if (others != MPI_GROUP_EMPTY)
      PMPI_Group_free(&others);
  }
  PMPI_Group_free(&members);
  PMPI_Group_free(&world);
  return outside == 0;
}

static bool examine(MPI_Comm comm) {
  int between = 0, size = 0;
  PMPI_Comm_test_inter(comm, &between);
  PMPI_Comm_size(comm, &size);
  return !between && size > 1 && in_world(comm);
}

bool filter_admits(MPI_Comm comm) {
  char *answer;
  int found = 0;
  if (comm == MPI_COMM_NULL)
    return false;
  PMPI_Comm_get_attr(comm, key, &answer, &found);
  if (!found) {
    answer = examine(comm) ? &ours : &foreign;
    PMPI_Comm_set_attr(comm, key, answer);
  }
  return answer == &ours;
}
