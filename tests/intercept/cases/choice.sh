# Which calls are taken. GHZ_MPI_CALLS: by default reductions alone; what is named; what is wrong,
# contradictory or missing is said once. GHZ_MPI_NODE: not those within a node.
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash source-path=SCRIPTDIR/.. source=helpers.sh
. "$HERE/helpers.sh"
unset GHZ_MPI_CALLS
program=("$MEDLEY" once out.bin)
all=(MPI_Allreduce MPI_Reduce MPI_Reduce_scatter_block MPI_Bcast MPI_Scatter MPI_Allgather)

# compressed CALL...: these and no others.
compressed() {
  local call
  for call in "${all[@]}"; do
    case " $* " in
    *" $call "*) calls "$call" compressed "$RANKS" && calls "$call" unwanted 0 ;;
    *) calls "$call" compressed 0 ;;
    esac
  done
}

set -- GHZ_MPI_BOUND=abs:1e-3
taken "$@" "${program[@]}"
compressed MPI_Allreduce MPI_Reduce MPI_Reduce_scatter_block
calls MPI_Bcast unwanted "$RANKS"
taken "$@" GHZ_MPI_CALLS=all "${program[@]}"
compressed "${all[@]}"
calls MPI_Allreduce small $((5 * RANKS))
calls MPI_Allreduce type $((2 * RANKS))
calls all failed 0
taken "$@" GHZ_MPI_CALLS=MPI_Bcast,Reduce_Scatter "${program[@]}"
compressed MPI_Bcast MPI_Reduce_scatter_block
taken "$@" GHZ_MPI_CALLS= "${program[@]}"
compressed MPI_Allreduce MPI_Reduce MPI_Reduce_scatter_block

taken GHZ_MPI_BOUND=bcast:abs:1e-3 GHZ_MPI_CALLS=allreduce "${program[@]}" # which has no bound
compressed
calls MPI_Allreduce unwanted $((8 * RANKS))

for wrong in 'allreduce,{brodcast}' '{},' 'allreduce,{}' '{},reduce' '{allreduce reduce}' '{none}' '{alltoall}'; do
  entry=${wrong#*\{} entry=${entry%\}*} wrong=${wrong//[\{\}]/}
  if (RANKS=2 taken "$@" GHZ_MPI_CALLS="$wrong" "${program[@]}") >log 2>&1; then
    die "runs with GHZ_MPI_CALLS=$wrong"
  fi
  once "GHZ_MPI_CALLS=$wrong is not understood: \"$entry\" must be all, allreduce, "
  grep -q "exit code 124" log && die "hangs with GHZ_MPI_CALLS=$wrong"
done
taken GHZ_MPI_CALLS=all "${program[@]}" 2>log
once "GHZ_MPI_CALLS is set and GHZ_MPI_BOUND is not"

# Calls of processes that share a node are MPI's, unless something is asked for that MPI does not
# give.
unset GHZ_MPI_NODE
export GHZ_MPI_CALLS=all

# all_are COLUMN: of each collective the one call that each process makes.
all_are() {
  local call
  for call in "${all[@]}"; do
    calls "$call" "$1" "$RANKS"
  done
}

plain "$MEDLEY" once plain.bin
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
once "GHZ_MPI_NODE=always is not understood and is ignored: \"always\" must be mpi or compress"

# MPICH can take every other process for one of another node.
if [ "$(vendor)" = mpich ]; then
  taken "$@" MPIR_CVAR_ODD_EVEN_CLIQUES=1 "${program[@]}"
  all_are compressed
fi
