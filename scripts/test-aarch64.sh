#!/usr/bin/env bash
# test-aarch64.sh: builds the library for 64-bit ARM, uses it from a program outside the project,
# under emulation. Then the golden streams and what is kept of the fuzzers run with NEON and without
# against the reference codec, which has the same bytes and values on every machine. Not part of
# test.sh.
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

mkdir -p "$build"
here=$build/aarch64
emulated=(qemu-aarch64 -L /usr/aarch64-linux-gnu)
echo "== Building and running"
quietly cmake "${library[@]}" -B "$here/ghz" -DBUILD_TESTING=OFF -DCMAKE_INSTALL_LIBDIR=lib "${arm[@]}"
quietly cmake --build "$here/ghz"
quietly cmake --install "$here/ghz" --prefix "$here/installed"
for link in static shared; do
  quietly cmake --fresh -G Ninja -S "$root/tests/consumer" -B "$here/$link" -DCMAKE_BUILD_TYPE=Release \
    -Dghz_DIR="$here/installed/lib/cmake/ghz" -DCONSUMER_LINK=$link "${arm[@]}"
  quietly cmake --build "$here/$link"
  "${emulated[@]}" "$here/$link/consumer"
done

echo "== Testing"
quietly cmake "${library[@]}" -B "$build/tests" "${arm[@]}" \
  "-DCMAKE_CROSSCOMPILING_EMULATOR=qemu-aarch64;-L;/usr/aarch64-linux-gnu"
quietly cmake --build "$build/tests" --target fuzzers
quietly env GHZ_ISA=neon ctest --test-dir "$build/tests" -L fuzz --no-tests=error
python3 -m zipfile -e "$root/tests/golden/golden.zip" "$build/golden"
quietly "${emulated[@]}" "$build/tests/tests/fuzz/fuzz_decode" "$build/golden/streams"
echo "test-aarch64.sh: the same bytes and values as the reference codec"
