#!/usr/bin/env bash
# agent.sh: the MPI launchers call it in place of ssh: HOST COMMAND..., run in the namespace of the
# host.
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
while [[ $1 == -* ]]; do shift; done
node=$((${1##*.} - 1))
shift
# What an interface of hardware says of its speed, in place of what a virtual one does; files of
# ip's own view of /sys.
# shellcheck disable=SC2016
say_speed='mount -t tmpfs tmpfs /sys/class/net && mkdir -p /sys/class/net/eth0/device &&
  echo "$GHZ_CLUSTER_MBITS" >/sys/class/net/eth0/speed && echo DRIVER=tbf >/sys/class/net/eth0/device/uevent &&
  ln -s /sys/devices/virtual/net/eth0/statistics /sys/class/net/eth0/'
[ "$GHZ_CLUSTER_MBITS" != 0 ] || say_speed=:
# By its own host name a launcher tells a node, and its files, from the others.
exec ip netns exec "$GHZ_CLUSTER_NAME-$node" unshare --uts \
  /bin/sh -c "$say_speed; hostname node$node && $*"
