#!/usr/bin/env bash
# cluster_agent.sh: what the MPI launchers call in the place of ssh: HOST COMMAND..., run in the namespace of the host.
set -euo pipefail
while [[ $1 == -* ]]; do shift; done
rank=$((${1##*.} - 1))
shift
# Through the caller's root folder: ip netns exec has hidden /sys/fs/cgroup.
[ -z "$GHZ_CLUSTER_GROUP" ] || echo $$ >"/proc/$GHZ_CLUSTER_PID/root$GHZ_CLUSTER_GROUP/$rank/cgroup.procs"
# A host name of its own keeps the launchers from taking all ranks for one host, and their files apart.
exec ip netns exec "$GHZ_CLUSTER_NAME-$rank" unshare --uts \
  /bin/sh -c "hostname rank$rank && $*"
