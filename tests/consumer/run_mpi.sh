#!/usr/bin/env bash
# run_mpi.sh: the same for libghzmpi: installed, moved, found by CMake and by pkg-config, shared and static.
# usage: tests/consumer/run_mpi.sh BUILD CONFIG MPICC
set -euo pipefail
exec </dev/null

here=$(cd "$(dirname "$0")" && pwd)/mpi
build=$(cd "$1" && pwd) config=$2 mpicc=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset DESTDIR LD_LIBRARY_PATH CMAKE_PREFIX_PATH

quietly() { # command...: shows its output only if it fails
  "$@" >"$work/log" 2>&1 || { cat "$work/log" >&2 && echo "run_mpi.sh: failed: $*" >&2 && exit 1; }
}

quietly cmake --install "$build" --config "$config" --prefix "$work/installed"
mv "$work/installed" "$work/ghz"
pc=$(find "$work/ghz" -name ghzmpi.pc)
export PKG_CONFIG_PATH=${pc%/*}
libdir=$(pkg-config --variable=libdir ghzmpi)
version=$(pkg-config --modversion ghzmpi)

check() { # name program
  local said
  said=$(LD_LIBRARY_PATH=$libdir "$2") || true # one rank
  [ "$said" = "ghz $version" ] || { echo "run_mpi.sh: $1: said '$said', not 'ghz $version'" >&2 && exit 1; }
  echo "ok: $1"
}

links=(mpi_static mpi)
[ ! -e "$libdir/libghzmpi.so" ] || links+=(mpi_shared)
for link in "${links[@]}"; do
  quietly cmake -S "$here" -B "$work/$link" -DCMAKE_PREFIX_PATH="$work/ghz" -DCONSUMER_LINK="$link" \
    -DMPI_C_COMPILER="$mpicc" -DCMAKE_BUILD_TYPE=Release
  quietly cmake --build "$work/$link"
  check "CMake, ghz::$link" "$work/$link/consumer"
done
# shellcheck disable=SC2046 # lists of words
quietly "$mpicc" $(pkg-config --cflags ghzmpi) -o "$work/consumer" "$here/consumer.c" $(pkg-config --libs ghzmpi) -lm
check "pkg-config" "$work/consumer"
# shellcheck disable=SC2046
quietly "$mpicc" $(pkg-config --cflags ghzmpi) -o "$work/consumer" "$here/consumer.c" -L"$libdir" -l:libghzmpi.a \
  $(pkg-config --static --libs ghz | sed 's/-lghz /-l:libghz.a /') -lm
check "pkg-config, static" "$work/consumer"
