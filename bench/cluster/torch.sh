#!/usr/bin/env bash
# torch.sh: runs COMMAND in each of RANKS network namespaces, on links of RATE bit/s (0: any speed),
# with the variables that torch.distributed reads.
# usage: bench/cluster/torch.sh RANKS RATE COMMAND...     exit status: that of the first that fails; 77: not possible here
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
PATH=$PATH:/usr/sbin:/sbin
# shellcheck source=bench/cluster/net.sh
. "$(dirname "$0")/net.sh"
ranks=$1 rate=$2
shift 2

[ "$(id -u)" = 0 ] && command -v ip tc >/dev/null || { echo "torch.sh: needs root, and iproute2" >&2 && exit 77; }
remove_leftovers
name=$(cluster_name) pids=()
trap 'remove_cluster "$name"' EXIT
trap 'exit 143' INT TERM HUP
make_cluster "$name" "$ranks" || { echo "torch.sh: cannot make network namespaces here" >&2 && exit 77; }
[ "$rate" = 0 ] || shape "$name" "$ranks" "$rate" || { echo "torch.sh: cannot shape links here" >&2 && exit 77; }
export WORLD_SIZE=$ranks MASTER_ADDR=$network.1 MASTER_PORT=29500 GLOO_SOCKET_IFNAME=eth0 OMP_NUM_THREADS=1
for ((rank = 0; rank < ranks; rank++)); do
  RANK=$rank ip netns exec "$name-$rank" "$@" &
  pids+=($!)
done
for pid in "${pids[@]}"; do wait "$pid"; done
