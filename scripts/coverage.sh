#!/usr/bin/env bash
# coverage.sh: builds with gcov's counters, runs the tests that take seconds, and tells which lines
# and branches of the library and the collectives these reach, per file and in total. Fails under 95
# % of the lines or 85 % of the branches of either. The GPU's kernels count as they run on the host;
# ghz/cuda/no_cuda.c, which stands in for them, is in another build of the library. Installs what is
# missing. What is not reached stays in build-coverage: unreached.txt, lines.txt, branches.txt,
# index.html.
# usage: scripts/coverage.sh [CTEST OPTION...]
#   e.g. -R api: what those tests alone reach; fails all the same
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
exec </dev/null

cd "$(dirname "$0")/.."
# shellcheck source=scripts/packages.sh
. scripts/packages.sh
# shellcheck disable=SC2154,SC2086 # lists of words
need_packages $build_packages $test_packages gcovr
# shellcheck disable=SC2154,SC2086
want_packages $test_wishes

export OMP_WAIT_POLICY=passive
build="build-coverage"
least_lines=95
least_branches=85
started=$SECONDS

cmake --preset coverage >"$build.log" 2>&1 || { cat "$build.log" >&2 && exit 1; }
rm -f "$build.log"
cmake --build "$build" -- --quiet
find "$build" -name '*.gcda' -delete
echo "== Built, after $((SECONDS - started)) s"

# Programs that others build with the library would have to be linked with gcov.
tests=0
ctest --test-dir "$build" -j "$(nproc)" --no-tests=error --output-on-failure -LE 'slow|long' -E '^(readme|consumer|symbols)' "$@" \
  >"$build/tests.log" 2>&1 || tests=$?
tail -n 25 "$build/tests.log" | sed -n '/tests passed/,$p'
echo "== Ran the tests, after $((SECONDS - started)) s"

# Macros and inline functions count once, whichever instruction set and type reaches them.
gcovr -r . "$build" -f ghz/ -f collectives/ --exclude-unreachable-branches --exclude-throw-branches --json \
  -o "$build/coverage.json" 2>"$build/gcovr.log" || { cat "$build/gcovr.log" >&2 && exit 1; }
report() { # gcovr-option...
  gcovr -r . -a "$build/coverage.json" "$@"
}
report --txt -o "$build/lines.txt"
report --txt --branches -o "$build/branches.txt"
report --html-details "$build/index.html"
# Each line that nothing reached, with its text.
report --txt | awk '$1 ~ /^(ghz|collectives)\// && NF == 5 { print $1, $5 }' | while read -r file missing; do
  for range in ${missing//,/ }; do
    sed -n "${range%-*},${range#*-}{=;p}" "$file" | paste - - | awk -v file="$file" -F '\t' '{ sub(/^ +/, "", $2); print file ":" $1 ": " $2 }'
  done
done >"$build/unreached.txt"

failed=
folder_report() { # folder
  local status=0
  printf '\n%s: lines\n' "$1"
  report -f "$1/" --txt | sed -n '/^---/,$p'
  printf '\n%s: branches\n' "$1"
  report -f "$1/" --txt --branches --fail-under-line $least_lines --fail-under-branch $least_branches | sed -n '/^---/,$p' ||
    status=$?
  [ $status = 0 ] || failed="$failed $1"
}
folder_report ghz
folder_report collectives
[ "$tests" = 0 ] || { echo "coverage.sh: FAILED: tests failed" >&2 && exit 1; }
if [ -n "$failed" ]; then
  echo "coverage.sh: FAILED: below $least_lines % of the lines or $least_branches % of the branches:$failed" >&2
  exit 1
fi
echo "coverage.sh: enough, in $((SECONDS - started)) s"
