#!/usr/bin/env bash
# cluster.sh: an emulated cluster on this machine: N network namespaces joined by a bridge, links
# shaped to RATE, and an MPI program that runs across them over TCP, one rank in each, or several.
# usage: bench/cluster.sh [OPTIONS] N RATE -- COMMAND...
#        bench/cluster.sh --clean   removes what killed runs left; every run begins with that
#   N                 ranks, 2 to 64
#   RATE              of every link, each way: 200mbit, 1gbit, ...; none: not shaped
#   COMMAND           what every rank runs, e.g. build/bench/collectives/ghz_mpi_bench allreduce
#                     (Open MPI: mpicc.openmpi and mpiexec.openmpi, or MPICC and MPIEXEC)
#   --per-node N      ranks of a namespace, which is a node: they share its link and memory, its
#                     system says RATE of the link, and a rank has a core, in turn (1, not pinned)
#   --tuned           makes Open MPI use its best algorithms for large allreduce, bcast and
#                     scatter
#   --poll on|off     waiting ranks sleep up to 50 us instead of spinning (on; off with --per-node
#                     above 1, since messages within a node wake nobody)
#   --quick           does not measure the links first
#   --force           runs although the machine is too weak for RATE
# The ranks get the environment (GHZ_*, OMPI_MCA_*, OMP_*). Lines that begin with # are
# the cluster's own. exit status: that of COMMAND; 2: wrong arguments; 3: the machine is too weak
# for RATE; 77: not possible here, and why
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
PATH=$PATH:/usr/sbin:/sbin

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=bench/cluster/net.sh
. "$here/cluster/net.sh"
# shellcheck source=bench/cluster/mpi.sh
. "$here/cluster/mpi.sh"

tuned=0 poll='' quick=0 force=0 per_node=1 pins=''
core_bits=2000000000 # bit/s between ranks that one core moves while it also computes; measured

say() { printf '# %s\n' "$*"; }
die() { # status message
  printf 'cluster.sh: %s\n' "$2" >&2
  exit "$1"
}
usage() {
  sed -n '/SPDX/d; 2,/^set/s/^# \{0,1\}//p' "$0"
  exit "$1"
}
as_gbits() { awk -v bits="$1" 'BEGIN { printf "%.4g Gbit/s", bits / 1e9 }'; }
holds() { awk "BEGIN { exit !($1) }"; } # compares numbers with a fraction
load() { cut -d' ' -f1-3 /proc/loadavg; }
pin() { # sets pins: the numbers of the cores that this process may use
  local all c
  all=$(cores)
  for ((c = 0; $(wc -w <<<"$pins") < all; c++)); do
    ! taskset -c $c true 2>/dev/null || pins+="$c "
  done
}
cores() { env -u OMP_NUM_THREADS -u OMP_THREAD_LIMIT nproc; } # nproc counts these as cores

# --- arguments ------------------------------------------------------------------------------------

parse_rate() { # prints bit/s; 0: unshaped
  local scale
  [ "$1" != none ] || { echo 0 && return; }
  [[ $1 =~ ^([0-9]{1,6}(\.[0-9]{1,3})?)(kbit|mbit|gbit)$ ]] || die 2 "RATE is like 200mbit or 1gbit, or none, not '$1'"
  case ${BASH_REMATCH[3]} in kbit) scale=1e3 ;; mbit) scale=1e6 ;; gbit) scale=1e9 ;; esac
  awk -v n="${BASH_REMATCH[1]}" -v scale=$scale 'BEGIN { printf "%.0f", n * scale }'
}

