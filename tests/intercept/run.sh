#!/bin/bash
# run.sh: runs one case in a directory of its own, which is gone afterwards. Exit code 77: the case
# was skipped.
# Usage: MPIEXEC=... LIBRARY=... SHAPES=... MEDLEY=...
#   FORTRAN=... BUILD=... PYTHON=... run.sh CASE.sh
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
HERE=$(cd "$(dirname "$0")" && pwd)
: "${MPIEXEC:?must name what starts MPI programs}" "${LIBRARY:?must name the library to preload}"
: "${SHAPES:?}" "${MEDLEY:?}" "${BUILD:?}" "${1:?must name a case}"
case=$(readlink -f "$1")
export HERE LC_ALL=C OMP_WAIT_POLICY=passive
SCRATCH=$(mktemp -d)
trap 'rm -rf "$SCRATCH"' EXIT
cd "$SCRATCH"
bash "$case"
