# mpi.sh: to be sourced: how Open MPI starts the ranks of namespaces, over TCP between
# them, without spinning.
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2034,SC2054,SC2154 # variables are those of who sources this; commas go to MPI

openmpi_command() { # nodes ranks-of-each agent
  local i hosts=$network.1:$2
  for ((i = 2; i <= $1; i++)); do hosts+=,$network.$i:$2; done
  launch_environment=(OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1)
  launch_command=("$mpiexec" --leave-session-attached
    --mca plm rsh --mca plm_rsh_agent "$3" --mca plm_rsh_no_tree_spawn 1 --mca orte_keep_fqdn_hostnames 1
    --mca orte_tmpdir_base "$(dirname "$3")"
    --mca pml ob1 --mca btl vader,tcp,self --mca btl_tcp_if_include "$network.0/24" --mca oob_tcp_if_include "$network.0/24"
    --mca mpi_yield_when_idle 1 --bind-to none --host "$hosts" -n "$(($1 * $2))")
}

# The best of the library's algorithms for large messages on shaped links (64 MiB, 4 ranks, 200
# Mbit/s and 1 Gbit/s): the ring for allreduce; for bcast the chain in segments of 128 KiB; scatter
# reaches the limit of the link by default. What the user has set stays.
tune() {
  local setting variable
  set -- OMPI_MCA_coll_tuned_use_dynamic_rules=1 OMPI_MCA_coll_tuned_allreduce_algorithm=4 \
    OMPI_MCA_coll_tuned_bcast_algorithm=3 OMPI_MCA_coll_tuned_bcast_algorithm_segmentsize=131072
  for setting in "$@"; do
    variable=${setting%%=*}
    [ -n "${!variable+set}" ] || export "${setting?}"
  done
  say "tuned: $*"
}
