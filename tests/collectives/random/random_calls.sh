#!/usr/bin/env bash
# random_calls.sh: random calls on 1 to 9 ranks, the time shared among them, with seeds that are new
# every time.
# usage: random_calls.sh MINUTES PROGRAM LAUNCHER...
#   the launcher as in `mpiexec -n`; SEED=n: the first seed
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail

[ $# -ge 3 ] || { sed -n '/^# usage:/s/^# //p' "$0" >&2 && exit 2; }
seconds=$(awk -v minutes="$1" 'BEGIN { printf "%.0f", minutes * 60 / 9 }')
program=$2
launcher=("${@:3}")
seed=${SEED:-$(date +%s)}

for ranks in 1 2 3 4 5 6 7 8 9; do
  "${launcher[@]}" "$ranks" "$program" "$ranks" "$seconds" "$seed" || {
    status=$?
    echo "random_calls.sh: FAILED: ${launcher[*]} $ranks $program $ranks $seconds $seed" >&2
    exit $status
  }
  seed=$((seed + 1))
done
echo "random_calls.sh: all ranks passed"
