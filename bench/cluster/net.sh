# net.sh: to be sourced: the namespaces of a cluster, their links, shaping, and their end.
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
#
# The names of namespaces (-sw is the switch, -0 the first rank) and of the scratch folder begin
# with that of the run, ghzcl-PID-START. PID and start time tell whether the run still lives.

network=10.77.0
queue=16mb  # more than TCP has in flight, so nothing is dropped

start_time() { # pid: in ticks since boot; fails if it is dead
  local stat
  stat=$(cat "/proc/$1/stat" 2>/dev/null) || return 1
  stat=${stat##*) } # the name of the command may hold anything
  awk '/^[ZX]/ { exit 1 } { print $20 }' <<<"$stat"
}

cluster_name() { echo "ghzcl-$$-$(start_time $$)"; }
scratch_of() { echo "${TMPDIR:-/tmp}/$1"; }

is_alive() { # name
  local pid start now
  IFS=- read -r _ pid start <<<"$1"
  now=$(start_time "$pid") && [ "$now" = "$start" ]
}

namespaces_of() { ip netns list 2>/dev/null | awk -v name="$1-" 'index($1, name) == 1 { print $1 }'; }

# --- the beginning and the end of a cluster -------------------------------------------------------

make_switch() { # name
  ip netns add "$1-sw" && ip -n "$1-sw" -batch - <<END
link set lo up
link add br0 type bridge stp_state 0
addr add $network.254/24 dev br0
link set br0 up
END
}

make_rank() { # name rank
  local ns=$1-$2 address=$network.$(($2 + 1))
  ip netns add "$ns" && ip -n "$ns" -batch - <<END && ip -n "$1-sw" link set "p$2" master br0 up || return 1
link set lo up
link add eth0 type veth peer name p$2 netns $1-sw
addr add $address/24 dev eth0
link set eth0 up
END
  # The system's choice may be bbr, which paces by itself. Within a namespace only a route can
  # change it.
  ip -n "$ns" route change $network.0/24 dev eth0 src "$address" congctl cubic 2>/dev/null || no_cubic=1
  ip netns exec "$ns" sysctl -qw net.ipv4.tcp_slow_start_after_idle=0 net.ipv4.tcp_no_metrics_save=1 || true
}

make_cluster() { # name ranks
  local i
  no_cubic=0
  make_switch "$1" || return 1
  for ((i = 0; i < $2; i++)); do
    make_rank "$1" "$i" || return 1
  done
}

# Both ends of every link. What is within the burst passes unshaped: two offloaded packets, as tbf
# cuts up larger ones in software. A packet is 64 us of the link, so that calls of 256 KiB meet it.
shape() { # name ranks bit/s
  local i packet=$(($3 / 125000))
  packet=$((packet < 4096 ? 4096 : packet > 65536 ? 65536 : packet))
  for ((i = 0; i < $2; i++)); do
    shape_end "$1-$i" eth0 "$3" $packet && shape_end "$1-sw" "p$i" "$3" $packet || return 1
  done
}

shape_end() { # namespace device bit/s packet
  ip -n "$1" link set "$2" gso_max_size "$4" &&
    tc -n "$1" qdisc add dev "$2" root tbf rate "$3bit" burst $((2 * $4)) limit $queue
}

kill_inhabitants() { # namespace
  local pids
  pids=$(ip netns pids "$1" 2>/dev/null) || true
  # shellcheck disable=SC2086 # a list of numbers
  [ -z "$pids" ] || kill -KILL $pids 2>/dev/null || true
}

remove_cluster() { # name
  local ns scratch
  for ns in $(namespaces_of "$1"); do kill_inhabitants "$ns"; done
  for ns in $(namespaces_of "$1"); do
    kill_inhabitants "$ns" # those that were just starting
    ip netns del "$ns" || true
  done
  scratch=$(scratch_of "$1")
  [ -L "$scratch" ] || [ ! -O "$scratch" ] || rm -rf "$scratch"
}

all_names() { # namespaces of a user end with the run
  {
    [ "$(id -u)" != 0 ] || ip netns list
    find "${TMPDIR:-/tmp}" -maxdepth 1 -user "$(id -u)" -name 'ghzcl-*' -printf '%f\n'
  } 2>/dev/null | grep -Eo '^ghzcl-[0-9]+-[0-9]+' | sort -u
}

remove_leftovers() { # of runs that were killed
  local name
  for name in $(all_names); do
    is_alive "$name" && continue
    remove_cluster "$name"
    echo "# removed what is left of run $name"
  done
}
