#!/bin/bash
# told_once.sh: a wrong setting is told once, whichever ranks have it.
# Usage: told_once.sh PROGRAM MPIEXEC...
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
program=$1
shift
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# told LINES TEXT RANK0 OTHERS [ARGUMENT]: rank 0 runs with one setting, the others with another.
told() {
  timeout -k 5 60 "${start[@]}" -n 1 env "$3" "$program" "${@:5}" : -n 3 env "$4" "$program" "${@:5}" >"$log" 2>&1 ||
    { cat "$log" >&2 && echo "FAILED: exit code $? with $3 and $4" >&2 && exit 1; }
  [ "$(grep -c "libghzmpi: " "$log") $(grep -c "$2" "$log")" = "$1 $1" ] ||
    { cat "$log" >&2 && echo "FAILED: not $1 lines '$2' with $3 and $4" >&2 && exit 1; }
}

start=("$@")
told 1 "libghzmpi: GHZ_MPI_THREADS=0 is not understood" GHZ_MPI_THREADS=0 GHZ_MPI_THREADS=0
told 1 "libghzmpi: GHZ_MPI_THREADS=0 is not understood" GHZ_MPI_THREADS=0 GHZ_MPI_THREADS=1
told 1 "libghzmpi: on rank 1: GHZ_MPI_THREADS=0 is not" GHZ_MPI_THREADS=1 GHZ_MPI_THREADS=0
told 4 "GHZ_MPI_THREADS=[xy] is not" GHZ_MPI_THREADS=x GHZ_MPI_THREADS=y # all say what they have
told 0 "understood" GHZ_MPI_THREADS=1 GHZ_MPI_THREADS=2
# On a communicator without rank 0 its first rank tells: it cannot know whether rank 0 has.
told 2 "GHZ_MPI_THREADS=0 is not understood" GHZ_MPI_THREADS=0 GHZ_MPI_THREADS=0 halves
