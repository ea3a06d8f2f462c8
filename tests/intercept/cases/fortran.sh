# Fortran programs, by each way to name MPI: nothing is taken twice, nothing gets by.
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash source-path=SCRIPTDIR/.. source=helpers.sh
. "$HERE/helpers.sh"
[ -n "${FORTRAN:-}" ] || skip "no Fortran compiler for this MPI"
for program in $FORTRAN; do
  echo "$program"
  plain "$BUILD/$program" 0
  taken GHZ_MPI_BOUND=abs:1e-3 GHZ_MPI_MODE=homomorphic "$BUILD/$program" 1e-3
  calls MPI_Allreduce compressed $((3 * RANKS))
  calls MPI_Allgather compressed $((2 * RANKS))
  # The row, which is not contiguous: mpi_f08 of MPICH describes it by a derived type, which MPI
  # sends; all others copy it into an array.
  rows=$RANKS
  [ "$(vendor)/${program##*/}" != mpich/stack_USE_F08 ] || rows=0
  calls MPI_Bcast compressed $((RANKS + rows))
  calls MPI_Bcast type $((RANKS - rows))
  for call in MPI_Reduce MPI_Scatter MPI_Gather MPI_Reduce_scatter_block MPI_Allgatherv MPI_Reduce_scatter; do
    calls $call compressed "$RANKS"
  done
  saves 4
  calls MPI_Allreduce type "$RANKS"
done
