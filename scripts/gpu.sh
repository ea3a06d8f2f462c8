#!/usr/bin/env bash
# gpu.sh: for a machine with an NVIDIA GPU and a CUDA toolkit, CMake and a C++ compiler; nothing is
# installed, nothing fetched, no setting of the GPU changed. Builds the kernels for this GPU,
# measures the codec, which compares all bytes with the CPU's first, then checks every kernel on the
# device, and again under each tool of compute-sanitizer with small sizes. Each part has a limit, so
# that all ends in time; a part for which none is left says so, and has not failed. For both at full
# length: scripts/gpu.sh --bench-only, then scripts/gpu.sh --checks-only, each in nine minutes. The
# summary sets the figures beside the speed of copies, the prediction of bench/GPU_NOTES.md, and
# publications. Exit status: 0 all well, 1 something failed, 2 no CUDA device or toolkit, or bad
# usage.
# usage: scripts/gpu.sh [-o RESULTS] [--build DIR | --use BUILD] [--arch LIST] [--minutes N]
#          [--checks-only | --bench-only] [-- BENCH OPTIONS]
#   --use BUILD   takes the programs of a build as it is: neither CMake nor nvcc is needed
#   --arch LIST   as CMAKE_CUDA_ARCHITECTURES takes them; default: this GPU's alone
# SPDX-License-Identifier: BSD-3-Clause
set -uo pipefail
exec </dev/null

root=$(cd "$(dirname "$0")/.." && pwd)
results=gpu-results
build=$root/build-gpu
minutes=9
checks=1
bench=1
use=
architectures=
usage() { sed -n '/^# usage:/,/^# SPDX/{/SPDX/d;s/^# //p}' "$0" >&2 && exit 2; }
while [ $# -gt 0 ]; do
  case $1 in
  -o) results=${2:?-o needs a folder} && shift 2 ;;
  --build) build=${2:?--build needs a folder} && shift 2 ;;
  --use) use=${2:?--use needs a folder} && build=$use && shift 2 ;;
  --arch) architectures=${2:?--arch needs a list} && shift 2 ;;
  --minutes) minutes=${2:?--minutes needs a number} && shift 2 ;;
  --checks-only) bench= && shift ;;
  --bench-only) checks= && shift ;;
  --) shift && break ;;
  *) usage ;;
  esac
done
[[ $minutes =~ ^[1-9][0-9]*$ ]] || usage
[ -n "$checks$bench" ] || usage

cannot() { # why
  echo "gpu.sh: $1" >&2
  exit 2
}

find_tool() { # name: in PATH, or in the usual folders of a toolkit
  PATH=$PATH:${CUDA_HOME:-/usr/local/cuda}/bin:/usr/local/cuda/bin:${CUDA_HOME:-/usr/local/cuda}/compute-sanitizer command -v "$1"
}

if [ -n "$use" ]; then
  for program in ${checks:+tests/cuda/ghz_device_check} ${bench:+bench/codec data/ghz-fields}; do
    [ -x "$use/$program" ] || cannot "the build in $use has no $program"
  done
else
  nvcc=$(find_tool nvcc) || cannot "no CUDA toolkit: nvcc is neither in PATH nor in /usr/local/cuda/bin"
  for tool in cmake c++; do
    command -v $tool >/dev/null || cannot "no $tool"
  done
fi
command -v timeout >/dev/null || cannot "no timeout"
gpu() { nvidia-smi --query-gpu="$1" --format=csv,noheader 2>/dev/null | head -n 1; }
[ -n "$(gpu name)" ] || [ -n "$architectures" ] || cannot "no CUDA device: nvidia-smi names none; nothing was built or measured"
if [ -z "$architectures" ]; then
  architectures=$(gpu compute_cap | tr -d '. ')-real
  [[ $architectures =~ ^[0-9]+-real$ ]] || cannot "nvidia-smi does not say the compute capability: give --arch"
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

mkdir -p "$results" || cannot "cannot make the folder $results"
results=$(cd "$results" && pwd)
# What an earlier run left is not this one's.
rm -f "$results"/{summary,machine,resources,table,log}.txt "$results"/gpu_codec.csv
{
  nvidia-smi --query-gpu=name,compute_cap,memory.total,driver_version,clocks.sm,clocks.mem,clocks.max.sm,clocks.max.mem,power.limit,ecc.mode.current,mig.mode.current \
    --format=csv
  if [ -n "$use" ]; then
    echo "programs of $use as they are"
  else
    "$nvcc" --version | tail -n 2
    c++ --version | head -n 1
  fi
  git -C "$root" log -1 --format='commit %h of %cs' 2>/dev/null
} >"$results/machine.txt" 2>/dev/null
cat "$results/machine.txt"

ends=$((SECONDS + minutes * 60 - 10)) # what is left over is for the summary
failed=
summary() {
  echo
  echo "gpu.sh, after $SECONDS s; $results has machine, table, CSV, resources and log:"
  cat "$results/summary.txt"
}
outcome() { # part what seconds
  printf '%-13s %s (%d s)\n' "$1" "$2" "$3" | tee -a "$results/summary.txt"
}

