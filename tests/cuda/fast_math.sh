#!/usr/bin/env bash
# fast_math.sh: our options of nvcc undo --use_fast_math and --fmad=true: a kernel has no fused
# multiply-add, no approximation and no flush to zero. usage: fast_math.sh NVCC OPTION...
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
nvcc=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/kernel.cu" <<'END'
__global__ void kernel(float *x, double *y) {
  x[0] = x[1] * x[2] + x[3];
  x[4] = sqrtf(x[5] / x[6]);
  y[0] = y[1] * y[2] + y[3];
}
END
unsafe() { # option...
  "$nvcc" --use_fast_math "$@" --ptx -o "$work/kernel.ptx" "$work/kernel.cu" 2>&1
  grep -cE 'fma|ftz|approx' "$work/kernel.ptx"
}
[ "$(unsafe)" -gt 0 ] || { echo "--use_fast_math changes nothing, so this tests nothing" >&2; exit 1; }
if found=$(unsafe "$@"); then
  echo "$* leaves $found unsafe instructions" >&2
  exit 1
fi
