#!/usr/bin/env bash
# test.sh: installs what is missing, and runs everything that guards a law or a promise: lint.sh;
# the plain build with Open MPI, all its tests, the kernels compiled for GPUs where there is a CUDA
# toolkit; the collectives with MPICH; what is fast with the address and undefined-behaviour
# sanitizers, the fuzzers' inputs among it; threads with the thread sanitizer. Some fifteen minutes
# on two cores. Ends with what each part took, and with what was skipped and why.
# usage: scripts/test.sh [--all]     --all: also what is labelled long, and the fuzzers for a while
# SPDX-License-Identifier: BSD-3-Clause
set -Eeuo pipefail
exec </dev/null

cd "$(dirname "$0")/.."
all=${1:-}
[ -z "$all" ] || [ "$all" = --all ] || { sed -n '/^# usage:/s/^# //p' scripts/test.sh >&2 && exit 2; }
# shellcheck source=scripts/packages.sh
. scripts/packages.sh

# Tests run side by side, each with threads of its own: threads that wait must not hold the cores.
export OMP_WAIT_POLICY=passive CTEST_OUTPUT_ON_FAILURE=1
jobs=$(nproc)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'echo "test.sh: FAILED" >&2' ERR

# ---- Parts, each with its time: of the clock, and of the processors ----

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
  printf '%-28s %5d s %6d s\n' "$name" $((SECONDS - began)) $(($(cpu_seconds) - busy)) >>"$work/parts"
}

build() { # folder cmake-option...; builds $targets, or all
  echo "== Building $1 (${*:2})"
  rm -rf "$1/CMakeCache.txt" "$1/CMakeFiles"
  cmake -G Ninja -S . -B "$1" -DGHZ_WERROR=ON -DGHZ_MPI=ON -DMPI_C_COMPILER=mpicc.openmpi "${@:2}" >"$1.log" 2>&1 ||
    { cat "$1.log" >&2 && false; }
  grep -- '-- ghz:' "$1.log" || true # what this machine lacks
  rm -f "$1.log"
  # shellcheck disable=SC2086 # a list of words
  cmake --build "$1" --target ${targets:-all} -- --quiet
}

run_tests() { # folder ctest-option...
  echo "== Testing ($*)"
  rm -f "$1/junit.xml"
  ctest -j "$jobs" --no-tests=error --output-junit "$PWD/$1/junit.xml" "${@:2}"
  junit+=("$1/junit.xml")
}

# What a machine lacks something for is skipped. These must not be.
must_have_run() { # folder test...
  local test
  for test in "${@:2}"; do
    grep -q "<testcase name=\"$test\" .*status=\"run\"" "$1/junit.xml" || { echo "test.sh: $test did not run" >&2 && false; }
  done
}

packages() { # --build: not installed to a clean Debian, --all: installed, where that can be
  scripts/test-packages.sh "${1/--all/}" || [ $? = 77 ]
}

fast='long|slow'
usual='long'
# With the sanitizers left to --all: programs that are not ours with the library preloaded, and what
# runs the same code of ours as a test beside it, with other sizes.
twice='^(intercept_|mpi_device_(values|bytes)_direct|mpi_device_steady|cuda_gpu_compute_)'
architectures=-DCMAKE_CUDA_ARCHITECTURES=90-real # one of those that releases have
[ -z "$all" ] || { fast='slow' usual='nothing' twice='nothing' architectures=; }
junit=()

# shellcheck disable=SC2086 # lists of words
need_packages $build_packages $test_packages $clang_packages
want_packages $test_wishes
if command -v ccache >/dev/null; then # the two MPIs share what does not know of MPI
  export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache CMAKE_CUDA_COMPILER_LAUNCHER=ccache
  export CCACHE_SLOPPINESS="${CCACHE_SLOPPINESS:-include_file_mtime,include_file_ctime}"
fi

started=$SECONDS
part "static analysis" scripts/lint.sh
# shellcheck disable=SC2086 # nothing, or one word
part "build, gcc, Open MPI" build build-test -DCMAKE_BUILD_TYPE=Release $architectures
part "  all tests" run_tests build-test --test-dir build-test -LE "$usual"
must_have_run build-test format format_files cli_links cli_read_only cli_disk_full cli_killed cli_faults_{files,memory,signals,threads}
targets=mpi_tests part "build, gcc, MPICH" build build-test-mpich -DCMAKE_BUILD_TYPE=Release -DGHZ_CUDA=OFF \
  -DMPI_C_COMPILER=mpicc.mpich -DGHZ_BENCH=OFF
part "  collectives" run_tests build-test-mpich --test-dir build-test-mpich -L mpi -LE "$fast|simt"
part "build, clang, sanitizers" build build-sanitize --preset sanitize
part "  fast tests, fuzz replay" run_tests build-sanitize --test-dir build-sanitize -LE "$fast" -E "$twice"
targets=thread_tests part "build, clang, threads" build build-thread --preset thread
part "  threads" run_tests build-thread --preset thread -L threads
part "Python package" scripts/test-python.sh
part "plugins of ADIOS2, libpressio" scripts/test-plugins.sh
part "Debian packages" packages ${all:---build}
[ -z "$all" ] || part "fuzzers" scripts/fuzz.sh 5

echo "== What each part took, by the clock and of the processors"
cat "$work/parts"
echo "== Skipped"
python3 tests/support/skipped.py "${junit[@]}"
echo "test.sh: all tests passed, plain and with sanitizers, in $((SECONDS - started)) s"
