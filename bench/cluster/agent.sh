#!/usr/bin/env bash
# agent.sh: the MPI launchers call it in place of ssh: HOST COMMAND..., run in the namespace of the
# host.
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
while [[ $1 == -* ]]; do shift; done
rank=$((${1##*.} - 1))
shift
# By its own host name a launcher tells a rank, and its files, from the others.
exec ip netns exec "$GHZ_CLUSTER_NAME-$rank" unshare --uts \
  /bin/sh -c "hostname rank$rank && $*"
