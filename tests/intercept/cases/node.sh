# Calls of processes that share a node are MPI's, unless something is asked for that MPI does not
# give.
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash source-path=SCRIPTDIR/.. source=helpers.sh
. "$HERE/helpers.sh"
unset GHZ_MPI_NODE
program=("$STENCIL" float 512 512 5 out.bin)
every=(MPI_Allreduce MPI_Reduce MPI_Reduce_scatter_block MPI_Bcast MPI_Scatter MPI_Allgather)

# all_are COLUMN: of each collective the one call that each process makes.
all_are() {
  local call
  for call in "${every[@]}"; do
    calls "$call" "$1" "$RANKS"
  done
}

plain "$STENCIL" float 512 512 5 plain.bin
set -- GHZ_MPI_BOUND=abs:1e-3
taken "$@" "${program[@]}"
all_are node
cmp plain.bin out.bin || die "what MPI does differs"
says "its processes share a node, where memory is faster (GHZ_MPI_NODE=compress compresses there, too)" report
says "verdict: nothing was compressed" report
taken "$@" GHZ_MPI_NODE=mpi "${program[@]}"
all_are node
for asked in GHZ_MPI_NODE=compress GHZ_MPI_MODE=homomorphic GHZ_MPI_ALGORITHM=ring; do
  taken "$@" $asked "${program[@]}"
  all_are compressed
done
taken GHZ_MPI_BOUND=float "${program[@]}"
calls MPI_Allreduce compressed "$RANKS"

taken GHZ_MPI_BOUND=allreduce:float,abs:1e-3 "${program[@]}"
calls MPI_Allreduce compressed "$RANKS"
calls MPI_Bcast node "$RANKS" # the bound of one collective says nothing of the others

taken "$@" GHZ_MPI_NODE=always "${program[@]}" 2>log
all_are node
[ "$(grep -c "GHZ_MPI_NODE=always is not understood and is ignored; it must be mpi or compress" log)" = 1 ] ||
  { cat log >&2 && die "a wrong GHZ_MPI_NODE is not told once"; }

# MPICH can take every other process for one of another node.
if [ "$(vendor)" = mpich ]; then
  taken "$@" MPIR_CVAR_ODD_EVEN_CLIQUES=1 "${program[@]}"
  all_are compressed
fi
