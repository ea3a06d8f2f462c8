# installed.sh: installs a build and moves it, for the scripts beside it, which source it.
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2034
set -euo pipefail
exec </dev/null

here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset DESTDIR LD_LIBRARY_PATH CMAKE_PREFIX_PATH

fail() { # word...
  echo "${0##*/}: $*" >&2 && exit 1
}

quietly() { # command...: shows its output only if it fails
  "$@" >"$work/log" 2>&1 || { cat "$work/log" >&2 && fail "failed: $*"; }
}

# Installed to one place and used at another: nothing in the package may name the place.
install_package() { # package config
  quietly cmake --install "$build" --config "$2" --prefix "$work/installed"
  mv "$work/installed" "$work/ghz"
  pc=$(find "$work/ghz" -name "$1.pc")
  export PKG_CONFIG_PATH=${pc%/*}
  libdir=$(pkg-config --variable=libdir "$1")
  version=$(pkg-config --modversion "$1")
}

runs() { # name program [words]: it ends well, and says the words
  local said
  said=$(LD_LIBRARY_PATH=$libdir "$2" 2>&1) || fail "$1: $said"
  [[ $said == *"${3:-}"* ]] || fail "$1: said '$said', not '$3'"
  echo "ok: $1"
}
