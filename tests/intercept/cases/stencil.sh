# A program as users write them: as it is without a bound, within the bound with one, and less is
# sent.
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash source-path=SCRIPTDIR/.. source=helpers.sh
. "$HERE/helpers.sh"
rows=512 cols=512 steps=20 eb=1e-3

# limits: of the plate: an error of the start, of the source times 0.01 in each step, and of the
# allgather; of sums, that and the bound once for each rank; of the maximum, that and the bound. In
# single precision all that is rounded.
limits() {
  awk -v n=$((rows * cols)) -v block=$((rows * cols / RANKS)) -v p="$RANKS" -v s=$steps -v eb=$eb 'BEGIN {
    plate = (2 + 0.01 * s) * eb + 1e-5
    printf "plate:%d:%g sum:%d:%g max:%d:%g block:%d:%g", n, plate, n, p * (plate + eb), n, plate + eb, block, p * (plate + eb)
  }'
}

for type in float double; do
  plain "$STENCIL" $type $rows $cols $steps plain.bin
  taken "$STENCIL" $type $rows $cols $steps unset.bin
  cmp plain.bin unset.bin || die "without a bound, results differ"
  says "nothing was compressed" report
  # The link between ranks of one machine is fast enough for plain data: compress all the same.
  taken GHZ_MPI_BOUND=abs:$eb GHZ_MPI_MODE=homomorphic "$STENCIL" $type $rows $cols $steps bound.bin
  read -ra parts <<<"$(limits)"
  "$COMPARE" differ plain.bin bound.bin $type "${parts[@]}" || die "the bound is violated"
  for call in MPI_Allreduce MPI_Reduce MPI_Bcast MPI_Scatter MPI_Allgather MPI_Reduce_scatter_block; do
    calls $call compressed "$RANKS"
  done
  saves 4
  calls MPI_Allreduce small $((steps * RANKS))
  calls MPI_Allreduce type $((2 * RANKS))
  calls all failed 0
  # Left to itself, the library may find that plain MPI is faster; the bound holds anyhow.
  taken GHZ_MPI_BOUND=abs:$eb "$STENCIL" $type $rows $cols $steps auto.bin
  "$COMPARE" may-differ plain.bin auto.bin $type "${parts[@]}" || die "the bound is violated"
done
