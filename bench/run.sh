#!/bin/bash
# run.sh: builds a release, makes the fields, and measures everything. Options after -- go to bench/codec.
# usage: bench/run.sh [--build DIR] [--fields DIR] [--more DIR]... [--size N] [-- CODEC OPTIONS]
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
build=$root/build-bench
fields=
more=
size=256
while [ $# -gt 0 ]; do
  case $1 in
  --build) build=$2 && shift 2 ;;
  --fields) fields=$2 && shift 2 ;;
  --more) more="$more --fields $2" && shift 2 ;;
  --size) size=$2 && shift 2 ;;
  --) shift && break ;;
  *) sed -n '2,3s/^# //p' "$0" >&2 && exit 2 ;;
  esac
done
fields=${fields:-$build/fields-$size}
# Measured fields that may lie beside the checkout; bench/codec takes the files that are there.
[ -d "$root/../shared/data" ] && more="$more --fields $root/../shared/data"

cmake -S "$root" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DGHZ_BENCH=ON -DGHZ_CUDA=OFF > "$build.log" 2>&1 ||
  { cat "$build.log" >&2 && exit 1; }
rm -f "$build.log"
ninja -C "$build" bench_codec ghz_fields

if [ ! -e "$fields/wave-late.f32" ]; then
  mkdir -p "$fields"
  "$build/data/ghz-fields" --size "$size" "$fields"
fi

# shellcheck disable=SC2086 # $more is a list of options
"$build/bench/codec" --fields "$fields" $more --csv "$build/codec.csv" "$@" | tee "$build/codec.txt"
gnuplot -c "$root/bench/codec.gp" "$build/codec.csv" "$build/codec.png"
echo "figures: $build/codec.csv, $build/codec.png"
