#!/usr/bin/env bash
# run.sh: stacks four snapshots on 4, 2 and 1 ranks with every mode and algorithm, draws the stacks, and checks that
# the homomorphic stack has the same bits in all of these runs.
# usage: bench/stacking/run.sh PROGRAM OUTDIR [OPTIONS OF ghz_stacking]
# MPIRUN is the launcher with its options; mpiexec if unset. `mpirun --oversubscribe --mca mpi_yield_when_idle 1` is right for
# Open MPI where there are more ranks than cores.
set -euo pipefail

die() { echo "run.sh: $*" >&2; exit 1; }
[ $# -ge 2 ] || { sed -n '4,6s/^# //p' "$0" >&2; exit 2; }
program=$1 out=$2
shift 2
[ -x "$program" ] || die "$program: no such program"
mkdir -p "$out"
rm -f "$out"/stack-[0-9]*.csv
read -ra launcher <<<"${MPIRUN:-mpiexec}"

# stack RANKS ALGORITHM OPTIONS...: the figures go to OUT/stack-RANKS-ALGORITHM.csv
stack() {
  local ranks=$1 algorithm=$2
  shift 2
  printf '\n== ranks: %s, algorithm: %s\n' "$ranks" "$algorithm"
  "${launcher[@]}" -n "$ranks" "$program" --total 4 --algorithm "$algorithm" \
    --csv "$out/stack-$ranks-$algorithm.csv" "$@"
}

stack 4 ring "$@" --mode homomorphic,recompress,per-hop --out "$out"
stack 4 doubling "$@" --mode homomorphic
stack 4 halving "$@" --mode homomorphic
stack 2 ring "$@" --mode homomorphic
stack 1 auto "$@" --mode homomorphic

echo
# The hash is the last column.
awk -F, '$1 == "homomorphic" { print $NF, FILENAME }' "$out"/stack-[0-9]*.csv | sort >"$out/hashes.txt"
different=$(cut -d' ' -f1 "$out/hashes.txt" | uniq | wc -l)
[ "$different" = 1 ] || { cat "$out/hashes.txt" >&2; die "the homomorphic stack differs between runs"; }
echo "the homomorphic stack has the same bits in all $(wc -l <"$out/hashes.txt") runs: $(head -c 16 "$out/hashes.txt")"
