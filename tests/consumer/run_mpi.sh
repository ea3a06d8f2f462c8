#!/usr/bin/env bash
# run_mpi.sh: the same for libghzmpi: installed, moved, found by CMake and by pkg-config, shared and
# static.
# usage: tests/consumer/run_mpi.sh BUILD CONFIG MPICC
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck source=tests/consumer/installed.sh
. "${0%/*}/installed.sh"
mpicc=$3
install_package ghzmpi "$2"

with_cmake() { # target language: one rank runs the program
  quietly cmake -S "$here" -B "$work/$1-$2" -DCMAKE_PREFIX_PATH="$work/ghz" -DCONSUMER_LINK="$1" -DCONSUMER_LANGUAGE="$2" \
    -DMPI_C_COMPILER="$mpicc" -DMPI_CXX_COMPILER="${mpicc/mpicc/mpicxx}" -DCMAKE_BUILD_TYPE=Release
  quietly cmake --build "$work/$1-$2"
  runs "CMake, ghz::$1, $2" "$work/$1-$2/consumer"
}

with_cmake mpi_static C
with_cmake mpi C
with_cmake mpi CXX
if [ -e "$libdir/libghzmpi.so" ]; then
  with_cmake mpi_shared C
  # without being told where libghz.so is: libghzmpi.so knows
  (unset LD_LIBRARY_PATH && "$work/mpi_shared-C/consumer" >/dev/null) || fail "does not start"
fi

# Another MPI is refused.
other=mpicc.openmpi
[[ $mpicc != *openmpi ]] || other=mpicc.mpich
if command -v $other >/dev/null && [[ $mpicc == *.* ]]; then
  if cmake -S "$here" -B "$work/other" -DCMAKE_PREFIX_PATH="$work/ghz" -DCONSUMER_LINK=mpi -DMPI_C_COMPILER=$other >"$work/log" 2>&1; then
    fail "takes $other"
  fi
  grep -q "was built with" "$work/log" || { cat "$work/log" >&2 && exit 1; }
  echo "ok: $other is refused"
fi
# Its <mpi.h> is refused by ours, where pkg-config or a target says whose library it is.
echo "#include <ghz_mpi.h>" >"$work/header.c"
compile() { # MPICC FLAG...
  "$1" -fsyntax-only "${@:2}" "$work/header.c" >"$work/log" 2>&1
}
read -ra flags <<<"$(pkg-config --cflags ghzmpi)"
compile "$mpicc" "${flags[@]}" || { cat "$work/log" >&2 && fail "our own MPI is refused"; }
for another in mpicc.openmpi mpicc.mpich; do
  if ! command -v $another >/dev/null || cmp -s <($another -show) <("$mpicc" -show); then
    continue
  fi
  for way in "${flags[*]}" "-I$(pkg-config --variable=includedir ghzmpi)"; do # without any other flag, too
    # shellcheck disable=SC2086 # a list of words
    ! compile $another $way || fail "compiles with $another"
    grep -q '#error .this libghzmpi was built with .*, and <mpi.h> is that of another MPI' "$work/log" || fail "$another: $(cat "$work/log")"
  done
  echo "ok: the header of $another is refused"
done
grep -rq 'INTERFACE_COMPILE_DEFINITIONS "GHZ_MPI_OF_' "$libdir/cmake" || fail "the targets do not say which MPI they belong to"
# shellcheck disable=SC2046 # lists of words
quietly "$mpicc" $(pkg-config --cflags ghzmpi) -o "$work/consumer" "$here/../../examples/allreduce.c" $(pkg-config --libs ghzmpi) -lm
runs "pkg-config" "$work/consumer"
# shellcheck disable=SC2046
quietly "$mpicc" $(pkg-config --cflags ghzmpi) -o "$work/consumer" "$here/../../examples/allreduce.c" -L"$libdir" -l:libghzmpi.a \
  $(pkg-config --static --libs ghz | sed 's/-lghz /-l:libghz.a /') -lm
runs "pkg-config, static" "$work/consumer"

# The example is built as its first lines tell, and run by one rank.
if [ -e "$libdir/libghzmpi.so" ]; then
  cp "$here/../../examples/allreduce.c" "$work"
  command=$(sed -n 's/^ \* *mpicc \(allreduce.c .*\)/\1/p' "$work/allreduce.c")
  (cd "$work" && quietly eval "$mpicc ${command:?}" && LD_LIBRARY_PATH=$libdir quietly ./allreduce)
  echo "ok: example allreduce"
fi

# The module, by both ways, and as the first lines of its example tell.
if [ -e "$libdir/pkgconfig/ghzmpi_fortran.pc" ]; then
  with_cmake mpi_fortran Fortran
  cp "$here/../../examples/stencil.f90" "$work"
  # shellcheck disable=SC2016 # the example's first lines
  command=$(sed -n 's/^! *mpifort \($(pkg-config.*\)/\1/p' "$work/stencil.f90")
  (cd "$work" && quietly eval "${mpicc/mpicc/mpifort} ${command:?}" && LD_LIBRARY_PATH=$libdir quietly ./stencil)
  echo "ok: module and example stencil"
fi
