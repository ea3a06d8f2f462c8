#!/usr/bin/env bash
# run.sh: installs a build of libghz to a folder of its own, moves it, and builds and runs programs
# outside the project against it: in C and C++, shared and static, found by CMake and by pkg-config.
# Then the sources, as a part of a project.
# usage: tests/consumer/run.sh BUILD [CONFIG]
set -euo pipefail
exec </dev/null

here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
config=${2:-Release}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset DESTDIR LD_LIBRARY_PATH CMAKE_PREFIX_PATH

quietly() { # command...: shows its output only if it fails
  "$@" >"$work/log" 2>&1 || { cat "$work/log" >&2 && echo "run.sh: failed: $*" >&2 && exit 1; }
}

# Installed to one place and used at another: nothing in the package may name the place.
quietly cmake --install "$build" --config "$config" --prefix "$work/installed"
mv "$work/installed" "$work/ghz"
pc=$(find "$work/ghz" -name ghz.pc)
export PKG_CONFIG_PATH=${pc%/*}
libdir=$(pkg-config --variable=libdir ghz)
version=$(pkg-config --modversion ghz)
if grep -rlF "$work/installed" "$work/ghz" || grep -rlF "$build" "$work/ghz/include" "$libdir/cmake" "$pc"; then
  echo "run.sh: the files above name the folder they were built in or installed to" >&2
  exit 1
fi

check() { # name shared|static program
  local needed
  needed=$(readelf -d "$3" | grep -o 'libghz\.so[.0-9]*' || true)
  if [ "$2" = shared ] && [ "$needed" != "libghz.so.${version%%.*}" ]; then
    echo "run.sh: $1: needs '$needed', not libghz.so.${version%%.*}" >&2 && exit 1
  elif [ "$2" = static ] && [ -n "$needed" ]; then
    echo "run.sh: $1: linked statically, yet needs $needed" >&2 && exit 1
  fi
  said=$(LD_LIBRARY_PATH=$libdir "$3")
  [ "$said" = "ghz $version" ] || { echo "run.sh: $1: said '$said', not 'ghz $version'" >&2 && exit 1; }
  echo "ok: $1"
}

with_cmake() { # shared|static|ghz C|CXX [kind that ghz means]
  quietly cmake -S "$here" -B "$work/$1-$2" -DCMAKE_PREFIX_PATH="$work/ghz" -DCONSUMER_LINK="$1" \
    -DCONSUMER_LANGUAGE="$2" -DCMAKE_BUILD_TYPE=Release
  quietly cmake --build "$work/$1-$2"
  check "CMake, ghz::$1, $2" "${3:-$1}" "$work/$1-$2/consumer"
}

with_pkg_config() { # shared|static compiler source
  local static=
  [ "$1" = static ] && static=--static
  # shellcheck disable=SC2046,SC2086 # lists of words
  quietly $2 ${static:+-static} $(pkg-config $static --cflags ghz) -o "$work/consumer" "$here/$3" \
    $(pkg-config $static --libs ghz) -lm
  check "pkg-config, $1, $3" "$1" "$work/consumer"
}

# The examples are built as their first lines tell, and run.
example() { # name argument...
  local command
  command=$(sed -n "s/^ \* *cc \($1.c [^&]*\).*/\1/p" "$here/../../examples/$1.c")
  cp "$here/../../examples/$1.c" "$work"
  (cd "$work" && quietly eval "${CC:-cc} ${command:?}" && LD_LIBRARY_PATH=$libdir quietly "./$1" "${@:2}")
  echo "ok: example $1"
}

with_cmake static C
with_cmake static CXX
with_pkg_config static "${CC:-cc}" consumer.c
with_pkg_config static "${CXX:-c++}" consumer.cpp
if [ -e "$libdir/libghz.so" ]; then
  with_cmake shared C
  with_cmake shared CXX
  with_cmake ghz C shared
  with_pkg_config shared "${CC:-cc}" consumer.c
  with_pkg_config shared "${CXX:-c++}" consumer.cpp
  head -c 400000 /dev/zero >"$work/values.f32"
  example compress_file "$work/values.f32" "$work/stream"
  example sum_many
else
  with_cmake ghz C static
fi

quietly cmake -S "$here" -B "$work/subproject" -DCONSUMER_SOURCES="$here/../.." -DCONSUMER_LINK=static -DGHZ_CUDA=OFF -DGHZ_MPI=OFF
quietly cmake --build "$work/subproject" --target consumer
check "add_subdirectory, ghz::static, C" static "$work/subproject/consumer"
