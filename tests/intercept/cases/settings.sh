# The environment: what rank 0 has holds for all; what is wrong is said; what would hang ends.
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash source-path=SCRIPTDIR/.. source=helpers.sh
. "$HERE/helpers.sh"
plain "$MEDLEY" once plain.bin

# parts SECONDS A... -- B...: rank 0 runs with A, the others with B in the environment.
parts() {
  local limit=$1 first=() rest=()
  shift
  while [ "$1" != -- ]; do first+=("$1") && shift; done
  shift
  rest=("$@")
  timeout -k 5 "$limit" "${start[@]}" -n 1 env "${first[@]}" "$MEDLEY" once out.bin : \
    -n $((RANKS - 1)) env "${rest[@]}" "$MEDLEY" once out.bin
}

load=LD_PRELOAD=$preload
parts 60 "$load" GHZ_MPI_REPORT=report GHZ_MPI_BOUND=abs:1e-3 GHZ_MPI_MODE=homomorphic -- "$load" || die "exit code $?"
calls MPI_Bcast compressed "$RANKS"
parts 60 "$load" -- "$load" GHZ_MPI_REPORT=other GHZ_MPI_BOUND=abs:1e-3 || die "exit code $?"
cmp plain.bin out.bin || die "compressed though rank 0 has no bound"
[ ! -e other ] || die "a report that rank 0 did not ask for"
parts 60 "$load" GHZ_MPI_REPORT=report GHZ_MPI_BOUND=abs:1e-3 GHZ_MPI_MODE=homomorphic -- \
  "$load" GHZ_MPI_BOUND=rel:0.5 GHZ_MPI_MODE=auto GHZ_MPI_THRESHOLD=1 GHZ_MPI_ALGORITHM=mpi || die "exit code $?"
calls MPI_Bcast compressed "$RANKS"

# Where the decimal point is a comma, on rank 0, on the others, on all: the same numbers.
if [ -d "$LOCPATH/de_DE.UTF-8" ]; then
  numbers=("$load" GHZ_MPI_REPORT=report GHZ_MPI_BOUND=abs:0.002 GHZ_MPI_FILL=-999.5 GHZ_MPI_LINK=0.2gbit)
  parts 60 "${numbers[@]}" -- "$load" 2>log || die "exit code $?"
  mv out.bin point.bin
  compressed=$(figure calls all compressed)
  for comma in LC_ALL=de_DE.UTF-8,LC_ALL=C LC_ALL=C,LC_ALL=de_DE.UTF-8 LC_ALL=de_DE.UTF-8,LC_ALL=de_DE.UTF-8; do
    parts 60 "${comma%,*}" "${numbers[@]}" -- "${comma#*,}" "$load" 2>log || die "exit code $? with $comma"
    [ ! -s log ] || { cat log >&2 && die "something is not understood with $comma"; }
    calls all compressed "$compressed"
    cmp point.bin out.bin || die "other results with $comma"
    says "verdict: $compressed calls were compressed" report
    ! grep -E '[0-9],[0-9]' report || die "commas in the report with $comma"
  done
else
  echo "no locale with a comma (Debian: package locales)"
fi

# The extents of rank 0: smooth rows and columns take fewer bytes.
shaped=("$load" GHZ_MPI_REPORT=report GHZ_MPI_BOUND=abs:1e-3 GHZ_MPI_MODE=homomorphic)
parts 60 "${shaped[@]}" -- "$load" GHZ_MPI_EXTENTS=512x512 || die "exit code $?"
flat=$(figure bytes MPI_Bcast sent)
parts 60 "${shaped[@]}" GHZ_MPI_EXTENTS=64x64,128x512,512x512 -- "$load" GHZ_MPI_EXTENTS=2x131072 || die "exit code $?"
calls MPI_Bcast compressed "$RANKS"
[ "$(figure bytes MPI_Bcast sent)" -lt "$flat" ] || die "extents save nothing of $flat bytes"

# Loaded by some only: the job ends, and says why.
if parts 60 "$load" GHZ_MPI_BOUND=abs:1e-3 GHZ_MPI_INIT_TIMEOUT=2 -- GHZ_MPI_BOUND=abs:1e-3 >log 2>&1; then
  die "ran though one rank alone has the library"
elif [ $? = 124 ]; then
  die "hung with the library in one rank alone"
fi
says "not every process has loaded it" log

# Wrong values and names: said once, by rank 0, and as good as none.
bound=("$load" GHZ_MPI_BOUND=abs:1e-3 GHZ_MPI_MODE=homomorphic)
parts 60 "${bound[@]}" GHZ_MPI_THREADS=0 GHZ_MPI_THRESHOLD=1x GHZ_MPI_INIT_TIMEOUT=soon -- \
  "${bound[@]}" GHZ_MPI_THREADS=0 GHZ_MPI_THRESHOLD=1y GHZ_MPI_INIT_TIMEOUT=soon 2>log || die "exit code $?"
