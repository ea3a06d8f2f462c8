# Collectives in all the ways that MPI allows: nothing hangs, all is within the bound, what is not
# ours is exact.
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash source-path=SCRIPTDIR/.. source=helpers.sh
. "$HERE/helpers.sh"
plain "$SHAPES" 0
taken "$SHAPES" 0
for ranks in 3 4; do
  RANKS=$ranks large=0
  [ "$(vendor)" = openmpi ] || large=$RANKS # has MPI 4
  taken GHZ_MPI_BOUND=abs:1e-3 GHZ_MPI_MODE=homomorphic "$SHAPES" 1e-3
  saves 4
  # Per rank: arrays, with and without MPI_IN_PLACE, after 3 other layouts; sum, minimum and
  # maximum, in and out of place.
  calls MPI_Scatter compressed $((2 * RANKS))
  calls MPI_Gather compressed $((2 * RANKS))
  calls MPI_Allgather compressed $((2 * RANKS))
  calls MPI_Scatter type $((6 * RANKS))
  calls MPI_Gather type $((6 * RANKS))
  calls MPI_Allgather type $((6 * RANKS))
  calls MPI_Allgatherv compressed $((3 * RANKS + large))
  calls MPI_Reduce_scatter compressed $((18 * RANKS + large))
  calls MPI_Reduce_scatter failed "$RANKS" # counts that differ
  calls MPI_Allgatherv failed $((3 * RANKS)) # that, other numbers of values, a displacement
  calls MPI_Reduce compressed $((6 * RANKS))
  calls MPI_Reduce_scatter_block compressed $((6 * RANKS))
  calls MPI_Reduce operation $((2 * RANKS)) # the product
  calls MPI_Allreduce operation $((3 * RANKS)) # that, and an operation of the program's
  calls MPI_Bcast failed "$RANKS" # a root that there is not
  calls MPI_Bcast communicator $((3 * RANKS + 1)) # twice between groups, MPI_COMM_SELF, and a group of one rank
done
RANKS=4
taken GHZ_MPI_BOUND=abs:1e-3 "$SHAPES" 1e-3
taken GHZ_MPI_BOUND=result:abs:4e-3 GHZ_MPI_MODE=homomorphic "$SHAPES" 4e-3
