#!/usr/bin/env bash
# gpu.sh: for a machine with an NVIDIA GPU and a CUDA toolkit, CMake and a C++ compiler; nothing is
# installed, nothing fetched, no setting of the GPU changed. Builds the kernels, checks them on the
# device, again under each tool of compute-sanitizer with small sizes, and measures the codec. Parts
# come in order of importance, each with a limit, so that all ends in time. Exit status: 0 all well,
# 1 a check failed or did not end, 2 no CUDA device or toolkit, or bad usage.
# usage: scripts/gpu.sh [-o RESULTS] [--build DIR] [--minutes N] [--checks-only | --bench-only] [-- BENCH OPTIONS]
# SPDX-License-Identifier: BSD-3-Clause
set -uo pipefail
exec </dev/null

root=$(cd "$(dirname "$0")/.." && pwd)
results=gpu-results
build=$root/build-gpu
minutes=9
checks=1
bench=1
while [ $# -gt 0 ]; do
  case $1 in
  -o) results=${2:?-o needs a folder} && shift 2 ;;
  --build) build=${2:?--build needs a folder} && shift 2 ;;
  --minutes) minutes=${2:?--minutes needs a number} && shift 2 ;;
  --checks-only) bench= && shift ;;
  --bench-only) checks= && shift ;;
  --) shift && break ;;
  *) sed -n '/^# usage:/s/^# //p' "$0" >&2 && exit 2 ;;
  esac
done
if ! [[ $minutes =~ ^[1-9][0-9]*$ ]] || [ -z "$checks$bench" ]; then
  sed -n '/^# usage:/s/^# //p' "$0" >&2 && exit 2
fi

cannot() { # why
  echo "gpu.sh: $1" >&2
  exit 2
}

find_tool() { # name: in PATH, or in the usual folders of a toolkit
  PATH=$PATH:${CUDA_HOME:-/usr/local/cuda}/bin:/usr/local/cuda/bin:${CUDA_HOME:-/usr/local/cuda}/compute-sanitizer command -v "$1"
}

nvcc=$(find_tool nvcc) || cannot "no CUDA toolkit: nvcc is neither in PATH nor in /usr/local/cuda/bin"
for tool in cmake c++ timeout; do
  command -v $tool >/dev/null || cannot "no $tool"
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/device.cu" <<'EOF'
#include <cstdio>
int main() {
  int count = 0, device = 0, runtime = 0, driver = 0;
  cudaError_t error = cudaGetDeviceCount(&count);
  if (error != cudaSuccess || count == 0) {
    fprintf(stderr, "no CUDA device: %s\n", error == cudaSuccess ? "none is visible" : cudaGetErrorString(error));
    return 2;
  }
  cudaDeviceProp is;
  cudaGetDevice(&device);
  cudaGetDeviceProperties(&is, device);
  cudaRuntimeGetVersion(&runtime);
  cudaDriverGetVersion(&driver);
  printf("%s, compute capability %d.%d, %d multiprocessors, %.1f GB, L2 cache %.0f MB\n", is.name, is.major, is.minor,
         is.multiProcessorCount, double(is.totalGlobalMem) / 1e9, double(is.l2CacheSize) / 1048576);
  printf("CUDA runtime %d.%d, driver for %d.%d\n", runtime / 1000, runtime % 1000 / 10, driver / 1000, driver % 1000 / 10);
}
EOF
"$nvcc" -Wno-deprecated-gpu-targets -o "$work/device" "$work/device.cu" >"$work/device.log" 2>&1 ||
  { cat "$work/device.log" >&2 && cannot "$nvcc does not work"; }
"$work/device" >"$work/machine" || cannot "nothing was built or measured"

mkdir -p "$results" || cannot "cannot make the folder $results"
results=$(cd "$results" && pwd)
# What an earlier run left is not this one's.
rm -f "$results"/{summary,machine,resources,table,log}.txt "$results"/gpu_codec.csv
{
  cat "$work/machine"
  command -v nvidia-smi >/dev/null && nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.mem,clocks.max.sm,clocks.max.mem,power.limit,ecc.mode.current,mig.mode.current \
    --format=csv || echo "no nvidia-smi"
  "$nvcc" --version | tail -n 2
  c++ --version | head -n 1
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
  local generator=()
  command -v ninja >/dev/null && generator=(-G Ninja)
  # Line numbers are for compute-sanitizer, and change no code.
  check configure 90 0 cmake --fresh "${generator[@]}" -S "$root" -B "$build" -DCMAKE_BUILD_TYPE=Release -DGHZ_CUDA=ON \
    -DCMAKE_CUDA_COMPILER="$nvcc" -DCMAKE_CUDA_FLAGS=-lineinfo -DGHZ_MPI=OFF -DGHZ_TOOLS=OFF
  [ "$status" = 0 ]
}

build_target() { # part kept target
  check "$1" $((minutes * 30)) "$2" cmake --build "$build" -j "$(nproc)" --target "$3"
  [ "$status" = 0 ]
}

# What the kernels take of a multiprocessor: by the compiler alone, beside the checks.
start_resources() {
  timeout 300 "$root/tests/cuda/resources.sh" "$nvcc" "$root"/ghz/cuda/kernels/{compress,decompress,combine,move_sum}.cu >"$results/resources.txt" 2>&1 &
  resources=$!
  resources_began=$SECONDS
}

end_resources() {
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
  run_for "$tool" 75 "$kept" "$sanitizer" --tool "$tool" "${options[@]}" --error-exitcode 9 "$build/tests/cuda/ghz_device_check" --quick
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
  local seconds=$((ends - SECONDS))
  check bench "$seconds" 0 "$build/bench/codec" --device cuda --bounds 1e-3,1e-4 --fields "$build/fields" \
    --csv "$results/gpu_codec.csv" "$@"
  cp "$work/output" "$results/table.txt"
  [ "$status" != 0 ] || cat "$work/output"
}

: >"$results/summary.txt"
kept=0 # seconds for the bench
[ -n "$bench" ] && kept=$((minutes * 20))
configure || { summary && exit 1; }
if [ -n "$checks" ] && build_target "build checks" $kept ghz_device_check; then
  start_resources
  check device $((minutes * 15)) $kept "$build/tests/cuda/ghz_device_check"
  for tool in memcheck racecheck synccheck initcheck; do
    sanitize $tool
  done
  end_resources
fi
if [ -n "$bench" ] && build_target "build bench" 0 bench_codec && build_target "build fields" 0 ghz_fields; then
  make_fields
  measure "$@"
fi
summary
[ -z "$failed" ]
