#!/bin/bash
# inside.sh: for scripts/test-packages.sh, which runs it as root in a clean Debian: installs the
# packages in its folder, uses them as users do, purges them. Nothing may be left.
# SPDX-License-Identifier: BSD-3-Clause
set -Eeuo pipefail
cd "${0%/*}"
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_plm_rsh_agent=false OMP_WAIT_POLICY=passive
trap 'echo "inside.sh: FAILED at line $LINENO" >&2' ERR

fail() { # word...
  echo "inside.sh: $*" >&2 && exit 1
}

quietly() { # command...: shows its output only if it fails
  "$@" >log 2>&1 || { cat log >&2 && fail "failed: $*"; }
}

# What Debian's own programs write when any package comes or goes is not ours.
files() {
  find / -xdev \( -path /proc -o -path /dev -o -path /sys -o -path /trial -o -path /tmp -o -path /run -o -path /var/cache \
    -o -path /var/log -o -path /var/lib/apt -o -path /var/lib/dpkg -o -path /etc/ld.so.cache \) -prune -o -print | sort
}

install_packages() {
  quietly apt-get -q -y install --no-install-recommends ./*.deb
  echo "ok: installed $(echo ./*.deb | wc -w) packages"
}

command_works() {
  local page
  head -c 400000 /dev/urandom | od -An -v -tu1 -w1 | awk '{ printf "%c", 65 + $1 % 4 }' >values.f32
  quietly ghz compress --abs 1e-3 values.f32 -o values.ghz
  quietly ghz decompress values.ghz -o back.f32
  quietly ghz compare values.f32 values.ghz
  [ "$(stat -c %s back.f32)" = "$(stat -c %s values.f32)" ] || fail "the round trip has another size"
  for page in ghz.1 libghz.3 ghz_mpi.3; do
    man -w "${page#*.}" "${page%.*}" >/dev/null || fail "no manual page $page"
  done
  [ -s /usr/share/bash-completion/completions/ghz ] || fail "no completion for bash"
  [ -s /usr/share/zsh/vendor-completions/_ghz ] || fail "no completion for zsh"
  echo "ok: the command, the manual, the completions"
}

needs() { # program library: the shared one
  readelf -d "$1" | grep -q "NEEDED.*\[$2\]" || fail "$1 does not need $2"
}

library_works() {
  local command target
  command=$(sed -n 's/^ \* *\(cc compress_file.c [^&]*\).*/\1/p' compress_file.c) # as its first lines tell
  quietly eval "${command:?}"
  needs compress_file libghz.so.0.2
  quietly ./compress_file values.f32 stream
  for target in shared static; do
    quietly cmake -S consumer -B "cmake-$target" -DCONSUMER_LINK=$target -DCONSUMER_EXAMPLES="$PWD"
    quietly cmake --build "cmake-$target" --target consumer
    quietly "cmake-$target/consumer"
  done
  echo "ok: libghz, by pkg-config and CMake, shared and static"
}

collectives_work() { # openmpi|mpich
  local mpi=$1 program
  # shellcheck disable=SC2046 # lists of words
  quietly "mpicc.$mpi" allreduce.c -o "by_pkg_config_$mpi" $(pkg-config --cflags --libs "ghzmpi_$mpi") -lm
  quietly cmake -S consumer -B "cmake-$mpi" -DCONSUMER_LINK=mpi_shared "-DMPI_C_COMPILER=/usr/bin/mpicc.$mpi" -DCONSUMER_EXAMPLES="$PWD"
  quietly cmake --build "cmake-$mpi"
  for program in "./by_pkg_config_$mpi" "cmake-$mpi/consumer"; do
    needs "$program" "libghzmpi_$mpi.so.0.2"
    quietly "mpiexec.$mpi" -n 2 "$program"
  done
  quietly "mpicc.$mpi" -O2 medley.c -o "medley_$mpi" -lm
  GHZ_MPI_BOUND=float GHZ_MPI_THRESHOLD=0 GHZ_MPI_REPORT=1 quietly "mpiexec.$mpi" -n 2 \
    env "LD_PRELOAD=libghzmpi_${mpi}_intercept.so.0.2" "./medley_$mpi" once "plate_$mpi"
  grep -q MPI_Allreduce log || { cat log >&2 && fail "the preloaded library reports nothing"; }
  echo "ok: libghzmpi for $mpi, by pkg-config, CMake, and preloaded"
}

purge() {
  local names
  names=$(for deb in ./*.deb; do dpkg-deb -f "$deb" Package; done)
  # shellcheck disable=SC2086 # a list of words
  quietly dpkg --purge $names
  quietly apt-get -q -y purge --auto-remove
}

purge # what a run that failed may have left
files >before
install_packages
command_works
library_works
collectives_work openmpi
collectives_work mpich
purge
files | diff before - || fail "purging left (>) or took (<) the files above"
echo "ok: purged, and nothing is left"
