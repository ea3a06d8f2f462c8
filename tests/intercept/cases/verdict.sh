# The end of the report, in words: its numbers are those of the program and of the tables.
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash source-path=SCRIPTDIR/.. source=helpers.sh
. "$HERE/helpers.sh"
unset GHZ_MPI_CALLS
taken GHZ_MPI_BOUND=abs:1e-3 GHZ_MPI_THREADS=1 "$MEDLEY"
says "not compressed: MPI_Bcast, 8 calls, 3200000 bytes: not in GHZ_MPI_CALLS" report
says "not compressed: MPI_Allreduce, 4 calls, 1600000 bytes: not float, double or complex" report
says "not compressed: MPI_Allreduce, 4 calls, 1600000 bytes: not the operations sum, min or max" report
says "not compressed: MPI_Allgatherv, 4 calls, 160 bytes: not in GHZ_MPI_CALLS" report
says "not compressed: MPI_Allreduce, 28 calls, 112 bytes: below the threshold" report
[ "$(grep -c "not compressed:" report)" = 5 ] || { cat report >&2 && die "other calls than the program made"; }
grep "not compressed:" report | sed 's/.*calls, \([0-9]*\) bytes.*/\1/' | sort -rnc || die "not by bytes"

# The ratio, the bytes and the speed of the link, from the tables and from each other.
sent=$(figure bytes MPI_Allreduce sent) raw=$(figure bytes MPI_Allreduce raw)
says "verdict: 16 calls were compressed: they sent $sent bytes instead of $raw, a ratio of " report
awk -v sent="$sent" -v raw="$raw" '
  /^verdict: 16 calls/ { ratio = $NF }
  /^verdict: this pays off/ { for (i = 1; i < NF; i++) { if ($(i + 1) == "Gbit/s") speed = $i
    if ($(i + 1) == "bytes") spared = $i; if ($(i + 1) == "s") codec = $i } }
  /^seconds/ { in_seconds = 1 }
  in_seconds && $1 == "MPI_Allreduce" { table = $8; parts = $4 + $5 + $6; in_seconds = 0 }
  function near(a, b, by) { return a - b <= by && b - a <= by }
  END { exit !(near(ratio, raw / sent, 0.006) && spared == raw - sent && near(codec, table, 0.0002 + 1e-3 * table) &&
               codec > parts - 0.0002 - 1e-3 * parts && parts > 0 && near(speed, 8e-9 * spared / codec, 0.01 + 1e-3 * speed)) }' report ||
  { cat report >&2 && die "the verdict is not what the tables say"; }

# Nothing compressed, and what does not compress.
taken GHZ_MPI_BOUND=abs:1e-3 GHZ_MPI_CALLS=scatter "$MEDLEY"
says "verdict: nothing was compressed" report
says "MPI_Allreduce, 52 calls, 9600112 bytes: not in GHZ_MPI_CALLS" report
taken GHZ_MPI_BOUND=abs:1e-12 GHZ_MPI_MODE=homomorphic "$MEDLEY" noise
says "verdict: this never pays off" report
taken GHZ_MPI_BOUND=abs:1e-3 GHZ_MPI_ALGORITHM=mpi "$MEDLEY"
says "verdict: nothing was compressed" report
says "MPI_Allreduce, 16 calls, 6400000 bytes: made by MPI: the settings say so, such data did not compress, or " report
taken GHZ_MPI_BOUND=float GHZ_MPI_CALLS=all "$MEDLEY"
says "MPI_Bcast, 8 calls, 3200000 bytes: made by MPI: the settings say so, such data did not compress, or " report

# A bound that one large value makes large, and fill values that nobody named, are said first.
# shellcheck disable=SC2053 # a pattern
first() { [[ $(grep -m 1 '^verdict: ' report) == $1 ]] || { cat report >&2 && die "the verdict does not begin so: $1"; }; }
taken GHZ_MPI_BOUND=rel:1e-4 "$MEDLEY" noise 1e9 100000
first "verdict: in 16 of 16 compressed calls the bound 1e+05 is larger than * % of the values other than 0, which come back as 0: their median magnitude is 0.*"
taken GHZ_MPI_BOUND=psnr:60 "$MEDLEY" noise 1e20 4
first "verdict: in 16 of 16 compressed calls the bound 1e+17 is larger than 100 % *; 25* % of the values are 1e+20, a usual fill value: *. Use GHZ_MPI_FILL=1e+20"
taken GHZ_MPI_BOUND=abs:1e-3 "$MEDLEY" noise -9999 4
first "verdict: in 16 of 16 compressed calls 2* % of the values are -9999, a usual fill value: *. Use GHZ_MPI_FILL=-9999"
for named in GHZ_MPI_FILL=-9999 GHZ_MPI_BOUND=float; do
  taken GHZ_MPI_BOUND=rel:1e-4 $named "$MEDLEY" noise -9999 4
  ! grep -qE 'come back as 0|usual fill' report || { cat report >&2 && die "$named: values are lost"; }
done

# With the speed of the network: what is faster, always.
shaped=(GHZ_MPI_BOUND=abs:1e-3 GHZ_MPI_EXTENTS=50x2000)
taken "${shaped[@]}" GHZ_MPI_LINK=1kbit "$MEDLEY"
calls MPI_Allreduce compressed 16
taken "${shaped[@]}" GHZ_MPI_LINK=900000gbit "$MEDLEY"
says "verdict: nothing was compressed" report
for wrong in 0 -1gbit nan gbit 1gigabit inf; do
  RANKS=2 taken GHZ_MPI_BOUND=abs:1e-3 GHZ_MPI_LINK=$wrong "$MEDLEY" once out.bin 2>log
  once "GHZ_MPI_LINK=$wrong is not understood and is ignored: \"$wrong\" must be a speed, as in 1gbit"
done
