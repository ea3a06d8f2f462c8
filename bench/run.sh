#!/usr/bin/env bash
# run.sh: builds a release, makes the fields, and measures the codec on the CPU.
# usage: bench/run.sh [--quick] [--build DIR] [--fields DIR] [--more DIR,...] [--size N] [-- CODEC OPTIONS]
#   --fields DIR   the synthetic fields; made there, with edge N (256), if it has none
#   --more DIR,... folders of other fields that bench/codec knows by name
#   --quick        fields of edge 64, few rounds: whether it works, not how fast
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
build=$root/build-bench fields='' size=256 more='' options=()
while [ $# -gt 0 ]; do
  case $1 in
  --quick) size=64 && options+=(--quick) && shift ;;
  --build) build=$2 && shift 2 ;;
  --fields) fields=$2 && shift 2 ;;
  --more) more=,$2 && shift 2 ;;
  --size) size=$2 && shift 2 ;;
  --) shift && break ;;
  *) sed -n '2,6s/^# \{0,1\}//p' "$0" >&2 && exit 2 ;;
  esac
done
fields=${fields:-$build/fields-$size}

log=$build.log
{ cmake -S "$root" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DGHZ_BENCH=ON -DGHZ_CUDA=OFF &&
  cmake --build "$build" --target bench_codec ghz_fields; } >"$log" 2>&1 || { cat "$log" >&2 && exit 1; }
rm -f "$log"
if [ ! -e "$fields/wave-late.f32" ]; then
  mkdir -p "$fields"
  "$build/data/ghz-fields" --quiet --size "$size" "$fields"
fi

"$build/bench/codec" --fields "$fields$more" "${options[@]}" --csv "$build/codec.csv" "$@" | tee "$build/codec.txt"
echo "figures: $build/codec.csv"
