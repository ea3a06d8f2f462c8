#!/usr/bin/env bash
# lint.sh: looks for defects without running anything: layout, shell scripts, clang's warnings,
# clang-tidy, cppcheck. Installs what is missing, prints what it finds, and fails if that is
# anything. What the tools pass over stands in .clang-tidy and .cppcheck-suppressions, with the
# reasons. Clang's analyzer, which walks the paths through functions, looks at the changed files of
# the product alone (changed.sh).
# usage: scripts/lint.sh [--changed | --all]
#   --changed: clang-tidy over what was changed, without the analyzer; no cppcheck
#   --all: the analyzer over every file, tests, benches and emulated kernels too, and over the codec
#          for each instruction set; half an hour
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
exec </dev/null

cd "$(dirname "$0")/.."
mode=${1:-}
[[ $mode =~ ^(|--changed|--all)$ ]] || { sed -n '/^# usage:/s/^# //p' scripts/lint.sh >&2 && exit 2; }
# shellcheck source=scripts/packages.sh
. scripts/packages.sh
# shellcheck source=scripts/changed.sh
. scripts/changed.sh
# shellcheck disable=SC2154,SC2086 # lists of words
need_packages $build_packages $lint_packages
want_packages libcriterion-dev # without it there are no tests to look at

build="build-lint"
jobs=$(nproc)
started=$SECONDS
work=$(mktemp -d) # holds `failed` if anything did
trap 'rm -rf "$work"' EXIT

files() { # find-expression...: files of the project
  find ghz collectives cli plugins data examples bench tests scripts -type f \( "$@" \) | LC_ALL=C sort
}

# Runs a command over files, named on stdin, so many at a time, side by side. It must succeed, and
# say nothing.
check() { # name files-at-a-time command...
  local name=$1 at_a_time=$2 began=$SECONDS status=0
  shift 2
  cat >"$work/files"
  xargs -r -d '\n' -P "$jobs" -n "$at_a_time" "$@" <"$work/files" >"$work/said" 2>&1 || status=$?
  sed -i -E '/^[0-9]+ warnings? (generated|treated)/d' "$work/said" # those are of headers that are not ours
  cat "$work/said"
  [ -s "$work/files" ] || [[ $name == *changed* ]] || status=empty
  if [ $status != 0 ] || [ -s "$work/said" ]; then
    touch "$work/failed"
    status=FAILED
  else
    status=clean
  fi
  echo "$name: $(wc -l <"$work/files") files, $((SECONDS - began)) s: $status"
}

comments() { # whose lines end at column 100
  files -name '*.[ch]' -o -name '*.cc' -o -name '*.cpp' -o -name '*.cu' -o -name '*.cuh' -o -name '*.inc' -o -name '*.sh' \
    -o -name '*.cmake' -o -name CMakeLists.txt | check "comments of 100 columns" 64 awk -f scripts/comments.awk
}

comments
files -name '*.[ch]' -o -name '*.cc' -o -name '*.cu' -o -name '*.cuh' | check "layout" 32 clang-format --dry-run -Werror
# Cases are one sentence each, and their names are those of tests.
files \( -name '*.[ch]' -o -name '*.cc' -o -name '*.cu' -o -name '*.cuh' -o -name '*.sh' \) -not -path '*/cases/*' -not -path '*/errors/*' |
  check "first lines" 64 awk -v first=1 -f scripts/comments.awk
# Cases are sourced, and source what a variable names.
files -name '*.sh' | check "shell scripts" 8 shellcheck -s bash -S warning -x -e SC1090,SC1091,SC2034,SC2206

# The commands of a build by clang tell clang-tidy what the files are compiled with, warnings
# included.
cmake -G Ninja -S . -B "$build" -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_EXPORT_COMPILE_COMMANDS=ON \
  -DGHZ_CUDA=OFF -DGHZ_MPI=ON -DMPI_C_COMPILER=mpicc.openmpi >"$work/log" 2>&1 || { cat "$work/log" >&2 && exit 1; }
sed -n -E 's|^ *"file": "'"$PWD"'/(.*\.cc?)",?$|\1|p' "$build/compile_commands.json" | LC_ALL=C sort -u >"$work/compiled"
[ -s "$work/compiled" ]
product='^(ghz|collectives|cli|plugins|data)/([a-z0-9]+/)*[a-z0-9_]+\.c$'

# What is compiled of the changed files; with `includers` also what includes a changed header.
changed() { # [includers]
  local file
  changed_files >"$work/changed"
  LC_ALL=C comm -12 "$work/changed" "$work/compiled"
  [ -n "${1:-}" ] || return 0
  for file in $(grep -E '\.(h|cuh|inc)$' "$work/changed"); do
    xargs -d '\n' grep -lE "#include [<\"](.*/)?${file##*/}[>\"]" <"$work/compiled" || true
  done
}

tidy=(clang-tidy --quiet -p "$build")
case $mode in
--all) check "clang-tidy, all" 1 "${tidy[@]}" <"$work/compiled" ;;
--changed) changed includers | LC_ALL=C sort -u | check "clang-tidy, changed" 8 "${tidy[@]}" --checks=-clang-analyzer-* ;;
*)
  changed | { grep -E "$product" || true; } >"$work/analyzed"
  LC_ALL=C comm -13 "$work/analyzed" "$work/compiled" | check "clang-tidy" 8 "${tidy[@]}" --checks=-clang-analyzer-*
  # The longest first, so that none is left alone at the end.
  xargs -r ls -S <"$work/analyzed" | check "clang-tidy and analyzer, changed" 1 "${tidy[@]}"
  ;;
esac

if [ "$mode" != --changed ]; then
  cppcheck=(cppcheck --quiet --error-exitcode=1 "--enable=warning,performance,portability" --inline-suppr
    --suppressions-list=.cppcheck-suppressions "--library=posix,gnu" --std=c11 --max-configs=4 -D__x86_64__ -D__linux__
    '-DTest(suite,name,...)=void suite##_##name(void)' '-DTestSuite(...)=extern int nothing'
    -Ighz/include -Icollectives/include -Ighz -Icollectives -Icli -Iplugins -Idata -Ibench -Itests/reference -Itests/support -Itests/golden -Itests/cuda -Itests/fuzz
    '--template={file}:{line}: {severity}: {message} [{id}]')
  files -name '*.c' | check "cppcheck" 32 "${cppcheck[@]}"
fi

[ ! -e "$work/failed" ] || { echo "lint.sh: FAILED, after $((SECONDS - started)) s" >&2 && exit 1; }
echo "lint.sh: nothing found, in $((SECONDS - started)) s"
