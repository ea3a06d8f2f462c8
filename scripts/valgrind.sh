#!/usr/bin/env bash
# valgrind.sh: runs the library's tests, the fuzzers' inputs, the command and the collectives under
# valgrind, which knows of every bit whether it was ever written. (It has no AVX-512: the code for
# AVX2 and the plain code run.) Ten minutes.
# SPDX-License-Identifier: BSD-3-Clause
set -Eeuo pipefail
exec </dev/null

cd "$(dirname "$0")/.."
# shellcheck source=scripts/packages.sh
. scripts/packages.sh
# shellcheck disable=SC2154,SC2086 # lists of words
need_packages $build_packages $test_packages valgrind

build=$PWD/build-valgrind
started=$SECONDS
failed=
export OMP_WAIT_POLICY=passive OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
valgrind="valgrind --quiet --error-exitcode=99 --trace-children=yes"
leaks="--leak-check=full --errors-for-leak-kinds=definite --show-leak-kinds=definite"

# What valgrind says counts, too: Criterion does not look at how its children end.
under() { # name command...
  local began=$SECONDS said status=clean
  if ! said=$("${@:2}" 2>&1) || grep -qE '^==[0-9]+==' <<<"$said"; then
    status=FAILED failed=1
    printf '%s\n' "$said" | tail -n 100 >&2
  fi
  printf '%-24s %4d s: %s\n' "$1" $((SECONDS - began)) "$status"
}

cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DGHZ_CUDA=OFF -DGHZ_MPI=ON -DMPI_C_COMPILER=mpicc.openmpi \
  -DGHZ_BENCH=OFF >"$build.log" 2>&1 || { cat "$build.log" >&2 && exit 1; }
rm -f "$build.log"
cmake --build "$build" -- --quiet

# shellcheck disable=SC2086 # lists of words, below, too
# It goes on after faults, for which the registers have to be right.
under contexts $valgrind --vex-iropt-register-updates=allregs-at-mem-access $leaks "$build/tests/laws/contexts"
for law in api lattice inspect slice golden overflow allocation state schedules tuner; do
  under "test_$law" $valgrind "$build"/tests/*/test_$law --jobs 2 # Criterion leaks
done
for name in decode compute slices tiles round_trip container npy; do
  files=("$build/tests/fuzz/seeds/$name")
  [ ! -d tests/fuzz/regressions/$name ] || files+=(tests/fuzz/regressions/$name)
  under "fuzz_$name" $valgrind $leaks "$build/tests/fuzz/fuzz_$name" -changes=1 "${files[@]}"
done

printf '#!/bin/sh\nexec %s %s %s "$@"\n' "$valgrind" "$leaks" "$build/cli/ghz" >"$build/ghz-checked"
chmod +x "$build/ghz-checked"
for case in arithmetic bad_input bounds info minmax npy output range; do
  under "ghz: $case" env GHZ="$build/ghz-checked" TOOL="$build/tests/cli/ghz_cli_tool" tests/cli/run.sh tests/cli/*/$case.sh
done

# What Open MPI itself leaves unwritten is named by it. It leaks, too; the tests count what the
# library holds.
known=$(find /usr/share/openmpi "$(dirname "$(command -v mpicc.openmpi)")/../share/openmpi" -name openmpi-valgrind.supp 2>/dev/null | head -n 1)
for test in "values 2" "fills 3" "bad_input 4" "communicators 4" "refusal 1"; do
  read -r name ranks <<<"$test"
  under "mpi_$name, $ranks ranks" mpiexec.openmpi -n "$ranks" $valgrind ${known:+--suppressions=$known} --suppressions=tests/support/valgrind.supp \
    "$build/tests/collectives/mpi_$name" "$ranks"
done

[ -z "$failed" ] || { echo "valgrind.sh: FAILED, after $((SECONDS - started)) s" >&2 && exit 1; }
echo "valgrind.sh: nothing found, in $((SECONDS - started)) s"
