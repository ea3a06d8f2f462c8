# mpi.sh: to be sourced: how Open MPI and MPICH start one rank per namespace, over TCP, without
# spinning. SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2034,SC2054,SC2154 # variables are those of who sources this; commas go to MPI

# Started by the other MPI, a program would run as many clusters of one rank.
is_of_other_mpi() { # mpi program
  local other=libmpich.so
  [ "$1" = openmpi ] || other=libmpi.so
  ldd "$2" 2>/dev/null | grep -qF "$other"
}

addresses() { # ranks separator suffix
  local i
  for ((i = 1; i <= $1; i++)); do
    printf '%s%s%s' "$([ "$i" = 1 ] || echo "$2")" "$network.$i" "$3"
  done
}

mpich_command() { # ranks agent
  launch_environment=(UCX_TLS=tcp,self UCX_NET_DEVICES=eth0 MPIR_CVAR_NOLOCAL=1)
  launch_command=("$mpiexec" -launcher ssh -launcher-exec "$2" -localhost "$network.254" -disable-hostname-propagation
    -bind-to none -hosts "$(addresses "$1" , "")" -ppn 1 -n "$1")
}

openmpi_command() { # ranks agent
  launch_environment=(OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1)
  launch_command=("$mpiexec" --leave-session-attached
    --mca plm rsh --mca plm_rsh_agent "$2" --mca plm_rsh_no_tree_spawn 1 --mca orte_keep_fqdn_hostnames 1
    --mca orte_tmpdir_base "$(dirname "$2")"
    --mca pml ob1 --mca btl tcp,self --mca btl_tcp_if_include "$network.0/24" --mca oob_tcp_if_include "$network.0/24"
    --mca mpi_yield_when_idle 1 --bind-to none --host "$(addresses "$1" , :1)" -n "$1")
}

# The best of the library's algorithms for large messages on shaped links (64 MiB, 4 ranks, 200
# Mbit/s and 1 Gbit/s): the ring for allreduce; for bcast the chain in segments of 128 KiB (Open
# MPI), scatter and ring allgather (MPICH, whose chains do not overlap their steps); scatter reaches
# the limit of the link by default. What the user has set stays.
tune() { # mpi
  local setting variable
  case $1 in
  openmpi) set -- OMPI_MCA_coll_tuned_use_dynamic_rules=1 \
    OMPI_MCA_coll_tuned_allreduce_algorithm=4 \
    OMPI_MCA_coll_tuned_bcast_algorithm=3 OMPI_MCA_coll_tuned_bcast_algorithm_segmentsize=131072 ;;
  mpich) set -- MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM=nb MPIR_CVAR_IALLREDUCE_INTRA_ALGORITHM=tsp_ring \
    MPIR_CVAR_BCAST_INTRA_ALGORITHM=scatter_ring_allgather ;;
  esac
  for setting in "$@"; do
    variable=${setting%%=*}
    [ -n "${!variable+set}" ] || export "${setting?}"
  done
  say "tuned: $*"
}
