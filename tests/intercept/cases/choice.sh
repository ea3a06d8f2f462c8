# GHZ_MPI_CALLS: by default reductions alone; what is named; what is wrong, contradictory or missing
# is said once.
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash source-path=SCRIPTDIR/.. source=helpers.sh
. "$HERE/helpers.sh"
unset GHZ_MPI_CALLS
program=("$STENCIL" float 512 512 5 out.bin)
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
taken "$@" GHZ_MPI_CALLS=MPI_Bcast,Reduce_Scatter "${program[@]}"
compressed MPI_Bcast MPI_Reduce_scatter_block
taken "$@" GHZ_MPI_CALLS= "${program[@]}"
compressed MPI_Allreduce MPI_Reduce MPI_Reduce_scatter_block

taken GHZ_MPI_BOUND=bcast:abs:1e-3 GHZ_MPI_CALLS=allreduce "${program[@]}" # which has no bound
compressed
calls MPI_Allreduce unwanted $((8 * RANKS))

# once TEXT: in the log, by one process.
once() {
  [ "$(grep -cF -e "$1" log)" = 1 ] || { cat log >&2 && die "'$1' is not told once"; }
}

for wrong in allreduce,brodcast "," "allreduce," ",reduce" "allreduce reduce" none alltoall; do
  if (taken "$@" GHZ_MPI_CALLS="$wrong" "${program[@]}") >log 2>&1; then
    die "runs with GHZ_MPI_CALLS=$wrong"
  fi
  once "GHZ_MPI_CALLS=$wrong is not understood: it must be all, or a list of allreduce, "
  grep -q "exit code 124" log && die "hangs with GHZ_MPI_CALLS=$wrong"
done
taken GHZ_MPI_CALLS=all "${program[@]}" 2>log
once "GHZ_MPI_CALLS is set and GHZ_MPI_BOUND is not"
