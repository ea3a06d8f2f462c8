#!/usr/bin/env bash
# test-plugins.sh: tests the plugins that are built by themselves: the operator for ADIOS2, with
# ADIOS2 as PyPI has it, which is kept in build-plugins/ from run to run; the compressor of
# libpressio, where CMake finds that. Without PyPI the exit code is 77; without libpressio it
# says so, and is content.
# usage: scripts/test-plugins.sh [cmake-option...]
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
exec </dev/null

cd "$(dirname "$0")/.."
# shellcheck source=scripts/packages.sh
. scripts/packages.sh
# shellcheck disable=SC2154,SC2086 # a list of words
need_packages $build_packages $python_packages

work=$PWD/build-plugins
bin=$work/environment/bin
tools="numpy pytest adios2"
mkdir -p "$work"
if [ "$(cat "$work/tools" 2>/dev/null)" != "$tools" ]; then
  echo "== Making $work/environment"
  /usr/bin/python3 -m venv --clear "$work/environment"
  # shellcheck disable=SC2086 # a list of words
  "$bin/pip" install -q --disable-pip-version-check $tools ||
    { echo "test-plugins.sh: SKIPPED: no PyPI" >&2 && exit 77; }
  echo "$tools" >"$work/tools"
fi
! command -v ccache >/dev/null || export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache
check() { "$bin/python" -m pytest -q -p no:cacheprovider "plugins/$1"; }

# build NAME [cmake-option...]: fails where CMake does not find what the plugin is for.
build() {
  cmake -S "plugins/$1" -B "$work/$1" -DCMAKE_BUILD_TYPE=Release "${@:2}" >"$work/$1.log" 2>&1
}

echo "== The operator of ADIOS2"
headers=$("$bin/python" -c 'import adios2, pathlib; print(pathlib.Path(adios2.__file__).parent / "include")')
build adios2 -DADIOS2_HEADERS="$headers" "$@" || { cat "$work/adios2.log" >&2 && false; }
cmake --build "$work/adios2" >"$work/adios2.log" 2>&1 || { cat "$work/adios2.log" >&2 && false; }
GHZ_ADIOS2=$work/adios2/libghz_adios2.so check adios2

echo "== The compressor of libpressio"
if ! build libpressio "$@"; then
  grep -q LibPressioConfig.cmake "$work/libpressio.log" || { cat "$work/libpressio.log" >&2 && false; }
  echo "test-plugins.sh: SKIPPED: no libpressio" && exit 0
fi
cmake --build "$work/libpressio" >"$work/libpressio.log" 2>&1 || { cat "$work/libpressio.log" >&2 && false; }
GHZ_LIBPRESSIO=$work/libpressio/libghz_libpressio.so check libpressio