# Runs a part, for at most the given time, and so that as much as is kept free remains for the parts
# after it. Its output goes to the log. Leaves the exit status in $status: 124 where it did not end.
run_for() { # part most kept command...
  local part=$1 most=$2 kept=$3 left=$((ends - SECONDS))
  shift 3
  [ $((left - kept)) -ge "$most" ] || most=$((left - kept))
  began=$SECONDS
  status=124
  echo "== $part: $*" >>"$results/log.txt"
  if [ "$most" -gt 0 ]; then # timeout takes 0 for no limit
    timeout -k 5 "$most" "$@" >"$work/output" 2>&1
    status=$?
    [ "$status" = 137 ] && status=124
    cat "$work/output" >>"$results/log.txt"
  else
    : >"$work/output"
  fi
  took=$((SECONDS - began))
}

judge() { # part: that did not pass
  if [ "$status" = 124 ] && [ $took -lt 5 ]; then
    outcome "$1" "no time left for it" $took
    return
  fi
  failed=1
  if [ "$status" = 124 ]; then
    outcome "$1" "DID NOT END in time" $took
  else
    outcome "$1" "FAILED, status $status" $took
  fi
}

check() { # part most kept command...: as run_for, and says what became of it
  run_for "$@"
  if [ "$status" = 0 ]; then
    outcome "$1" passed $took
  else
    judge "$1"
    tail -n 15 "$work/output"
  fi
}

configure() {
  [ -z "$use" ] || return 0
  local generator=()
  command -v ninja >/dev/null && generator=(-G Ninja)
  # Line numbers are for compute-sanitizer, and change no code.
  check configure 90 0 cmake --fresh "${generator[@]}" -S "$root" -B "$build" -DCMAKE_BUILD_TYPE=Release -DGHZ_CUDA=ON \
    -DCMAKE_CUDA_COMPILER="$nvcc" -DCMAKE_CUDA_ARCHITECTURES="$architectures" -DCMAKE_CUDA_FLAGS=-lineinfo -DGHZ_MPI=OFF -DGHZ_TOOLS=OFF
  [ "$status" = 0 ]
}

build_target() { # part kept target
  [ -z "$use" ] || return 0
  check "$1" $((minutes * 30)) "$2" cmake --build "$build" -j "$(nproc)" --target "$3"
  [ "$status" = 0 ]
}

# What the kernels take of a multiprocessor: by the compiler alone, beside the checks.
start_resources() {
  [ -z "$use" ] || return 0
  timeout 300 "$root/tests/cuda/resources.sh" "$nvcc" "$root"/ghz/cuda/kernels/{compress,decompress,combine,move_sum,compress_bricks,decompress_bricks}.cu >"$results/resources.txt" 2>&1 &
  resources=$!
  resources_began=$SECONDS
}

end_resources() {
  [ -z "$use" ] || return 0
  wait "$resources"
  case $? in
  0) outcome resources "passed" $((SECONDS - resources_began)) ;;
  *) outcome resources "FAILED: $(tail -n 1 "$results/resources.txt")" $((SECONDS - resources_began)) && failed=1 ;;
  esac
}

sanitize() { # tool
  local tool=$1 sanitizer options=()
  if ! sanitizer=$(find_tool compute-sanitizer); then
    outcome "$tool" "not run: no compute-sanitizer" 0
    return
  fi
  [ "$tool" = memcheck ] && options=(--leak-check full)
  run_for "$tool" 90 0 "$sanitizer" --tool "$tool" "${options[@]}" --error-exitcode 9 "$build/tests/cuda/ghz_device_check" --quick
  if grep -q "Device not supported" "$work/output"; then
    outcome "$tool" "not run: the tool does not know this device" $took
  elif [ "$status" = 0 ]; then
    outcome "$tool" passed $took
  else
    judge "$tool"
    grep -m 10 -E "=========|FAILED" "$work/output"
  fi
}

make_fields() {
  [ -e "$build/fields/gradient.f32" ] && return
  mkdir -p "$build/fields"
  check fields 120 0 "$build/data/ghz-fields" --quiet "$build/fields" # leaves out those that need FFTW, if it is missing
}

measure() {
  local seconds=$((ends - SECONDS - kept))
  check bench "$seconds" 0 "$build/bench/codec" --device cuda --bounds 1e-3,1e-4 --fields "$build/fields" \
    --csv "$results/gpu_codec.csv" "$@"
  cp "$work/output" "$results/table.txt"
}

: >"$results/summary.txt"
kept=0 # seconds for the checks, where both are asked for
[ -z "$bench" ] || [ -z "$checks" ] || kept=$((minutes * 30))
configure || { summary && exit 1; }
if [ -n "$bench" ] && build_target "build bench" $kept bench_codec && build_target "build fields" $kept ghz_fields; then
  make_fields
  measure "$@"
fi
if [ -n "$checks" ] && build_target "build checks" 0 ghz_device_check; then
  start_resources
  check device $((minutes * 25)) 0 "$build/tests/cuda/ghz_device_check"
  for tool in memcheck racecheck synccheck initcheck; do
    sanitize $tool
  done
  end_resources
fi
summary
[ -z "$failed" ]
