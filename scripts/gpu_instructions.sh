#!/usr/bin/env bash
# gpu_instructions.sh: compiles kernels to machine code and prints how many instructions each has,
# by the pipe that executes them: those that stand there, or with --counts those that a warp runs
# for a tile. The machine code is made of the PTX that the interpreter runs. Needs nvcc, and
# nvdisasm of the toolkit (Python's package nvidia-cuda-nvdisasm has it, too); no GPU.
# usage: scripts/gpu_instructions.sh [--arch sm_90] [--counts FILE --tiles N] [--lines N] [--calls]
#          KERNELS.cu...
#   --counts FILE  how often each instruction of the PTX ran, as the interpreter of tests/ptx writes
#                  it for PTX_COUNTS=FILE: of a program that calls what is of interest, such as
#                  ghz_count_ptx
#   --tiles N      of how many tiles or bricks
#   --lines N      also the source lines that take most
#   --calls        to a line also what is inlined there
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
exec </dev/null

root=$(cd "$(dirname "$0")/.." && pwd)
architecture=sm_90
map=()
usage() { sed -n '/^# usage:/,/^# SPDX/{/SPDX/d;s/^# //p}' "$0" >&2 && exit 2; }
while [ $# -gt 0 ]; do
  case $1 in
  --arch) architecture=${2:?--arch needs a name} && shift 2 ;;
  --counts | --tiles | --lines) map+=("$1" "${2:?$1 needs a value}") && shift 2 ;;
  --calls) map+=("$1") && shift ;;
  -*) usage ;;
  *) break ;;
  esac
done
[ $# -gt 0 ] || usage

tool() { # name: in PATH, or in the usual folders of a toolkit
  PATH=$PATH:${CUDA_HOME:-/usr/local/cuda}/bin:/usr/local/cuda/bin command -v "$1" ||
    { echo "gpu_instructions.sh: no $1" >&2 && exit 2; }
}
nvcc=$(tool nvcc)
ptxas=$(tool ptxas)
nvdisasm=$(tool nvdisasm)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for source in "$@"; do
  name=$(basename "$source" .cu)
  "$nvcc" -std=c++17 -I"$root/ghz" -I"$root/ghz/include" -O3 -DNDEBUG --fmad=false -DCCCL_DISABLE_NVTX -lineinfo \
    -arch=compute_80 --ptx -o "$work/$name.ptx" "$source"
  "$ptxas" -arch="$architecture" -lineinfo -o "$work/$name.cubin" "$work/$name.ptx"
  "$nvdisasm" -gp "$work/$name.cubin" >"$work/$name.sass"
  "$root/scripts/gpu_instructions.py" "${map[@]}" "$work/$name.ptx" "$work/$name.sass"
done
