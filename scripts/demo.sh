#!/usr/bin/env bash
# demo.sh: installs what is missing, builds a release, makes two snapshots of a sound wave in the earth, compresses
# both, adds them without decompressing, and holds the sum against the exact one; then stacks four snapshots on four MPI
# ranks, by an allreduce, compressed against plain: in this machine's memory, and over an emulated network if it allows that.
# usage: scripts/demo.sh [SIZE]     SIZE: edge of the snapshots, 192 unless given
set -euo pipefail
exec </dev/null
export OMP_WAIT_POLICY=passive # waiting threads do not spin

root=$(cd "$(dirname "$0")/.." && pwd)
size=${1:-192}
[[ $size =~ ^[1-9][0-9]{1,3}$ ]] || { sed -n '2,6s/^# \{0,1\}//p' "$0" && exit 2; }
relative=1e-4 # the bound of a snapshot, as a part of the range of both
build=$root/build-demo
out=$build/demo

# shellcheck source=scripts/packages.sh
. "$root/scripts/packages.sh"

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
[ -t 1 ] || say() { printf '\n%s\n' "$*"; }
die() { echo "demo.sh: $*" >&2; exit 1; }
bytes() { stat -c %s "$1"; }
calculate() { awk "BEGIN { printf \"$1\", $2 }"; } # format expression

build_release() {
  local log=$root/build-demo.log
  {
    cmake --fresh -G Ninja -S "$root" -B "$build" -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=OFF -DGHZ_CUDA=OFF "${mpi[@]}" &&
      cmake --build "$build" --target ghz_cli ghz_fields &&
      { [ ${#mpi[@]} = 0 ] || cmake --build "$build" --target ghz_stacking; } &&
      "${CC:-cc}" -O2 -o "$build/exact_sum" "$root/scripts/exact_sum.c"
  } >"$log" 2>&1 || { cat "$log" >&2; die "the build failed"; }
  mv "$log" "$build/build.log"
  test -x "$ghz" -a -x "$fields" || die "the build made no $ghz or no $fields"
}

ghz=$build/cli/ghz
fields=$build/data/ghz-fields
cube=${size}x${size}x${size}

# shellcheck disable=SC2086 # a list of words
need_packages $build_packages
started=$SECONDS
mpi=() # without Open MPI there is no step 7
! command -v mpicc.openmpi mpiexec.openmpi >/dev/null || mpi=(-DGHZ_MPI=ON -DMPI_C_COMPILER=mpicc.openmpi)

say "1. Building a release in build-demo"
build_release
rm -rf "$out"
mkdir -p "$out"
cd "$out"

say "2. Making two snapshots of a wave, $cube float32 each"
"$fields" --size "$size" --only wave-middle,wave-late . >manifest.txt
cat manifest.txt
abs=$(awk -v r=$relative '!/^#/ { lo = lo < $3 ? lo : $3; hi = hi > $4 ? hi : $4; n++ }
  END { if (n != 2) exit 1; printf "%.4g", r * (hi - lo) }' manifest.txt) || die "manifest.txt does not list two fields"
bound=$(calculate %.17g "2 * $abs")

say "3. Compressing each: no value may change by more than $abs ($relative of the range)"
"$ghz" compress --abs "$abs" wave-middle.f32 -o middle.ghz
"$ghz" compress --abs "$abs" wave-late.f32 -o late.ghz

say "4. Adding the compressed files, and decompressing the sum"
"$ghz" add middle.ghz late.ghz -o sum.ghz
"$ghz" decompress sum.ghz -o sum.f32

say "5. Comparing it with the exact sum of the originals: the bound of two terms is twice $abs"
"$build/exact_sum" wave-middle.f32 wave-late.f32 exact.f64
"$ghz" compare --abs "$bound" exact.f64 sum.f32 --png demo.png --dims "$cube" | tee compare.txt
"$ghz" compare exact.f64 sum.ghz >/dev/null # against the bound that sum.ghz itself promises

say "6. Speeds in memory, in GB of float32 per second"
"$ghz" bench --abs "$abs" wave-late.f32 | tee bench.txt
echo "GB of original float32 of one operand per second; the addition never touches the floats"

stack() { # log: four ranks; the words before the program come from $launch
  "${launch[@]}" "$build/bench/stacking/ghz_stacking" --total 4 --repeat 7 --bound "rel:$relative" --algorithm ring --out . \
    wave-middle.f32 wave-late.f32 >"$1" 2>"$1.err"
}
speedup() { # of the best times: MPI's own choice, and our ring without compression
  awk '!($1 in best) { best[$1] = $4 } END { h = best["homomorphic"]; if (!h) exit 1
    printf "%.1f and %.1f", best["MPI_Allreduce"] / h, best["plain"] / h }' "$1"
}

over_mpi=none over_links=none
if [ ${#mpi[@]} != 0 ]; then
  say "7. Stacking four snapshots on four MPI ranks: an allreduce, compressed against plain"
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_mpi_yield_when_idle=1
  launch=(mpiexec.openmpi --oversubscribe -n 4)
  stack memory.txt || { cat memory.txt memory.txt.err >&2; die "the allreduce failed"; }
  sed '/^picture/d' memory.txt
  over_mpi=$(speedup memory.txt)
  launch=("$root/bench/cluster.sh" --quick 4 1gbit --)
  status=0
  stack links.txt || status=$?
  if [ $status = 0 ]; then
    printf '\nThe same over an emulated network, links of 1 Gbit/s:\n\n'
    sed '/^#/d; /^picture/d; /./,$!d' links.txt
    over_links=$(speedup links.txt)
  else
    echo "not over an emulated network: $(tail -n 1 links.txt.err)"
  fi
fi

[ "$(bytes sum.f32)" = "$(bytes wave-late.f32)" ] || die "sum.f32 has another size than wave-late.f32"
[ -s demo.png ] || die "no picture was written"
error=$(awk '/^max error/ { print $3 }' compare.txt)
rate() { awk -v name="$1" '$1 == name { print $3 }' bench.txt; }
raw=$(bytes wave-late.f32)
say "Result"
row() { printf '%-34s %s\n' "$@"; }
size_row() { row "$1" "$raw -> $(bytes "$2") bytes, ratio $(calculate %.1f "$raw / $(bytes "$2")")"; }
size_row wave-middle middle.ghz
size_row wave-late late.ghz
size_row "their sum, never decompressed" sum.ghz
row "GB/s: compress, decompress, add" "$(rate compress), $(rate decompress), $(rate add) (medians)"
row "largest error of the sum" "$error"
row "its bound, two terms" "$(calculate %.6g "$bound") ($(calculate %.3f "$error / $bound") of it used)"
row "allreduce: x MPI, x plain ring" "$over_mpi in memory; $over_links over 1 Gbit/s links (best of 7)"
row "picture: original, result, error" "$out/demo.png"
[ "$over_mpi" = none ] || row "picture: stack, compressed, error" "$out/stack-homomorphic.png"
row "the command" "$ghz"
row "time" "$((SECONDS - started)) s"
