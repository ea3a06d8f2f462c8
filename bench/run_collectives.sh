#!/usr/bin/env bash
# run_collectives.sh: measures all collectives on emulated clusters.
# usage: bench/run_collectives.sh [OPTIONS]
#   --build DIR       where it is built; build-bench-openmpi unless given
#   --out DIR         figures; DIR/collectives in the build folder unless given
#   --rates LIST      of the links, separated by commas (none,1gbit,200mbit)
#   --ranks N         4 unless given
#   --size SIZE       the largest (64M)
#   --rounds N        that count, of each variant (5)
#   --only PATTERN    cases whose name matches, e.g. 'allreduce-*'; --list prints the names
#   --quick           the largest size alone, 3 rounds, allreduce, bcast and scatter
# The fields are made once and kept in the build folder.
# exit status: 0; 1 if a result was wrong or a run failed; 2: wrong arguments; 77: this machine
# cannot emulate a cluster
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(dirname "$here")
build='' out='' rates=none,1gbit,200mbit ranks=4 size=64M rounds=5 only='*' quick=0

die() { # status message
  printf 'run_collectives.sh: %s\n' "$2" >&2
  exit "$1"
}

# --- what is measured -----------------------------------------------------------------------------

# name, "tuned" or "-", collective, options
cases() {
  local sweep="--min 1M --max $size --factor 4" half field planes
  half=$((${size%M} < 16 ? ${size%M} : 16))M
  [ $quick = 0 ] || sweep="--min $size --max $size"
  for field in wave turbulence; do
    echo "allreduce-$field - allreduce --field $field $sweep"
    echo "allreduce-$field-tuned tuned allreduce --field $field --min $size --max $size --algorithm auto"
  done
  for collective in bcast scatter; do
    echo "$collective-wave - $collective --field wave $sweep"
    echo "$collective-wave-tuned tuned $collective --field wave --min $size --max $size --algorithm auto"
  done
  planes=$((4 * ${size%M})) # of 256 x 256 values: the wave has 256 of them
  if [ $planes -ge 8 ] && [ $planes -le 256 ]; then
    for collective in allreduce bcast; do
      echo "$collective-wave-3d - $collective --field wave --extents ${planes}x256x256"
      echo "$collective-wave-3d-tuned tuned $collective --field wave --extents ${planes}x256x256 --algorithm auto"
    done
  fi
  [ $quick = 0 ] || return 0
  for field in density climate gradient random zero; do
    echo "allreduce-$field - allreduce --field $field --min $half --max $half --algorithm ring,auto"
  done
  for collective in reduce reduce_scatter allgather gather; do
    echo "$collective-wave - $collective --field wave --min $half --max $half"
  done
  echo "allreduce-double - allreduce --field wave --type double --min $half --max $half"
}

parse() {
  while [ $# -gt 0 ]; do
    case $1 in
    --build | --out | --rates | --ranks | --size | --rounds | --only)
      [ $# -ge 2 ] || die 2 "$1 needs a value"
      printf -v "${1#--}" %s "$2" && shift 2 ;;
    --quick) quick=1 rounds=3 && shift ;;
    --list) cases | cut -d' ' -f1 && exit ;;
    -h | --help) sed -n '/SPDX/d; 2,/^set/s/^# \{0,1\}//p' "$0" && exit ;;
    *) die 2 "no option $1; --help lists them" ;;
    esac
  done
  [[ $size =~ ^[1-9][0-9]{0,3}M$ ]] || die 2 "--size is in MiB, such as 64M, not '$size'"
  [[ $ranks =~ ^[1-9][0-9]?$ && $rounds =~ ^[1-9][0-9]{0,3}$ ]] || die 2 "--ranks and --rounds are whole numbers"
  build=${build:-$root/build-bench-openmpi}
  out=${out:-$build/collectives}
}

build_programs() {
  local log=$build.log
  { cmake -S "$root" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=OFF -DGHZ_CUDA=OFF -DGHZ_MPI=ON \
    -DMPI_C_COMPILER=mpicc.openmpi && ninja -C "$build" ghz_mpi_bench; } >"$log" 2>&1 ||
    { cat "$log" >&2 && die 1 "the build failed"; }
  rm -f "$log"
}

# --- measuring ------------------------------------------------------------------------------------

failures=0
outputs=()

# Returns the status of the cluster.
run_case() { # rate name tuned collective options...
  local rate=$1 name=$2 tuned=$3 program=$build/bench/collectives/ghz_mpi_bench status=0 options=() cluster=()
  local text=$out/$rate-$name.txt
  shift 3
  options=("$@" --iterations "$rounds" --warm-up 1 --learn 40 --bound rel:1e-4 --wire eth0 --cache "$build/fields")
  cluster=("$ranks" "$rate")
  [ "$tuned" = - ] || cluster+=(--tuned)
  [ "$first" = 1 ] || cluster+=(--quick)
  echo "== $rate, $name: ghz_mpi_bench ${options[*]}" | tee "$text"
  "$here/cluster.sh" "${cluster[@]}" -- "$program" "${options[@]}" </dev/null 2>&1 | tee -a "$text" || status=$?
  [ $status != 77 ] && [ $status != 3 ] || return $status
  [ $status = 0 ] || { failures=$((failures + 1)) && echo "== FAILED with status $status: $rate, $name"; }
  outputs+=("$text")
}

measure_rate() { # rate
  local name tuned rest status=0 first=1
  while read -r name tuned rest <&3; do
    # shellcheck disable=SC2053 # it is a pattern
    [[ $name == $only ]] || continue
    # shellcheck disable=SC2086 # a list of options
    run_case "$1" "$name" "$tuned" $rest || status=$?
    [ $status = 0 ] || break
    first=0
  done 3< <(cases)
  [ $status != 3 ] || echo "== $1 is left out: this machine cannot carry it"
  [ $status != 77 ] || die 77 "no emulated cluster here, see above"
}

parse "$@"
build_programs
mkdir -p "$out"
started=$SECONDS
IFS=, read -ra rate_list <<<"$rates"
for rate in "${rate_list[@]}"; do
  measure_rate "$rate"
done
[ ${#outputs[@]} -gt 0 ] || die 1 "nothing was measured"
awk -f "$here/collectives/summary.awk" "${outputs[@]}" | tee "$out/summary.txt"
echo "figures: $out, in $((SECONDS - started)) s, load $(cut -d' ' -f1-3 /proc/loadavg)"
[ $failures = 0 ] || die 1 "$failures runs failed, or had wrong results"
