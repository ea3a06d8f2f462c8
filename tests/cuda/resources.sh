#!/usr/bin/env bash
# resources.sh: compiles kernels for sm_80 and sm_90, prints what each of them takes of a
# multiprocessor, and fails if one spills registers to memory. Functions that kernels call are
# listed without registers; what they save for their callers counts as spilled, and does not fail.
# Shared memory is the static part: ptxas does not know the dynamic one.
# usage: tests/cuda/resources.sh NVCC SOURCE.cu...
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
exec </dev/null

nvcc=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

compile() { # source: leaves what ptxas says in a file; for both at once, since nvcc starts slowly
  "$nvcc" -std=c++17 -I"$(dirname "$1")/../.." -I"$(dirname "$1")/../../include" -O3 -DNDEBUG --fmad=false -DCCCL_DISABLE_NVTX -Xptxas -v --fatbin \
    -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=sm_90 \
    -o "$work/$(basename "$1").fatbin" "$1" >"$work/$(basename "$1").log" 2>&1
}

failed=
for source in "$@"; do
  compile "$source" &
done
for job in $(jobs -p); do
  wait "$job" || failed=1
done
if [ -n "$failed" ]; then
  cat "$work"/*.log >&2
  echo "resources.sh: $nvcc failed" >&2
  exit 1
fi

# One line a kernel: target, name, registers, stack, shared memory, spilled bytes. Functions are
# there if they spill.
cat "$work"/*.log | awk -v OFS='\t' '
  function before(text) { return match($0, "[0-9]+ " text) ? substr($0, RSTART) + 0 : 0 }
  function function_ends() { if (spilled) print target, name, "-", stack, "-", spilled; spilled = 0 }
  /Compiling entry function/ { function_ends(); split($0, quoted, "\047"); target = quoted[4] }
  /Function properties for/ { function_ends(); name = $NF }
  /bytes stack frame/ { stack = before("bytes stack"); spilled = before("bytes spill stores") + before("bytes spill loads") }
  /Used [0-9]+ registers/ { print target, name, before("registers"), stack, before("bytes smem"), spilled; spilled = 0 }
  END { function_ends() }' | c++filt | sort >"$work/kernels"
if [ ! -s "$work/kernels" ]; then
  cat "$work"/*.log >&2
  echo "resources.sh: ptxas said nothing of kernels" >&2
  exit 1
fi

printf '%-6s %9s %6s %7s %8s  %s\n' target registers stack shared spilled kernel
awk -F '\t' '{
  gsub(/\(anonymous namespace\)::|_INTERNAL_[0-9a-z_]+::/, "", $2); sub(/\(.*/, "", $2); sub(/^([a-z]+ )+/, "", $2)
  printf "%-6s %9s %6s %7s %8s  %s\n", $1, $3, $4, $5, $6, substr($2, 1, 100) }' "$work/kernels"
if awk -F '\t' '$3 != "-" && $6 > 0 { spills = 1 } END { exit !spills }' "$work/kernels"; then
  echo "resources.sh: kernels spill registers" >&2
  exit 1
fi
