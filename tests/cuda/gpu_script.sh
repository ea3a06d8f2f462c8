#!/usr/bin/env bash
# gpu_script.sh: whether scripts/gpu.sh does what it says: on a machine that seems to have a GPU,
# with programs that only say what they would have found.
# usage: tests/cuda/gpu_script.sh
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
exec </dev/null

root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

program() { # path: its lines come from the standard input
  mkdir -p "$(dirname "$1")"
  { echo '#!/bin/sh' && cat; } >"$1"
  chmod +x "$1"
}

program "$work/tools/nvidia-smi" <<'EOS'
[ -z "$NO_GPU" ] || exit 9
case $* in *compute_cap,*) echo "a GPU, 9.0, many" ;; *compute_cap*) echo 9.0 ;; *) echo "a GPU" ;; esac
EOS
program "$work/tools/compute-sanitizer" <<'EOS'
[ "$2" != synccheck ] || { echo "========= Error: Device not supported" && exit 1; }
echo "========= ERROR SUMMARY: 0 errors"
EOS
program "$work/build/tests/cuda/ghz_device_check" <<'EOS'
[ -z "$DAMAGED" ] || { echo "compute_every_way FAILED" && exit 1; }
echo "1 passed, 0 failed"
EOS
program "$work/build/data/ghz-fields" <<'EOS'
touch "$2/gradient.f32"
EOS
program "$work/build/bench/codec" <<'EOS'
while [ $# -gt 0 ]; do [ "$1" != --csv ] || csv=$2; shift; done
echo input,bound,type >"$csv"
echo "a table"
EOS

run() { # expected-status arguments...
  local expected=$1 status=0
  shift
  PATH=$work/tools:$PATH "$root/scripts/gpu.sh" -o "$work/results" "$@" >"$work/said" 2>&1 || status=$?
  [ "$status" = "$expected" ] || { cat "$work/said" && echo "gpu_script.sh: gpu.sh $*: status $status, not $expected" && exit 1; }
}
says() { # extended-regular-expression
  grep -qE "$1" "$work/said" || { cat "$work/said" && echo "gpu_script.sh: gpu.sh does not say: $1" && exit 1; }
}
silent() {
  ! grep -qE "$1" "$work/said" || { cat "$work/said" && echo "gpu_script.sh: gpu.sh says: $1" && exit 1; }
}

NO_GPU=1 run 2 --use "$work/build"
says 'no CUDA device'
run 2 --use "$work/nothing"
says 'has no tests/cuda/ghz_device_check'
run 2 --bench-only --checks-only
says '^usage:'

run 0 --use "$work/build"
says '^bench +passed'
says '^device +passed'
says '^racecheck +passed'
says '^synccheck +not run'
[ "$(wc -l <"$work/said")" -lt 40 ] || { echo "gpu_script.sh: more than a screen" && exit 1; }
[ "$(cat "$work/results/table.txt")" = "a table" ]

run 0 --use "$work/build" --bench-only
says '^bench +passed'
silent '^device'
run 0 --use "$work/build" --checks-only
says '^device +passed'
silent '^bench'
DAMAGED=1 run 1 --use "$work/build" --checks-only
says '^device +FAILED, status 1'
says 'compute_every_way FAILED'
echo "gpu_script.sh: gpu.sh does what it says"
