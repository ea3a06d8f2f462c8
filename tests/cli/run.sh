#!/bin/bash
# run.sh: owns the running of cases: each in a directory of its own, with GHZ (the command) and TOOL
# set.
# Usage: GHZ=path/to/ghz TOOL=path/to/tool run.sh [CASE.sh...]
# Exit code 77: all that ran were skipped.
# SPDX-License-Identifier: BSD-3-Clause
here=$(cd "$(dirname "$0")" && pwd)
: "${GHZ:?must name the command}" "${TOOL:?must name the test tool}"
GHZ=$(readlink -f "$GHZ") TOOL=$(readlink -f "$TOOL") HELPERS=$here/helpers.sh SOURCE=$(cd "$here/../.." && pwd)
export GHZ TOOL HELPERS SOURCE LC_ALL=C
[ $# -gt 0 ] || set -- "$here"/{cases,errors}/*.sh
failed=0 passed=0 skipped=0
for case in "$@"; do
  case=$(readlink -f "$case")
  SCRATCH=$(mktemp -d) && export SCRATCH
  mkdir "$SCRATCH/work"
  (cd "$SCRATCH/work" && exec bash "$case") >"$SCRATCH/log" 2>&1
  code=$?
  case $code in
  0) passed=$((passed + 1)) ;;
  77) skipped=$((skipped + 1)) && sed "s|^|$(basename "$case"): |" "$SCRATCH/log" ;;
  *) failed=$((failed + 1)) && sed "s|^|$(basename "$case"): |" "$SCRATCH/log" ;;
  esac
  rm -rf "$SCRATCH"
done
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ] || exit 1
[ $passed -gt 0 ] || exit 77
