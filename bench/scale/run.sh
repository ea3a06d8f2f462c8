#!/usr/bin/env bash
# run.sh: predicts allreduce on many ranks and fast networks. Everything it prints but the codec's speeds is a MODEL.
# usage: bench/scale/run.sh [OPTIONS] OUTDIR
#   --build DIR       build folder; build-bench unless given
#   --fields DIR      has wave-middle.f32 and wave-late.f32; made if not there
#   --size N          edge of the fields that are made: 256
#   --bound B         of the range: 1e-4
#   --efficiency E    speed-up of the codec / its threads: 1, an upper limit; bench/codec measures it for a machine
#   --simulate LIST   numbers of ranks for the simulation: "4 16 64"; "" for none. Above 64, recursive
#                     doubling of 1 MiB, and up to 256 the ring (minutes), whose messages grow with the square
#   --limit SECONDS   for each simulation: 900
#
# 1. measures the codec on this machine, one thread, for sums of up to 64 terms          -> parameters.txt
# 2. the cost formula (formula.c) for 4 to 4096 ranks, 100 to 400 Gbit/s, 1 MiB to 1 GiB -> scale.csv, break-even.csv
# 3. the real collectives on a simulated machine (SimGrid SMPI), with a codec that takes the measured times
#    and makes messages of the measured sizes but has no values                          -> scale.csv
# 4. formula against simulation                                                           -> check.txt
# 5. a plot                                                                               -> scale.png
#
# Against the emulated cluster: take parameters.txt, a rate that the machine carries, and as many cores per rank as it has:
# for `bench/cluster.sh 4 1gbit` on 2 cores, `ghz_scale_model ranks=4 gbits=0.955 latency=50e-6 threads=1 faster=0.5,0.5,0.5
# bytes=64M OUTDIR/parameters.txt`, and hold its ring against the rows of ghz_allreduce_bench.
set -euo pipefail
PATH=$PATH:/usr/sbin

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
build=$root/build-bench fields='' size=256 bound=1e-4 efficiency=1 simulate="4 16 64" limit=900
latency=2e-6
left_out=()

die() { echo "run.sh: $*" >&2; exit 1; }
usage() { sed -n '3,11s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2; exit 2; }
say() { printf '\n%s\n' "$*"; }

[[ ${1:-} != -h && ${1:-} != --help ]] || { sed -n '2,24s/^# \{0,1\}//p' "$0"; exit 0; }
while [ $# -gt 1 ]; do
  case $1 in
  --build) build=$2 ;;
  --fields) fields=$2 ;;
  --size) size=$2 ;;
  --bound) bound=$2 ;;
  --efficiency) efficiency=$2 ;;
  --simulate) simulate=$2 ;;
  --limit) limit=$2 ;;
  *) usage ;;
  esac
  shift 2
