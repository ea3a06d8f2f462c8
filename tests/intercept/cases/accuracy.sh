# What the bound did, in the report; calls that MPI makes as well; and bounds of single collectives.
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash source-path=SCRIPTDIR/.. source=helpers.sh disable=SC2016
. "$HERE/helpers.sh"

# line HEADING CALL: the figures of a table's line.
line() {
  awk -v heading="$1" -v call="$2" '/^[a-z]+, / { in_table = $1 == heading "," } in_table && $1 == call' report
}

# holds CONDITION HEADING CALL: of the fields of that line.
holds() {
  line "$2" "$3" | awk "{ found = 1; if (!($1)) exit 2 } END { if (!found) exit 3 }" ||
    { cat report >&2 && die "$2 of $3: not $1"; }
}

# Waves of four ranks: sums in [-4, 4], rms 4 / sqrt(2), 4 bounds of 1e-3, some 1 / 2000 of the
# values below that.
export GHZ_MPI_THREADS=1
unset GHZ_MPI_CALLS
taken GHZ_MPI_BOUND=abs:1e-3 "$MEDLEY"
holds '$2 == 0.004 && $3 > 7.9 && $3 < 8.1 && $4 > 2.8 && $4 < 2.85 && $5 > 0.03 && $5 < 0.12 && $6 == 0' accuracy MPI_Allreduce
holds '$2 == 4 && $3 > 0.5 && $3 <= 1.001 && $4 > 0.1 && $4 < $3 && $5 > 2.5e-4 && $5 < 5.1e-4 && $6 < $5 && $8 > 0' checked MPI_Allreduce
grep -qE '^verdict: on this network a call (lost|gained) [0-9.e-]+ ms: 4 calls were made by MPI, too$' report ||
  { cat report >&2 && die "nothing is said of this network"; }
taken GHZ_MPI_BOUND=abs:1e-3 GHZ_MPI_CHECK=1 "$MEDLEY"
holds '$2 == 16' checked MPI_Allreduce
taken GHZ_MPI_BOUND=abs:1e-3 GHZ_MPI_CHECK=2 "$MEDLEY"
holds '$2 == 8' checked MPI_Allreduce # complex numbers are of the kind
taken GHZ_MPI_BOUND=abs:1e-3 GHZ_MPI_CHECK=0 "$MEDLEY"
! grep -q '^checked' report || { cat report >&2 && die "checked, though nothing was to be"; }
for wrong in -1 1.5 2147483648 some; do
  RANKS=2 taken GHZ_MPI_BOUND=abs:1e-3 GHZ_MPI_CHECK=$wrong "$MEDLEY" once out.bin 2>log
  once "GHZ_MPI_CHECK=$wrong is not understood and is ignored: \"$wrong\" must be a number of calls, 1 to 2147483647, of which one is checked, or 0: none"
done

# A result that the root alone has is not averaged over those that have none.
taken GHZ_MPI_BOUND=abs:1e-3 GHZ_MPI_CALLS=all GHZ_MPI_CHECK=1 GHZ_MPI_MODE=homomorphic "$MEDLEY" once out.bin
holds '$2 == 4 && $4 > 0.3 && $4 < $3 && $6 > 3e-4 && $6 < $5' checked MPI_Reduce

# Results that no bound holds for have no errors in bounds.
taken GHZ_MPI_BOUND=abs:1e-12 GHZ_MPI_MODE=homomorphic "$MEDLEY" noise
holds '$2 == 4 && $3 == "-" && $4 == "-" && $5 < 1e-6' checked MPI_Allreduce

# By collective: those that are named are taken, and the others have the bound without a name, or
# none.
taken GHZ_MPI_BOUND=bcast:abs:1e-2,rel:1e-4 "$MEDLEY"
holds '$2 == 0.01' accuracy MPI_Bcast
holds '$2 > 7e-4 && $2 < 9e-4' accuracy MPI_Allreduce
calls MPI_Allgatherv unwanted 4
taken GHZ_MPI_BOUND=bcast:rel:1e-3 "$MEDLEY"
calls MPI_Bcast compressed 8
calls MPI_Allreduce compressed 0
taken GHZ_MPI_BOUND=bcast:abs:1e-2,allreduce:result:abs:1e-3 GHZ_MPI_CALLS=allreduce "$MEDLEY"
holds '$2 <= 1.001e-3' accuracy MPI_Allreduce
calls MPI_Bcast unwanted 8
for wrong in '{bcst:abs:1}' 'bcast:abs:1,{bcast:abs:2}' '{bcast},abs:1' '{bcast:}' 'abs:1,{}' 'abs:1,{},rel:1' \
  '{allreduce:rel:1-4},abs:1' '{reducescatter:abs:1}'; do
  entry=${wrong#*\{} entry=${entry%\}*} wrong=${wrong//[\{\}]/}
  RANKS=2 taken GHZ_MPI_BOUND="$wrong" "$MEDLEY" once out.bin 2>log
  once "libghzmpi: GHZ_MPI_BOUND=$wrong is not understood and is ignored: \"$entry\" must be abs:X, "
  says "nothing was compressed" report
done
