# packages.sh: to be sourced: installs Debian packages that are missing. Silent, and off the
# network, if none is.
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2034 # the lists are for who sources this

# What the build, the demo and the tests need.
build_packages="build-essential cmake ninja-build pkg-config libxxhash-dev libzstd-dev libpng-dev libfftw3-dev libopenmpi-dev openmpi-bin libhdf5-dev"
test_packages="libcriterion-dev locales mpich libmpich-dev python3 zstd"
python_packages="python3 python3-dev python3-venv" # scripts/test-python.sh
torch_packages="python3-torch python3-numpy iproute2" # scripts/test-python.sh; PyPI's has 4 GB of CUDA
package_packages="dpkg-dev mmdebstrap lintian mpich libmpich-dev" # scripts/test-packages.sh
clang_packages="clang libclang-rt-dev libomp-dev" # sanitizers, fuzzers
lint_packages="clang clang-format clang-tidy libomp-dev cppcheck shellcheck"
test_wishes="python3-numpy python3-yaml hdf5-tools netcdf-bin jq gfortran python3-mpi4py iproute2 ccache zsh mandoc" # the tests that use it are skipped without it

missing_packages() { # package...
  local package
  for package in "$@"; do
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || echo "$package"
  done
}

as_root() { # command...
  if [ "$(id -u)" = 0 ]; then
    "$@"
  else
    sudo "$@"
  fi
}

apt_get() { # argument...: as root, asking nothing
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300 "$@" </dev/null
}

# The lists of a fresh machine are empty, those of an old one name packages that are gone: update,
# and try again.
install_or_update() { # package...
  apt_get install --no-install-recommends "$@" || { apt_get update && apt_get install --no-install-recommends "$@"; }
}

can_install() {
  [ "$(id -u)" = 0 ] || sudo -n true 2>/dev/null || { [ -t 2 ] && command -v sudo >/dev/null; }
}

install_missing() { # package...: fails, having said why
  local log missing
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    echo "Not a Debian system: make sure that you have what Debian calls $*" >&2
    return 0
  fi
  missing=$(missing_packages "$@" | tr '\n' ' ')
  [ -n "$missing" ] || return 0
  if ! can_install; then
    printf 'Missing packages, and neither root nor sudo to install them. Have someone run:\n  apt-get install %s\n' \
      "$missing" >&2
    return 1
  fi
  echo "Installing $missing"
  log=$(mktemp)
  # shellcheck disable=SC2086 # a list of words
  if ! install_or_update $missing >"$log" 2>&1; then
    tail -n 20 "$log" >&2
    rm -f "$log"
    echo "Could not install $missing" >&2
    return 1
  fi
  rm -f "$log"
}

need_packages() { # package...: ends the script if one cannot be had
  install_missing "$@" || exit 1
}

want_packages() { # package...: goes on without them
  install_missing "$@" 2>/dev/null || echo "Going on without $*"
}