once GHZ_MPI_THREADS=0
once GHZ_MPI_THRESHOLD=1x
once GHZ_MPI_INIT_TIMEOUT=soon
[ "$(wc -l <log)" = 3 ] || { cat log >&2 && die "more is told"; }
taken GHZ_MPI_BOUND=abs:1e-3 GHZ_MPI_MODE=homomorphic GHZ_MPI_EXTENTS=512x512x "$MEDLEY" once out.bin 2>log
once GHZ_MPI_EXTENTS=512x512x
[ "$(figure bytes MPI_Bcast sent)" = "$flat" ] || die "extents that are not understood change something"
for wrong in GHZ_MPI_BOUND=abs:-1 GHZ_MPI_BOUND=rel:nan GHZ_MPI_BOUND=much GHZ_MPI_BOND=abs:1e-3; do
  taken "$wrong" "$MEDLEY" once out.bin 2>log
  once "$wrong"
  cmp plain.bin out.bin || die "compressed with $wrong"
done
taken GHZ_MPI_BOUND=abs:1e-3 GHZ_MPI_MODE=homomorphic GHZ_MPI_THRESHOLD=1x "$MEDLEY" once out.bin 2>log
once GHZ_MPI_THRESHOLD=1x
calls MPI_Bcast compressed "$RANKS"
taken GHZ_MPI_BOUND=abs:1e-3 GHZ_MPI_THRESHOLD=1G "$MEDLEY" once out.bin
calls all compressed 0
cmp plain.bin out.bin || die "compressed below the threshold"
# An algorithm that not every collective has serves those that have it.
for way in ring tree; do
  taken GHZ_MPI_BOUND=abs:1e-3 GHZ_MPI_MODE=homomorphic GHZ_MPI_ALGORITHM=$way "$MEDLEY" once out.bin
  calls all compressed $((6 * RANKS))
done
# Single values, too: a threshold of nothing. What that risks is said once.
taken GHZ_MPI_BOUND=abs:1e-3 GHZ_MPI_MODE=homomorphic GHZ_MPI_THRESHOLD=0 "$MEDLEY" once out.bin 2>log
calls MPI_Allreduce small 0
risk="GHZ_MPI_THRESHOLD=0 takes small calls, too"
once "$risk"
taken GHZ_MPI_BOUND=float GHZ_MPI_THRESHOLD=0 "$MEDLEY" once out.bin 2>log
! grep -F "$risk" log || die "there is no risk"
taken GHZ_MPI_BOUND=allreduce:float,abs:1e-3 GHZ_MPI_THRESHOLD=0 "$MEDLEY" once out.bin 2>log
once "$risk"
taken GHZ_MPI_BOUND=allreduce:float,abs:1e-3 GHZ_MPI_CALLS=allreduce GHZ_MPI_THRESHOLD=0 "$MEDLEY" once out.bin 2>log
! grep -F "$risk" log || die "there is no risk in what is taken"

# The report: on stderr; where it cannot be written, too; not at all.
taken GHZ_MPI_BOUND=abs:1e-3 GHZ_MPI_REPORT=1 "$MEDLEY" once out.bin 2>log
says "bound abs:1e-3" log
taken GHZ_MPI_BOUND=abs:1e-3 GHZ_MPI_REPORT=/nowhere/report "$MEDLEY" once out.bin 2>log
says "/nowhere/report: No such file" log
says "bound abs:1e-3" log
taken GHZ_MPI_BOUND=abs:1e-3 GHZ_MPI_REPORT=0 "$MEDLEY" once out.bin >log 2>&1
if [ -s log ] || [ -e report ]; then die "a report that nobody asked for"; fi
# What was a setting once.
for gone in plain fastest; do
  taken GHZ_MPI_BOUND=abs:1e-3 GHZ_MPI_MODE=$gone "$MEDLEY" once out.bin 2>log
  once "GHZ_MPI_MODE=$gone is not understood and is ignored: \"$gone\" must be auto or homomorphic (in place of plain: "
  calls MPI_Allreduce compressed "$RANKS"
done
taken GHZ_MPI_BOUND=abs:1e-3 GHZ_MPI_VERBOSE=1 GHZ_MPI_KEEP_ROOT=0 "$MEDLEY" once out.bin 2>log
once "GHZ_MPI_VERBOSE=1: there is no such setting, and it is ignored (the report of the library to preload, "
once "GHZ_MPI_KEEP_ROOT=0: there is no such setting, and it is ignored (options.keep_root of ghz_bcast)"
