#!/usr/bin/env bash
# run.sh: installs a build of libghz to a folder of its own, moves it, and builds and runs programs
# outside the project against it: in C and C++, shared and static, found by CMake and by pkg-config.
# Then the sources, as a part of a project.
# usage: tests/consumer/run.sh BUILD [CONFIG]
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck source=tests/consumer/installed.sh
. "${0%/*}/installed.sh"
install_package ghz "${2:-Release}"
if grep -rlF "$work/installed" "$work/ghz" || grep -rlF "$build" "$work/ghz/include" "$libdir/cmake" "$pc"; then
  fail "the files above name the folder they were built in or installed to"
fi

# The components of the installation, staged by DESTDIR, are together all of it, and none is twice.
installed_files() { # folder
  (cd "$1" && find . ! -type d)
}
for component in libghz libghz-dev ghz hdf5-plugin libghzmpi libghzmpi-dev; do
  DESTDIR=$work/staged/$component quietly cmake --install "$build" --config "${2:-Release}" --prefix /ghz --component $component
  [ ! -e "$work/staged/$component" ] || installed_files "$work/staged/$component/ghz"
done | sort | diff - <(installed_files "$work/ghz" | sort) || fail "the components (<) are not the whole (>)"
[ -e "$libdir/libghz.so" ] && [ "$(installed_files "$work/staged/libghz/ghz" | grep -vc '/libghz\.so\.')" != 0 ] &&
  fail "the component libghz has more than what programs need to run"
echo "ok: components"

check() { # name shared|static program [words]
  local needed
  needed=$(readelf -d "$3" | grep -o 'libghz\.so[.0-9]*' || true)
  if [ "$2" = shared ] && [ "$needed" != "libghz.so.${version%.*}" ]; then
    fail "$1: needs '$needed', not libghz.so.${version%.*}"
  elif [ "$2" = static ] && [ -n "$needed" ]; then
    fail "$1: linked statically, yet needs $needed"
  fi
  runs "$1" "$3" "${4:-}"
}

with_cmake() { # shared|static|ghz C|CXX [kind that ghz means]
  quietly cmake -S "$here" -B "$work/$1-$2" -DCMAKE_PREFIX_PATH="$work/ghz" -DCONSUMER_LINK="$1" \
    -DCONSUMER_LANGUAGE="$2" -DCMAKE_BUILD_TYPE=Release
  quietly cmake --build "$work/$1-$2"
  local words=
  [ "$2" = C ] || words="ghz $version"
  check "CMake, ghz::$1, $2" "${3:-$1}" "$work/$1-$2/consumer" "$words"
}

with_pkg_config() { # shared|static
  local static=
  [ "$1" = static ] && static=--static
  # shellcheck disable=SC2046,SC2086 # lists of words
  quietly "${CXX:-c++}" ${static:+-static} $(pkg-config $static --cflags ghz) -o "$work/consumer" "$here/consumer.cpp" \
    $(pkg-config $static --libs ghz) -lm
  check "pkg-config, $1" "$1" "$work/consumer" "ghz $version"
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
with_pkg_config static
if [ -e "$libdir/libghz.so" ]; then
  with_cmake shared C
  with_cmake shared CXX
  with_cmake ghz C shared
  with_pkg_config shared
  head -c 400000 /dev/zero >"$work/values.f32"
  example compress_file "$work/values.f32" "$work/stream"
  example sum_many
  example box_of_file "$work/field.ghz"
else
  with_cmake ghz C static
fi

# With the flags of scripts/test.sh's build, so that ccache has the objects.
quietly cmake -S "$here" -B "$work/subproject" -DCMAKE_C_FLAGS="-O3 -DNDEBUG" -DGHZ_WERROR=ON -DCONSUMER_SOURCES="$here/../.." -DCONSUMER_LINK=static
quietly cmake --build "$work/subproject" --target consumer
check "add_subdirectory, ghz::static, C" static "$work/subproject/consumer"
