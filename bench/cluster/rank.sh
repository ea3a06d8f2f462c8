#!/bin/sh
# rank.sh: runs the program of one rank, on its core if there are GHZ_CLUSTER_PINS, and notes its
# CPU time. usage: rank.sh FOLDER LIBRARIES PROGRAM...
# SPDX-License-Identifier: BSD-3-Clause
folder=$1
libraries=$2
shift 2
if [ -n "$GHZ_CLUSTER_PINS" ]; then
  at=$((OMPI_COMM_WORLD_RANK % $(echo "$GHZ_CLUSTER_PINS" | wc -w) + 1))
  taskset -pc "$(echo "$GHZ_CLUSTER_PINS" | cut -d' ' -f$at)" $$ >/dev/null
fi
(
  [ -z "$libraries" ] || export LD_PRELOAD="$libraries"
  exec "$@"
)
status=$?
times >"$folder/cpu.$$"
exit $status
