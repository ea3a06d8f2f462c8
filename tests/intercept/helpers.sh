# helpers.sh: owns the words that the cases are written in. Sourced by each of them, which ctest
# runs (ctest -V shows how); exit code 77: the case was skipped.
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
set -euo pipefail
: "${MPIEXEC:?must name what starts MPI programs}" "${LIBRARY:?must name the library to preload}"
SCRATCH=$(mktemp -d)
trap 'rm -rf "$SCRATCH"' EXIT
cd "$SCRATCH"
unset "${!GHZ_MPI_@}"
export GHZ_MPI_CALLS=all     # most cases are of all collectives
export GHZ_MPI_NODE=compress # all run on one node

RANKS=4
SECONDS_ALLOWED=100

die() {
  echo "FAILED: $*" >&2
  exit 1
}

skip() {
  echo "skipped: $*"
  exit 77
}

vendor() {
  if "$MPIEXEC" --version 2>&1 | grep -qE 'Open MPI|OpenRTE'; then echo openmpi; else echo mpich; fi
}

start=("$MPIEXEC")
if [ "$(vendor)" = openmpi ]; then
  # More ranks than cores, and perhaps in a container: as root, and without reading each other's
  # memory.
  start+=(--oversubscribe --allow-run-as-root --mca mpi_yield_when_idle 1 --mca btl_vader_single_copy_mechanism none)
fi
# With sanitizers: MPI itself leaks, and programs of others do not load the sanitizer first.
preload=${LOAD_FIRST:+$LOAD_FIRST:}$LIBRARY
export ASAN_OPTIONS=detect_leaks=0

# plain PROGRAM...: as it is.
plain() {
  timeout -k 5 $SECONDS_ALLOWED "${start[@]}" -n $RANKS "$@" || die "exit code $? from: $*"
}

# taken [VARIABLE=VALUE...] PROGRAM...: with the library, which writes its report to ./report.
taken() {
  rm -f report
  timeout -k 5 $SECONDS_ALLOWED "${start[@]}" -n $RANKS env LD_PRELOAD="$preload" GHZ_MPI_REPORT=report "$@" ||
    die "exit code $? from: $*"
}

# figure TABLE CALL COLUMN: a number of the report. TABLE is the first word of its heading.
figure() {
  local column
  case $1/$3 in
  calls/compressed | bytes/raw) column=2 ;;
  bytes/sent) column=3 ;;
  calls/failed) column=4 ;;
  calls/small) column=5 ;;
  calls/type) column=6 ;;
  calls/operation) column=7 ;;
  calls/communicator) column=8 ;;
  calls/node) column=9 ;;
  calls/unwanted) column=10 ;;
  *) die "no column $3 in $1" ;;
  esac
  awk -v table="$1" -v call="$2" -v column="$column" \
    '/, of all processes/ { in_table = $1 == table "," } in_table && $1 == call { print $column; found = 1; exit }
     END { if (!found) print 0 }' report
}

# calls CALL COLUMN NUMBER: so many must be reported, over all ranks.
calls() {
  local number
  number=$(figure calls "$1" "$2")
  [ "$number" = "$3" ] || { cat report >&2 && die "$number calls of $1 are '$2', not $3"; }
}

# saves FACTOR: less than 1 / FACTOR of the bytes of each call must have been sent.
saves() {
  local call raw sent
  for call in MPI_Allreduce MPI_Reduce MPI_Bcast MPI_Scatter MPI_Allgather MPI_Reduce_scatter_block; do
    raw=$(figure bytes $call raw) sent=$(figure bytes $call sent)
    if [ "$sent" = 0 ] || [ $((sent * $1)) -ge "$raw" ]; then
      cat report >&2
      die "$call sent $sent bytes for $raw"
    fi
  done
}

# once TEXT: the log has it, from one process.
once() {
  [ "$(grep -cF -e "$1" log)" = 1 ] || { cat log >&2 && die "'$1' is not told once"; }
}

# says TEXT FILE
says() {
  grep -qF -e "$1" "$2" || { cat "$2" >&2; die "no '$1' in $2"; }
}
