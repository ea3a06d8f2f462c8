#!/usr/bin/env bash
# test-packages.sh: builds the Debian packages by the commands of docs/INSTALL.md, looks at them
# with lintian, installs them to a clean Debian of their own, uses and purges them there
# (tests/packages/inside.sh). The clean Debian comes from the mirrors that apt uses here, once, and
# is kept in build-packages/. Exit code 77, having said why: packages cannot be tried here.
# usage: scripts/test-packages.sh [--build]     --build: only builds them and looks at them
# SPDX-License-Identifier: BSD-3-Clause
set -Eeuo pipefail
exec </dev/null

cd "$(dirname "$0")/.."
[[ $* =~ ^(|--build)$ ]] || { sed -n '/^# usage:/s/^# //p' scripts/test-packages.sh >&2 && exit 2; }
# shellcheck source=scripts/packages.sh
. scripts/packages.sh
trap 'echo "test-packages.sh: FAILED" >&2' ERR
work=$PWD/build-packages root=$PWD/build-packages/root
# What a user of the packages has who writes programs.
inside="gcc libc6-dev make cmake pkg-config man-db libopenmpi-dev openmpi-bin libmpich-dev mpich"
# Not for Debian's archive: no bug asked for it. CPack writes the maintainer scripts. The format of
# Fortran's modules is a virtual package alone.
suppressed=initial-upload-closes-no-bugs,maintscript-calls-ldconfig,virtual-package-depends-without-real-package-depends

skip() { # why
  echo "test-packages.sh: skipped: $*"
  exit 77
}

quietly() { # command...: shows its output only if it fails
  "$@" >"$work/log" 2>&1 || { cat "$work/log" >&2 && return 1; }
}

build() { # by the commands that a user is told, but for the last
  echo "== Building packages"
  sed -n '/^## Debian packages/,/^## /s/^    //p' docs/INSTALL.md | sed '/^apt install/,$d' >"$work/commands"
  grep -q '^done' "$work/commands"
  sed -i 's/ -DGHZ_MPI=ON/ -DGHZ_WERROR=ON&/' "$work/commands" # as in test.sh: ccache has the objects
  CMAKE_GENERATOR=Ninja quietly bash -e "$work/commands"
  rm -rf "$work/deb/_CPack_Packages"
}

make_root() {
  local sources
  can_install || skip "neither root nor sudo"
  as_root unshare --mount --pid --fork true 2>/dev/null || skip "no namespaces for a clean Debian"
  [ ! -e "$root.made" ] || return 0
  echo "== Making a clean Debian"
  as_root rm -rf "$root"
  apt_get update >"$work/log" 2>&1 || skip "no mirror of Debian answers"
  # shellcheck disable=SC2016 # apt's own variables
  sources=$(apt-get indextargets --format 'deb $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' 'Origin: Debian')
  [ -n "$sources" ] || skip "apt knows no mirror of Debian"
  sort -u <<<"$sources" | as_root mmdebstrap --quiet --variant=apt --include="${inside// /,}" --skip=cleanup/apt/lists \
    - "$root" - >"$work/log" 2>&1 || { tail -n 20 "$work/log" >&2 && skip "mmdebstrap failed, see above"; }
  touch "$root.made"
}

use_packages() {
  echo "== Using the packages"
  as_root rm -rf "$root/trial"
  as_root mkdir "$root/trial"
  as_root cp -r "$work"/deb/*.deb tests/packages/inside.sh tests/consumer tests/intercept/medley.c \
    examples/{compress_file,sum_many,allreduce}.c "$root/trial"
  as_root cp /etc/resolv.conf "$root/etc/resolv.conf"
  # What is mounted goes with the namespace, what is started with its first process.
  as_root unshare --mount --pid --fork sh -c 'mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" &&
    mount --rbind /sys "$1/sys" && exec chroot "$1" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin bash /trial/inside.sh' sh "$root"
  as_root rm -rf "$root/trial"
}

command -v dpkg >/dev/null || skip "not a Debian system"
# shellcheck disable=SC2154,SC2086 # lists of words
need_packages $build_packages $package_packages
mkdir -p "$work"
rm -rf "$work/deb"

build
lintian --no-cfg --allow-root --fail-on error,warning --suppress-tags "$suppressed" "$work"/deb/*.deb
if [ -z "${1:-}" ]; then
  make_root
  use_packages
fi
echo "test-packages.sh: passed, $(find "$work/deb" -name '*.deb' | wc -l) packages, in $SECONDS s"
