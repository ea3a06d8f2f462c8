#!/usr/bin/env bash
# test-aarch64.sh: builds the library for this machine and for 64-bit ARM, uses both from a program
# outside the project, the latter under emulation, with NEON and without, and compares the bytes of
# the streams that they make. Then what is kept of the fuzzers runs with NEON against the reference
# codec. Not part of test.sh.
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
exec </dev/null

root=$(cd "$(dirname "$0")/.." && pwd)
build=$root/build-aarch64
arm=(-DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64 -DCMAKE_C_COMPILER=aarch64-linux-gnu-gcc
  -DCMAKE_FIND_ROOT_PATH=/usr/aarch64-linux-gnu)

# The library alone: what else it takes, this machine has for itself and not for the other.
library=(--fresh -G Ninja -S "$root" -DCMAKE_BUILD_TYPE=Release -DGHZ_WERROR=ON -DGHZ_TOOLS=OFF -DGHZ_BENCH=OFF -DGHZ_EXAMPLES=OFF
  -DGHZ_PLUGINS=OFF -DGHZ_MPI=OFF -DGHZ_CUDA=OFF -DGHZ_ZSTD=OFF)

# shellcheck source=scripts/packages.sh
. "$root/scripts/packages.sh"
need_packages build-essential cmake ninja-build gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user

quietly() { # command...: shows its output only if it fails
  "$@" >"$build/log" 2>&1 || { cat "$build/log" >&2 && echo "test-aarch64.sh: failed: $*" >&2 && exit 1; }
}

build_for() { # machine cmake-option...: the library, installed, and programs that use it, shared and static
  local here=$build/$1
  echo "== Building for $1"
  quietly cmake "${library[@]}" -B "$here/ghz" -DBUILD_TESTING=OFF "${@:2}"
  quietly cmake --build "$here/ghz"
  quietly cmake --install "$here/ghz" --prefix "$here/installed"
  for link in static shared; do
    quietly cmake --fresh -G Ninja -S "$root/tests/consumer" -B "$here/$link" -DCMAKE_BUILD_TYPE=Release \
      -Dghz_DIR="$here/installed/lib/cmake/ghz" -DCONSUMER_LINK=$link "${@:2}"
    quietly cmake --build "$here/$link"
  done
}

mkdir -p "$build"
build_for native -DCMAKE_INSTALL_LIBDIR=lib
build_for aarch64 -DCMAKE_INSTALL_LIBDIR=lib "${arm[@]}"

python3 -m zipfile -e "$root/tests/golden/golden.zip" "$build/golden"
golden=("$build"/golden/streams/*.ghz)
emulated=(qemu-aarch64 -L /usr/aarch64-linux-gnu)
echo "== Running"
for link in static shared; do
  "${emulated[@]}" "$build/aarch64/$link/consumer"
  "$build/native/$link/streams" "${golden[@]}" >"$build/native-$link.txt"
  for isa in neon scalar; do
    GHZ_ISA=$isa "${emulated[@]}" "$build/aarch64/$link/streams" "${golden[@]}" >"$build/$isa-$link.txt"
    cmp "$build/native-$link.txt" "$build/$isa-$link.txt"
  done
done

echo "== Testing"
quietly cmake "${library[@]}" -B "$build/tests" "${arm[@]}" \
  "-DCMAKE_CROSSCOMPILING_EMULATOR=qemu-aarch64;-L;/usr/aarch64-linux-gnu"
quietly cmake --build "$build/tests" --target fuzzers
quietly env GHZ_ISA=neon ctest --test-dir "$build/tests" -L fuzz --no-tests=error
echo "test-aarch64.sh: $(wc -l <"$build/native-static.txt") streams, the same bytes and values on both machines"
