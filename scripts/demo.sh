#!/usr/bin/env bash
# demo.sh: shows in a minute or two what libghz gains. Installs what is missing, builds a release in
# build-demo, makes two snapshots of a sound wave in the earth, compresses them, adds them without
# decompressing, and compares the sum with the exact one. Then four MPI ranks sum four snapshots,
# with and without compression: in the memory of this machine, and over an emulated network of 1
# Gbit/s, if the machine allows one.
# usage: scripts/demo.sh [--verbose] [SIZE]
#   --verbose  prints the full tables of the measurements as well
#   SIZE       edge of the snapshots, 192 unless given
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
exec </dev/null
export OMP_WAIT_POLICY=passive # threads that wait do not spin

root=$(cd "$(dirname "$0")/.." && pwd)
build=$root/build-demo
out=$build/demo
relative=1e-4 # the bound of a snapshot, as a part of the range of both
ranks=4 repeat=7

verbose=0
[ "${1:-}" != --verbose ] || { verbose=1 && shift; }
size=${1:-192}
[[ $# -le 1 && $size =~ ^[1-9][0-9]{1,3}$ ]] || { sed -n '2,9s/^# \{0,1\}//p' "$0" && exit 2; }

# shellcheck source=scripts/packages.sh
. "$root/scripts/packages.sh"

bold='' plain=''
[ ! -t 1 ] || { bold=$(printf '\033[1m') plain=$(printf '\033[0m'); }
say() { printf '\n%s%s%s\n' "$bold" "$*" "$plain"; }
die() { echo "demo.sh: $*" >&2; exit 1; }
table() { [ $verbose = 0 ] || sed 's/^/     /' "$1"; } # file
calculate() { awk "BEGIN { printf \"$1\", $2 }"; }     # format expression
bytes() { stat -c %s "$1"; }

ghz() { # argument...: shows the command, and runs it
  echo "   \$ ghz $*"
  "$build/cli/ghz" "$@" 2>&1 | sed 's/^/     /'
}

build_release() {
  local log=$root/build-demo.log
  {
    cmake --fresh -G Ninja -S "$root" -B "$build" -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=OFF -DGHZ_BENCH=ON \
      -DGHZ_CUDA=OFF "${mpi[@]}" &&
      cmake --build "$build" --target ghz_cli ghz_fields bench_codec &&
      { [ ${#mpi[@]} = 0 ] || cmake --build "$build" --target example_stacking; } &&
      "${CC:-cc}" -O2 -o "$build/exact_sum" "$root/scripts/exact_sum.c"
  } >"$log" 2>&1 || { cat "$log" >&2; die "the build failed"; }
  mv "$log" "$build/build.log"
}

stack() { # name launcher...: NAME.txt holds what the example printed, the folder NAME its results
  mkdir -p "$1"
  "${@:2}" "$build/examples/stacking" $repeat $relative "$1" wave-middle.f32 wave-late.f32 >"$1.txt" 2>"$1.err"
}
milliseconds() { # name way: fails if the table has no such row
  awk -v way="$2" 'index($0, way) == 1 { sub(way, ""); print $1; found = 1 } END { exit !found }' "$1.txt"
}
times() { # title name: a line of the table
  local ours native
  ours=$(milliseconds "$2" "ring, compressed")
  native=$(milliseconds "$2" MPI_Allreduce)
  printf '   %-24s %8.0f ms %10.0f ms (%.1f x)\n' "$1" "$ours" "$native" "$(calculate %.2f "$native / $ours")"
}

# shellcheck disable=SC2086 # a list of words
need_packages $build_packages
started=$SECONDS
mpi=()
! command -v mpicc.openmpi mpiexec.openmpi >/dev/null || mpi=(-DGHZ_MPI=ON -DMPI_C_COMPILER=mpicc.openmpi)

say "1. Building a release in build-demo"
build_release
rm -rf "$out"
mkdir -p "$out"
cd "$out"

say "2. Making two snapshots of a sound wave in the earth: $size x $size x $size float32, $(calculate %.3g "$size ^ 3 * 4 / 1e6") MB each"
"$build/data/ghz-fields" --quiet --size "$size" --only wave-middle,wave-late . >manifest.txt
table manifest.txt
abs=$(awk -v r=$relative '!/^#/ { lo = lo < $3 ? lo : $3; hi = hi > $4 ? hi : $4; n++ }
  END { if (n != 2) exit 1; printf "%.4g", r * (hi - lo) }' manifest.txt) || die "manifest.txt does not list two fields"
bound=$(calculate %.17g "2 * $abs")
cube=${size}x${size}x${size}

say "3. Compressing them: no value may change by more than $abs, which is $relative of their range"
ghz compress --abs "$abs" --dims "$cube" wave-middle.f32 -o middle.ghz
ghz compress --abs "$abs" --dims "$cube" wave-late.f32 -o late.ghz

say "4. Adding the compressed files, without decompressing them"
ghz add middle.ghz late.ghz -o sum.ghz

say "5. Comparing the sum with that of the originals, in exact.f64. It has two terms, so twice the bound"
"$build/exact_sum" wave-middle.f32 wave-late.f32 exact.f64
ghz compare exact.f64 sum.ghz --png sum.png | tee sum.txt

say "6. Measuring the codec in memory, one thread"
"$build/bench/codec" --threads 1 --runs 5 --bounds $relative --csv codec.csv \
  "wave-middle.f32:$cube+wave-late.f32:$cube" >codec.txt
rate() { # operation: of the first row with a shape, so of the fastest instruction set
  awk -F , -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } $2 ~ /x/ { printf "%.1f", $at[name]; exit }' codec.csv
}
table codec.txt
echo "     GB/s: compress $(rate compress), decompress $(rate decompress), add $(rate add)"

network=none
if [ ${#mpi[@]} != 0 ]; then
  say "7. Summing four snapshots over $ranks MPI ranks, $repeat times each way: in memory, then over links of 1 Gbit/s"
  export GHZ_MPI_EXTENTS=$cube OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_mpi_yield_when_idle=1
  stack memory mpiexec.openmpi --oversubscribe -n $ranks || { cat memory.txt memory.err >&2; die "the allreduce failed"; }
  table memory.txt
  if stack links "$root/bench/cluster.sh" --quick $ranks 1gbit --; then
    network=links
    table links.txt
  else
    why=$(tail -n 1 links.err)
  fi
  "$build/cli/ghz" compare --abs "$(sed -n 's/^largest error.* bound \(.*\);.*/\1/p' memory.txt)" \
    memory/exact.f64 memory/stack.f32 --png stack.png --dims "$cube" >stack.txt
fi

row() { printf '   %-34s %s\n' "$@"; }
size_row() { row "$1" "$(calculate %.3g "$(bytes "$2") / 1e6") MB instead of $(calculate %.3g "$raw / 1e6") MB ($(calculate %.1f "$raw / $(bytes "$2")") : 1)"; }
raw=$(bytes wave-late.f32)
if [ $network = none ]; then
  say "What was gained: $(calculate %.1f "$raw / $(bytes late.ghz)") times less to store and to send; a sum without decompressing"
else
  ours=$(milliseconds links "ring, compressed")
  native=$(milliseconds links MPI_Allreduce)
  say "What was gained: a sum over $ranks ranks and links of 1 Gbit/s took $(calculate %.0f "$ours") ms instead of $(calculate %.0f "$native") ms: $(calculate %.1f "$native / $ours") times faster"
fi
if [ ${#mpi[@]} != 0 ]; then
  echo
  printf '   %-24s %11s %20s\n' "sum of $(calculate %.3g "$raw / 1e6") MB a rank" compressed MPI_Allreduce
  [ $network = none ] || times "links of 1 Gbit/s" links
  times "in memory, no network" memory
  [ $network = links ] || echo "   Nothing was measured over links of 1 Gbit/s: $why"
  [ $network = none ] || sed -n 's/^# WARNING: \(.*\)/   Warning: \1/p' links.txt
fi
echo
size_row "middle snapshot" middle.ghz
size_row "late snapshot" late.ghz
size_row "their sum, never decompressed" sum.ghz
row "largest error of the sum" "$(awk '/error \/ bound/ { printf "%.3f", $4 }' sum.txt) of its bound, $(calculate %.4g "$bound")"
row "codec, one thread, in memory" "compress $(rate compress), decompress $(rate decompress), add $(rate add) GB/s (memcpy: $(rate memcpy))"
row "pictures, in build-demo/demo" "sum.png: the sum and its error$([ ${#mpi[@]} = 0 ] || echo "; stack.png: that of the $ranks ranks")"
echo
echo "   Times and speeds are medians. The speeds that the commands above print are lower: they include reading and writing files."

say "Next, on a file of your own"
cat <<END
   export PATH=$build/cli:\$PATH
   ghz compress --rel 1e-4 --dims NZxNYxNX FILE.f32  # also .f64, and .npy without --dims: makes FILE.f32.ghz
   ghz compare FILE.f32 FILE.f32.ghz --png error.png
   ghz --help
   In C: examples/compress_file.c; in MPI programs: examples/allreduce.c; more commands: README.md

Done in $((SECONDS - started)) s.
END