parse() {
  local words=()
  while [ $# -gt 0 ]; do
    case $1 in
    --poll)
      [ $# -ge 2 ] || die 2 "$1 needs a value"
      poll=$2 && shift 2 ;;
    --per-node)
      [ $# -ge 2 ] || die 2 "$1 needs a value"
      per_node=$2 && shift 2 ;;
    --tuned | --quick | --force) printf -v "${1#--}" 1 && shift ;;
    --clean) remove_leftovers && exit ;;
    -h | --help) usage 0 ;;
    --) break ;;
    -*) die 2 "no option $1; --help lists them" ;;
    *) words+=("$1") && shift ;;
    esac
  done
  [ ${#words[@]} = 2 ] || usage 2 >&2
  ranks=${words[0]} rate=${words[1]}
  [[ $ranks =~ ^[1-9][0-9]?$ ]] && [ "$ranks" -ge 2 ] && [ "$ranks" -le 64 ] || die 2 "N is from 2 to 64, not '$ranks'"
  [[ $per_node =~ ^[1-9][0-9]?$ ]] && [ $((ranks % per_node)) = 0 ] && [ "$ranks" -gt "$per_node" ] ||
    die 2 "--per-node parts N ranks into two nodes or more, not '$per_node'"
  nodes=$((ranks / per_node))
  [ -n "$poll" ] || poll=$([ "$per_node" = 1 ] && echo on || echo off)
  [[ $poll =~ ^(on|off)$ ]] || die 2 "--poll is on or off, not '$poll'"
  bits=$(parse_rate "$rate")
  [ "$rate" = none ] || [ "$bits" -ge 1000000 ] || die 2 "RATE is at least 1mbit"
  [ $# -ge 2 ] || die 2 "there is no COMMAND behind --"
  command=("${@:2}")
}

# --- what this machine has ------------------------------------------------------------------------

enter_user_namespace() { # argument...: namespaces and links need root only inside a user namespace
  unshare --user --map-root-user --net --mount true 2>/dev/null ||
    die 77 "not root, and the kernel gives users no namespaces of their own: run it as root"
  # shellcheck disable=SC2016 # the inner shell expands
  GHZ_CLUSTER_ENTERED=1 exec unshare --user --map-root-user --net --mount \
    bash -c 'mount -t tmpfs tmpfs /run && ip link set lo up && exec "$0" "$@"' "$here/cluster.sh" "$@"
}

find_tools() {
  local tool
  for tool in ip tc unshare setpriv hostname cc ldd; do
    command -v $tool >/dev/null || die 77 "no $tool here (Debian: iproute2, util-linux, hostname, gcc, libc-bin)"
  done
  mpicc=${MPICC:-mpicc.openmpi} mpiexec=${MPIEXEC:-mpiexec.openmpi}
  for tool in "$mpicc" "$mpiexec"; do
    command -v "$tool" >/dev/null || die 77 "no $tool here (Debian: libopenmpi-dev, openmpi-bin)"
  done
}

check_command() {
  local program
  program=$(command -v -- "${command[0]}") || die 2 "no program ${command[0]}"
  # Started by the other MPI, a program would run as many clusters of one rank.
  ! ldd "$program" 2>/dev/null | grep -qF libmpich.so || die 2 "$program is built with MPICH, and the cluster has Open MPI"
}

too_weak() { # message
  [ $force = 1 ] || die 3 "$1; --force runs it nevertheless"
  say "WARNING: $1. FORCED: THE FIGURES BELOW SHOW THE CORES, NOT THE LINKS."
}

check_strength() {
  local cores most
  cores=$(cores)
  most=$((cores * core_bits))
  [ "$((nodes * bits))" -le "$most" ] ||
    too_weak "$nodes links of $(as_gbits $bits) are more than $cores cores can feed and compute at the same time: \
$(as_gbits $most) in all"
}

# --- a run ----------------------------------------------------------------------------------------

leave() {
  local status=$?
  set +e
  trap '' INT TERM HUP
  [ -z "$child" ] || stop_child
  remove_cluster "$name"
  exit $status
}

stop_child() { # MPI's launchers end their ranks; remove_cluster ends the others
  local try
  disown "$child"
  kill -TERM "$child" 2>/dev/null
  for ((try = 0; try < 20; try++)); do
    kill -0 "$child" 2>/dev/null || return
    sleep 0.1
  done
}

compile() {
  "$mpicc" -O2 -o "$scratch/pingpong" "$here/cluster/pingpong.c"
  cc -O2 -shared -fPIC -o "$scratch/poll.so" "$here/cluster/poll.c"
  install -m 700 "$here/cluster/agent.sh" "$scratch/agent"
  install -m 700 "$here/cluster/rank.sh" "$scratch/rank"
}

begin() {
  child='' name=$(cluster_name)
  scratch=$(scratch_of "$name")
  trap leave EXIT
  trap 'exit 129' HUP
  trap 'exit 130' INT
  trap 'exit 143' TERM
  [[ $scratch != *[[:space:]]* ]] || die 2 "TMPDIR has spaces, which launchers take for separators"
  mkdir -m 700 "$scratch"
  compile
  make_cluster "$name" "$nodes" || die 77 "cannot make network namespaces and virtual links here"
  [ "$no_cubic" = 0 ] || say "WARNING: no TCP cubic; the links run the system's $(cat /proc/sys/net/ipv4/tcp_congestion_control)"
}

# Open MPI's launcher warns if its child was faster.
without_noise() { grep --line-buffered -Ev 'plm:rsh: Warning: setpgid\(.*\) failed in parent'; }

# In the background, because a trap waits for a command in the foreground. The launcher ends even if
# this shell is killed, and passes its environment on to the ranks.
launch() { # command...
  local status=0 library='' environment
  [ $poll = off ] || library=$scratch/poll.so
  openmpi_command "$nodes" "$per_node" "$scratch/agent"
  environment=("${launch_environment[@]}" "GHZ_CLUSTER_NAME=$name" "GHZ_CLUSTER_PINS=$pins"
    "GHZ_CLUSTER_MBITS=$((bits / 1000000))" "GHZ_CLUSTER_SHARE=$((100000 * $(cores) / nodes)) 100000"
    "OMP_WAIT_POLICY=${OMP_WAIT_POLICY:-passive}")
  ip netns exec "$name-sw" setpriv --pdeathsig TERM env "${environment[@]}" "${launch_command[@]}" \
    "$scratch/rank" "$scratch" "$library" "$@" </dev/null 2> >(without_noise >&2) &
  child=$!
  wait "$child" || status=$?
  child=''
  return "$status"
}

measure_total() { # bit/s that all ranks together send over unshaped links
  per_node=1 launch "$scratch/pingpong" --total >"$scratch/total" || die 1 "the measurement of the unshaped links failed"
  total=$(awk '$1 == "total" { printf "%.0f", $2 * 1e9 }' "$scratch/total")
  say "unshaped, all nodes at once: $(as_gbits "$total") in all"
  [ "$bits" = 0 ] || [ "$((nodes * bits))" -le "$total" ] ||
    too_weak "$nodes links of $(as_gbits $bits) are more than the machine carries"
}

# The burst of the shaping passes part of a MiB; 16 MiB show the rate, less the headers.
check_pingpong() {
  local seen
  seen=$(awk '/16 MiB one way/ { print $7 * 1e9 }' "$scratch/pingpong.txt")
  holds "${seen:-0} > 0" || die 1 "the ping-pong printed no rate"
  [ "$bits" = 0 ] && return
  holds "$seen < 1.05 * $bits" ||
    die 77 "the shaping has no effect here: $(as_gbits "$seen") over links of $(as_gbits $bits)"
  holds "$seen > 0.85 * $bits" ||
    say "WARNING: the links carry $(as_gbits "$seen") instead of $(as_gbits $bits): a busy machine, or a weak one"
}

pingpong() {
  per_node=1 launch "$scratch/pingpong" >"$scratch/pingpong.txt" || { cat "$scratch/pingpong.txt" >&2 && die 1 "the ping-pong failed"; }
  cat "$scratch/pingpong.txt"
  check_pingpong
}

cpu_seconds() { # as rank.sh noted them
  cat "$scratch"/cpu.* 2>/dev/null | awk -F '[ms ]+' 'NR % 2 == 0 { s += 60 * $1 + $2 + 60 * $3 + $4 }
    END { printf "%.2f CPU seconds of %d ranks", s, NR / 2 }'
}

run_command() {
  local status=0 start=$EPOCHREALTIME
  rm -f "$scratch"/cpu.*
  launch "${command[@]}" || status=$?
  say "$(awk "BEGIN { printf \"%.2f\", $EPOCHREALTIME - $start }") s, $(cpu_seconds), load $(load), exit status $status"
  return $status
}

describe() {
  say "$ranks ranks, $per_node a node, links of $rate, $(cores) cores, load $(load), polling that sleeps: $poll"
  awk -v cores="$(cores)" '{ exit $1 > cores }' /proc/loadavg ||
    say "WARNING: other programs keep the cores busy, so times are too long"
}

parse "$@"
find_tools
check_strength
check_command
[ -n "${GHZ_CLUSTER_ENTERED:-}" ] || remove_leftovers
[ "$(id -u)" = 0 ] || enter_user_namespace "$@"
describe
[ $tuned = 0 ] || tune
[ "$per_node" = 1 ] || pin
begin
[ $quick = 1 ] || [ "$bits" = 0 ] || measure_total
[ "$bits" = 0 ] || shape "$name" "$nodes" $bits || die 77 "cannot shape links here: the kernel has no sch_tbf"
[ $quick = 1 ] || pingpong
run_command
