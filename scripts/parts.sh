# parts.sh: to be sourced by check.sh and test.sh: builds, tests, and what each part takes, by the
# clock and of the processors.
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# shellcheck source=scripts/packages.sh
. scripts/packages.sh

# Tests run side by side, each with threads of its own: threads that wait must not hold the cores.
export OMP_WAIT_POLICY=passive CTEST_OUTPUT_ON_FAILURE=1
jobs=$(nproc)
parts=$(mktemp)
junit=() # of the tests that ran
started=$SECONDS
trap 'rm -f "$parts"' EXIT
trap 'echo "${0##*/}: FAILED" >&2' ERR

# shellcheck disable=SC2154,SC2086 # lists of words
need_packages $build_packages $test_packages $clang_packages
# shellcheck disable=SC2154,SC2086
want_packages $test_wishes
if command -v ccache >/dev/null; then
  export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache CMAKE_CUDA_COMPILER_LAUNCHER=ccache
  export CCACHE_SLOPPINESS="${CCACHE_SLOPPINESS:-include_file_mtime,include_file_ctime}"
fi

cpu_seconds() { # of this shell's children so far
  local clock
  clock=$(getconf CLK_TCK)
  awk -v hz="$clock" '{ printf "%d", ($16 + $17) / hz }' "/proc/$$/stat"
}

part() { # name command...
  local name=$1 began=$SECONDS busy
  busy=$(cpu_seconds)
  shift
  "$@"
  printf '%-30s %5d s %6d s\n' "$name" $((SECONDS - began)) $(($(cpu_seconds) - busy)) >>"$parts"
}

tenths() { # of Ninja's lines one for each tenth of the build; other lines as they are
  awk 'match($0, /^\[[0-9]+\/[0-9]+\]/) { split(substr($0, 2, RLENGTH - 2), n, "/"); tenth = int(10 * n[1] / n[2])
    if (tenth == last) next; last = tenth } { print; fflush() }'
}

build() { # folder cmake-option...; builds $targets, or all; forgets older options if $fresh is set
  echo "== Building $1 (${*:2})"
  [ -z "${fresh:-}" ] || rm -rf "$1/CMakeCache.txt" "$1/CMakeFiles"
  cmake -G Ninja -S . -B "$1" -DGHZ_WERROR=ON -DGHZ_MPI=ON -DMPI_C_COMPILER=mpicc.openmpi "${@:2}" >"$1.log" 2>&1 ||
    { cat "$1.log" >&2 && false; }
  grep -- '-- ghz:' "$1.log" || true # what this machine lacks
  rm -f "$1.log"
  # shellcheck disable=SC2086 # a list of words
  set -- cmake --build "$1" --target ${targets:-all}
  if [ -t 1 ]; then "$@"; else "$@" | tenths; fi
}

run_tests() { # folder ctest-option...
  echo "== Testing ($*)"
  rm -f "$1/junit.xml"
  [[ $* == *--preset* ]] || set -- "$@" --test-dir "$1"
  ctest -j "$jobs" --no-tests=error --output-junit "$PWD/$1/junit.xml" "${@:2}"
  junit+=("$1/junit.xml")
}

end_of_parts() { # the last word
  echo "== What each part took, by the clock and of the processors"
  cat "$parts"
  printf '%-30s %5d s %6d s\n' "together" $((SECONDS - started)) "$(cpu_seconds)"
  echo "== Skipped"
  python3 tests/support/skipped.py "${junit[@]}"
  echo "$1, in $((SECONDS - started)) s"
}
