#!/usr/bin/env bash
# fuzz.sh: builds the fuzzers with clang, shares the time (10 minutes) among them, one process at a
# time, and prints what each did. Whatever fails is made small and kept in tests/fuzz/regressions,
# where the tests run it from then on, until tests/support/pack.py puts it into an archive.
# From 2 minutes on, what was learnt is kept in build-sanitize/fuzz/corpus for the next run.
# usage: scripts/fuzz.sh [MINUTES] [target...]
# SPDX-License-Identifier: BSD-3-Clause
set -Eeuo pipefail
exec </dev/null

root=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=scripts/packages.sh
. "$root/scripts/packages.sh"

build=$root/build-sanitize kept=$root/tests/fuzz
place=$build/fuzz logs=$build/fuzz/logs
limits="-timeout=120 -rss_limit_mb=3000 -malloc_limit_mb=64" # as in tests/fuzz/CMakeLists.txt
longest=300 # seconds that one target runs before it is the next one's turn

usage() {
  sed -n '/^# usage:/s/^# //p' "$0" >&2
  exit 2
}

build_fuzzers() { # target...
  if ! {
    cmake -S "$root" --preset sanitize && cmake --build "$build" --target "${@/#/fuzz_}"
  } >"$logs/build" 2>&1; then
    cat "$logs/build" >&2
    exit 1
  fi
}

# The folders that a target starts from.
seeds() { # target
  local folder
  for folder in "$build/tests/fuzz/seeds/$1" "$kept/regressions/$1"; do
    [ ! -d "$folder" ] || echo "$folder"
  done
  [ "$1" != decode ] || echo "$build/tests/golden/streams"
}

# The longest inputs that a target needs, and its dictionary.
settings() { # target
  case $1 in
  round_trip) echo -max_len=400 ;;
  npy) echo "-max_len=1500 -dict=$kept/npy.dict" ;;
  *) echo -max_len=8000 ;;
  esac
}

# A failing input, made smaller for a while, gets its name by its content.
keep_failure() { # target file
  local small=$place/found/$1.small name
  rm -f "$small"
  # shellcheck disable=SC2086 # a list of words
  "$build/tests/fuzz/fuzz_$1" $limits -minimize_crash=1 -max_total_time=30 -exact_artifact_path="$small" "$2" >>"$logs/$1" 2>&1 || true
  [ -s "$small" ] || cp "$2" "$small"
  name=$(sha1sum "$small" | cut -c 1-12)
  mkdir -p "$kept/regressions/$1"
  mv "$small" "$kept/regressions/$1/$name"
  rm -f "$2"
  echo "fuzz.sh: $1 FAILED: $(grep -aE 'FAILED:|ERROR:|runtime error:' "$logs/$1" | head -n 1)" >&2
  echo "fuzz.sh: kept as tests/fuzz/regressions/$1/$name; the log is build-sanitize/fuzz/logs/$1" >&2
}

run_target() { # target seconds
  local corpus=$place/corpus/$1 options folders file executed status=0 before=${found[$1]:-0}
  read -ra options <<<"$limits $(settings "$1")"
  "$keep_corpus" || corpus=$(mktemp -d "$place/corpus.XXXXXX")
  mkdir -p "$corpus" "$place/found/$1"
  mapfile -t folders < <(seeds "$1")
  "$build/tests/fuzz/fuzz_$1" -max_total_time="$2" -len_control=0 -print_final_stats=1 \
    -artifact_prefix="$place/found/$1/" "${options[@]}" "$corpus" "${folders[@]}" >"$logs/$1" 2>&1 || status=$?
  executed=$(sed -n 's/^stat::number_of_executed_units: *//p' "$logs/$1") # nothing where memory ran out
  runs[$1]=$((${runs[$1]:-0} + ${executed:-0}))
  coverage[$1]=$(sed -n 's/.*\(cov: [0-9]* ft: [0-9]*\).*/\1/p' "$logs/$1" | tail -n 1)
  for file in "$place/found/$1"/*; do
    [ -f "$file" ] || continue
    keep_failure "$1" "$file"
    found[$1]=$((${found[$1]:-0} + 1))
  done
  if [ $status != 0 ] && [ "${found[$1]:-0}" = "$before" ]; then
    echo "fuzz.sh: $1 FAILED: status $status, and no input that shows why; the log is build-sanitize/fuzz/logs/$1" >&2
    tail -n 5 "$logs/$1" >&2
    found[$1]=$((before + 1))
  fi
  "$keep_corpus" || rm -rf "$corpus"
}

minutes=10
if [ $# -gt 0 ]; then
  [[ $1 =~ ^[0-9]+(\.[0-9]+)?$ ]] || usage
  minutes=$1
  shift
fi
targets=("$@")
[ $# -gt 0 ] || targets=(decode compute slices tiles container npy round_trip)
# shellcheck disable=SC2154,SC2086 # lists of words
need_packages $build_packages $clang_packages
export OMP_WAIT_POLICY=passive
mkdir -p "$logs"
declare -A runs coverage found

keep_corpus=$(awk -v m="$minutes" 'BEGIN { print m < 2 ? "false" : "true" }')
share=$(awk -v m="$minutes" -v n="${#targets[@]}" 'BEGIN { s = int(60 * m / n); print s < 1 ? 1 : s }')
build_fuzzers "${targets[@]}"
for ((left = share; left > 0; left -= longest)); do
  for target in "${targets[@]}"; do
    run_target "$target" $((left < longest ? left : longest))
  done
done

failures=0
printf '%-12s %12s %10s %10s %6s\n' target runs edges features found
for target in "${targets[@]}"; do
  read -r _ edges _ features <<<"${coverage[$target]:-cov: - ft: -}"
  printf '%-12s %12s %10s %10s %6s\n' "$target" "${runs[$target]}" "$edges" "$features" "${found[$target]:-0}"
  failures=$((failures + ${found[$target]:-0}))
done
[ "$failures" = 0 ] || { echo "fuzz.sh: FAILED: $failures found" >&2 && exit 1; }
