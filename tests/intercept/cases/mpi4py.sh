# A script in Python, with mpi4py as the system has it.
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash source-path=SCRIPTDIR/.. source=helpers.sh
. "$HERE/helpers.sh"
[ -n "${PYTHON:-}" ] || skip "no Python"
"$PYTHON" -c 'import mpi4py, numpy' 2>/dev/null || skip "no mpi4py or no NumPy in $PYTHON"
theirs=$("$PYTHON" -c 'from mpi4py import MPI; print(MPI.Get_library_version())' | head -n 1)
case $(vendor)/$theirs in
openmpi/Open\ MPI* | mpich/MPICH*) ;;
*) skip "mpi4py is built with another MPI: $theirs" ;;
esac
plain "$PYTHON" "$HERE/stack.py" 0
taken GHZ_MPI_BOUND=abs:1e-3 GHZ_MPI_MODE=homomorphic "$PYTHON" "$HERE/stack.py" 1e-3
calls MPI_Allreduce compressed $((2 * RANKS))
calls MPI_Bcast compressed "$RANKS"
calls MPI_Reduce_scatter_block compressed "$RANKS"
