#!/usr/bin/env bash
# readme_mpi.sh: compiles and runs the first C of docs/collectives.md as it stands there.
# usage: readme_mpi.sh collectives.md ROOT MPICC MPIEXEC LIBGHZMPI.a LIBGHZ.a [LIBRARY...]
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
document=$1 root=$2 mpicc=$3 mpiexec=$4 libghzmpi=$5 libghz=$6
shift 6 # what is left: what the static libraries need
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

block() {
  sed -n '/^```c$/,/^```$/p' "$document" | awk '/^```c$/ { n++; next } /^```$/ { next } n == 1'
}

# It sums x over all ranks, and is checked against 1e-4 of the range 2 per rank.
{
  printf '#include <ghz/mpi.h>\n#include <math.h>\n#include <stdio.h>\nint main(int argc, char **argv) {\n'
  printf '  enum { nz = 100, ny = 50, nx = 60, n = nz * ny * nx };\n  static float x[n];\n  int rank, ranks;\n  MPI_Init(&argc, &argv);\n'
  printf '  MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n  MPI_Comm_size(MPI_COMM_WORLD, &ranks);\n'
  printf '  for (int i = 0; i < n; i++) x[i] = sinf((float)i * 0.001f);\n'
  block
  printf '  double worst = 0;\n  for (int i = 0; i < n; i++)\n'
  printf '    worst = fmax(worst, fabs((double)x[i] - ranks * (double)sinf((float)i * 0.001f)));\n'
  printf '  if (rank == 0) printf("worst error %%g\\n", worst);\n  MPI_Finalize();\n'
  printf '  return worst > 0 && worst <= ranks * 2e-4 + 1e-5 ? 0 : 1;\n}\n'
} >"$dir/readme.c"
grep -q ghz_allreduce "$dir/readme.c" || { echo "$document has no MPI program" >&2; exit 1; }
"$mpicc" -std=c17 -Wall -Wextra -Werror -I "$root/ghz/include" -I "$root/collectives/include" "$dir/readme.c" "$libghzmpi" "$libghz" -fopenmp -lm "$@" -o "$dir/readme"
GHZ_MPI_MODE=homomorphic "$mpiexec" -n 3 "$dir/readme"
