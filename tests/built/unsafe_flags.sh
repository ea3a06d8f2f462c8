#!/usr/bin/env bash
# unsafe_flags.sh: builds the library with flags that change floating-point numbers: it gives the
# bytes of the usual build, keeps the bound, and leaves the program's numbers alone; or it refuses
# to be built, and says why.
# usage: unsafe_flags.sh SOURCES CC [libghz.so]     without the library: every source is only read by
#   the compiler with those flags and ours, and refuses if ours leave anything of them
#   (rules/strict.h)
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
exec </dev/null
sources=$1 cc=$2 usual=${3:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  echo "unsafe_flags.sh: $*" >&2
  exit 1
}

# What a program says that uses this library.
use() { # library
  "$cc" -std=c17 -O1 -ffp-contract=off -I "$sources/ghz/include" "$sources/tests/built/unsafe_flags.c" "$1" -Wl,-rpath,"$(dirname "$1")" -lm \
    -o "$work/program" && "$work/program"
}

configure() { # flags
  rm -rf "$work/build"
  cmake -S "$sources" -B "$work/build" -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_COMPILER="$cc" -DCMAKE_C_FLAGS="$1" -DCMAKE_EXPORT_COMPILE_COMMANDS=ON \
    -DGHZ_TESTS=OFF -DGHZ_TOOLS=OFF -DGHZ_BENCH=OFF -DGHZ_EXAMPLES=OFF -DGHZ_MPI=OFF -DGHZ_CUDA=OFF \
    -DCMAKE_SHARED_LINKER_FLAGS="$1" >"$work/log" 2>&1
}

build() { # flags
  configure "$1" && cmake --build "$work/build" --target ghz_shared >>"$work/log" 2>&1
}

read_sources() { # flags: by the commands of the build
  configure "$1" || return 1
  sed -n 's/^ *"command": "\(.*\)",$/\1 -fsyntax-only/p' "$work/build/compile_commands.json" | sed 's/\\"/"/g' >"$work/commands"
  [ "$(wc -l <"$work/commands")" -gt 20 ] && grep -q cpu_ "$work/commands" || fail "no commands"
  (cd "$work/build" && xargs -d '\n' -P 2 -n 1 bash -c 'eval "$0"' <"$work/commands") >>"$work/log" 2>&1
}

machine=
[ "$(uname -m)" != x86_64 ] || machine=" -march=haswell"
flags="-Ofast -ffp-contract=fast$machine -fsingle-precision-constant" # -Ofast has -ffast-math in it
"$cc" $flags -xc -c /dev/null -o /dev/null 2>"$work/log" || flags=${flags% -fsingle*} # clang lacks it
if [ -n "$usual" ]; then
  wanted=$(use "$usual") || fail "the usual build: $wanted"
  build "$flags" || { tail -n 30 "$work/log" >&2; fail "$flags: it does not build"; }
  got=$(use "$work/build/ghz/libghz.so") || fail "$flags: $got"
  [ "$got" = "$wanted" ] || fail "$flags: other bytes: $got, not $wanted"
  echo "$flags: the same bytes"
else
  flags="$flags -ffast-math" # Release's -O3 comes after -Ofast, and undoes that alone
  read_sources "$flags" || { tail -n 30 "$work/log" >&2; fail "$flags: not undone"; }
  echo "$flags: undone for $(wc -l <"$work/commands") sources"
fi

# Without CMake's flags: the sources refuse.
for flags in -Ofast -ffast-math -ffinite-math-only; do
  if "$cc" $flags -std=c17 -I "$sources/ghz" -I "$sources/ghz/include" -c "$sources/ghz/lattice.c" -o "$work/lattice.o" 2>"$work/log"; then
    fail "$flags, by hand: not refused"
  fi
  grep -q 'fno-fast-math' "$work/log" || fail "$flags, by hand: $(cat "$work/log")"
  echo "$flags, by hand: refused"
done