done
[ $# = 1 ] || usage
[[ $1 == ?* && $1 != -* ]] || usage
mkdir -p "$1"
out=$(cd "$1" && pwd)
fields=${fields:-$build/fields-$size}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

build_programs() {
  {
    cmake -S "$root" -B "$build" -DCMAKE_BUILD_TYPE=Release -DGHZ_BENCH=ON &&
      cmake --build "$build" --target ghz_fields ghz_scale_measure ghz_scale_model
  } >"$scratch/log" 2>&1 || { cat "$scratch/log" >&2; die "the build failed"; }
  [ -e "$fields/wave-late.f32" ] && [ -e "$fields/wave-middle.f32" ] && return
  mkdir -p "$fields"
  "$build/data/ghz-fields" --quiet --size "$size" --only wave-middle,wave-late "$fields" >/dev/null
}

# ---- Simulation -------------------------------------------------------------------------------------------

# Without the cargoes and the waiting, for which there are models here.
build_simulation() {
  local sources
  mapfile -t sources < <(find "$root/collectives" -maxdepth 1 -name '*.c' ! -name 'cargo_*.c' ! -name patience.c | sort)
  smpicc -O2 -std=gnu17 -w -include "$here/smpi_fit.h" -I"$root/ghz" -I"$root/collectives" \
    "$here"/{simulate,cargo_model,patience_model,parameters}.c "${sources[@]}" "$build/ghz/libghz.a" \
    -fopenmp -lm -Wl,--wrap=ghz_range -o "$scratch/ghz_scale_simulate" >"$scratch/log" 2>&1 ||
    { tail -20 "$scratch/log" >&2; return 1; }
}

# Full bisection: every rank has a link of its own, both ways at once, and nothing else is ever busy.
write_platform() { # ranks gbits
  cat >"$scratch/platform.xml" <<XML
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="c" prefix="n" suffix="" radical="0-$(($1 - 1))" speed="1Gf" bw="$2Gbps"
           lat="$(awk -v l=$latency 'BEGIN { print l / 2 }')s" sharing_policy="SPLITDUPLEX"/>
</platform>
XML
  seq -f 'n%.0f' 0 $(($1 - 1)) >"$scratch/hosts"
}

# Messages are really copied: an end to memory ends the simulation, and nothing else on this machine.
# Factors of 1: the network is the formula's. Polling costs no time: our code polls where others would compute.
simulate_one() { # ranks gbits threads bytes algorithms modes
  write_platform "$1" "$2"
  local lines=$scratch/lines status=0
  (cd "$scratch" && ulimit -d "$(awk '/^MemAvailable/ { printf "%.0f", 0.7 * $2 }' /proc/meminfo)" &&
    MALLOC_MMAP_THRESHOLD_=4294967296 MALLOC_TRIM_THRESHOLD_=17179869184 timeout "$limit" \
      smpirun -np "$1" -platform platform.xml -hostfile hosts --cfg=smpi/simulate-computation:no \
      --cfg=smpi/allreduce:rdb --cfg=smpi/bw-factor:0:1 --cfg=smpi/lat-factor:0:1 --cfg=network/crosstraffic:no \
      --cfg=smpi/shared-malloc-blocksize:67108864 --cfg=smpi/test:0 --cfg=smpi/wtime:0 --log=root.thresh:critical \
      ./ghz_scale_simulate "$out/parameters.txt" "$2" $latency "$3" "$efficiency" "$4" "$5" "$6" >"$lines" 2>"$scratch/log") ||
    status=$?
  grep '^smpi,' "$lines" | tee -a "$out/scale.csv" || true
  [ $status = 0 ] || left_out+=("simulation of $1 ranks, $2 Gbit/s: $(why $status)")
}

why() {
  if [ "$1" = 124 ]; then
    echo "not finished in $limit s"
  else
    echo "failed: $(tail -1 "$scratch/log" | tr -d '\n')"
  fi
}

simulate_all() {
  local n ways
  if ! command -v smpicc >/dev/null || ! command -v smpirun >/dev/null; then
    left_out+=("simulation: no smpicc and smpirun (Debian: libsimgrid-dev)")
  elif ! build_simulation; then
    left_out+=("simulation: the collectives could not be compiled for SMPI")
  else
    for n in $simulate; do
      if [ "$n" -le 64 ]; then
        ways=("ring,halving,doubling" "plain,homomorphic,recompress")
        [ "$n" -le 16 ] || ways=("ring,halving" "plain,homomorphic")
        simulate_one "$n" 100 1 1048576,67108864 "${ways[@]}"
        simulate_one "$n" 400 16 1048576,67108864 "${ways[@]}"
        continue
      fi
      simulate_one "$n" 100 1 1048576 doubling plain,homomorphic
      simulate_one "$n" 400 16 1048576 doubling plain,homomorphic
      if [ "$n" -le 256 ]; then
        simulate_one "$n" 100 1 67108864 ring plain,homomorphic
      else
        left_out+=("simulation of a ring of $n ranks: it has $((2 * n * n)) messages or more")
      fi
    done
  fi
}

# What simulated times are held against: the formula's best without compression, or a simulated one that is faster.
fill_in() {
  awk -F, -v OFS=, '
    { key = $2 "," $3 "," $5 "," $6 }
    NR == FNR { t = $1 == "model" ? $10 : $8 == "plain" ? $9 : ""
                if (t != "" && (!(key in best) || t + 0 < best[key] + 0)) best[key] = t
                next }
    $1 == "smpi" && key in best { $10 = best[key]; $11 = sprintf("%.4f", best[key] / $9) }
    { print }' "$out/scale.csv" "$out/scale.csv" >"$scratch/filled"
  mv "$scratch/filled" "$out/scale.csv"
}

# ---- Formula against simulation -----------------------------------------------------------------------------

# Exit status 1 if the compressed ring, for which the formula claims to be right, is more than 10 % off. What is sent plain
# waits for messages in ways that it leaves out: there it flatters what compression has to beat.
check() {
  awk -F, '
    { key = $2 "," $3 "," $5 "," $6 "," $7 "," $8 }
    $1 == "model" { model[key] = $9 }
    $1 == "smpi" && key in model {
      x = model[key] / $9
      printf "%5d ranks %4s Gbit/s %10d bytes %2d threads  %-8s %-11s  simulated %.3e s, formula %.3f of it\n",
        $2, $3, $5, $6, $7, $8, $9, x
      kind = $7 " " $8
      if (!(kind in low) || x < low[kind]) low[kind] = x
      if (x > high[kind]) high[kind] = x
      points[kind]++
      if ($7 == "ring" && $8 != "plain" && (x < 0.9 || x > 1.1)) bad++
    }
    END {
      for (kind in low)
        printf "formula / simulation, %-20s %3d points, %.3f to %.3f\n", kind ":", points[kind], low[kind], high[kind] | "sort"
      close("sort")
      exit bad > 0
    }' "$out/scale.csv" >"$out/check.txt"
}

# ---- All ----------------------------------------------------------------------------------------------------

build_programs
say "The codec on this machine ($(nproc) cores, load $(cut -d' ' -f1 /proc/loadavg))"
"$build/bench/scale/ghz_scale_measure" "$bound" 64 1 "$fields/wave-middle.f32" "$fields/wave-late.f32" |
  tee "$out/parameters.txt"

say "Model: where compression stops to gain (full bisection, latency $latency s)"
model=("$build/bench/scale/ghz_scale_model" "latency=$latency" "efficiency=$efficiency")
"${model[@]}" "$out/parameters.txt" >"$out/scale.csv"
"${model[@]}" break-even=1 "$out/parameters.txt" >"$out/break-even.csv"
grep '^#' "$out/break-even.csv"

say "Model: the best way with compression against the best without, 64 MiB and 1 GiB"
awk -F, '$1 == "model" && $8 == "homomorphic" && ($5 == 67108864 || $5 == 1073741824) &&
  ($2 == 16 || $2 == 128 || $2 == 1024 || $2 == 4096) {
    key = sprintf("%5d ranks, %3d Gbit/s, %4d MiB, %2d threads", $2, $3, $5 / 1048576, $6)
    if (!(key in best)) order[n++] = key
    if ($11 > best[key]) { best[key] = $11; how[key] = $7; time[key] = $9 }
  }
  END { for (i = 0; i < n; i++) printf "%s: %8.3f ms, %-8s %.2fx\n", order[i], 1e3 * time[order[i]], how[order[i]] ",", best[order[i]] }' \
  "$out/scale.csv"

say "Simulation of the real collectives"
simulate_all
status=0
if grep -q '^smpi' "$out/scale.csv"; then
  fill_in
  check || { status=1; echo "run.sh: the formula is more than 10 % off for a compressed ring: check.txt" >&2; }
  grep '^formula' "$out/check.txt"
fi

if command -v gnuplot >/dev/null; then
  gnuplot -c "$here/scale.gp" "$out/scale.csv" "$out/scale.png" \
    "MODEL: allreduce of wave fields, bound $bound of the range; codec measured on one core, threads at efficiency $efficiency"
else
  left_out+=("plot: no gnuplot")
fi
say "Not run:"
[ ${#left_out[@]} != 0 ] || left_out=(nothing)
printf '%s\n' "${left_out[@]}"
exit $status
