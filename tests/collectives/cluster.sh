#!/usr/bin/env bash
# cluster.sh: the emulated cluster shapes its links, gives back the status of its program, and
# leaves nothing behind.
# usage: cluster.sh BENCH_FOLDER    exit status 77: not possible here
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail

cluster=$1/cluster.sh
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
export TMPDIR=$out # scratch folders that are left behind show here

die() {
  echo "cluster: $*" >&2
  cat "$out/log" >&2
  exit 1
}

run() { # expected status, argument...: runs to its end, and looks for what is left
  local expected=$1 status=0
  shift
  "$cluster" "$@" >"$out/log" 2>&1 &
  pid=$!
  wait $pid || status=$?
  check_end "$expected" $status "$*"
}

check_end() { # expected status what
  [ "$2" != 77 ] || { tail -n 1 "$out/log" && exit 77; }
  [ "$2" = "$1" ] || die "exit status $2 instead of $1 from $3"
  ! ip netns list 2>/dev/null | grep "^ghzcl-$pid-" || die "namespaces are left of $3"
  [ -z "$(find "$out" -name 'ghzcl-*')" ] || die "files are left of $3"
}

interrupt() { # signal expected status: in the middle of a long run
  local status=0 try
  "$cluster" --quick 2 none -- sh -c "touch $out/started; sleep 60" >"$out/log" 2>&1 &
  pid=$!
  for ((try = 0; try < 100; try++)); do
    [ ! -e "$out/started" ] || break
    sleep 0.1
  done
  rm "$out/started" || die "nothing was started"
  kill -"$1" $pid
  wait $pid 2>/dev/null || status=$?
  [ "$1" != KILL ] || "$cluster" --clean || die "--clean failed"
  check_end "$2" $status "SIG$1"
}

run 0 --force 2 200mbit -- true # --force: other tests may run at the same time
awk '/16 MiB one way/ { n++; if ($7 < 0.1 || $7 > 0.21) exit 1 } END { exit n != 1 }' "$out/log" ||
  die "the ping-pong does not show 200 Mbit/s"
# shellcheck disable=SC2016 # a rank's shell expands
run 0 --force --quick --per-node 2 4 200mbit -- sh -c '[ "$OMPI_COMM_WORLD_LOCAL_SIZE $(nproc)" = "2 1" ] &&
  grep 200 /sys/class/net/eth0/speed'
run 2 --per-node 3 4 1gbit -- true
run 5 --quick 2 none -- sh -c 'exit 5'
run 3 64 10gbit -- true
run 2 1 1gbit -- true
run 2 2 fast -- true
interrupt TERM 143
interrupt HUP 129
interrupt KILL 137
