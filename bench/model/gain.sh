#!/usr/bin/env bash
# gain.sh: draws docs/images/gain.svg, what an allreduce gains by compression against the speed of
# the link: by the model (bench/model) on four ranks with 64 MiB each, beside what was measured on
# the emulated cluster (docs/PERFORMANCE.md).
# usage: bench/model/gain.sh [BUILD]     from the top of the repository; BUILD is build unless given
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
model=${1:-build}/bench/model/ghz_cost_model
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# curve NAME OPTION...: Gbit/s and gain
curve() {
  local rate
  awk 'BEGIN { for (k = -10; k <= 30; k++) printf "%.4g\n", 10 ^ (k / 10) }' | while read -r rate; do
    "$model" --ranks 4 --sizes 64M --gbits "$rate" "${@:2}" | awk 'NR > 2 { print $3, $9 }'
  done >"$work/$1"
}
# The model's own speeds are those of AVX-512; these are the wave's at 1e-4 in bench/speeds.csv, and
# the same for a sum of many terms.
avx2=$(awk -F, '$1 == "wave-middle+wave-late" && $3 == 1e-4 && $5 == "ghz" && $6 == "avx2" { v[$8] = $10 }
  END { printf "--compress %s --decompress %s,%s --add %s,%s", v["compress"], v["decompress"], v["decompress"], v["add"], v["add"] }' \
  bench/speeds.csv)
curve wave --threads 1
# shellcheck disable=SC2086 # a list of words
curve wave_avx2 --threads 1 $avx2
curve wave_16 --threads 16
curve turbulence --threads 1 --ratio 3.23,3.0
printf '%s\n' '0.2 8.2' '1 7.7' >"$work/measured_wave"
printf '%s\n' '0.2 3.0' '1 3.0' >"$work/measured_turbulence"

gnuplot <<END
set encoding utf8
set terminal svg size 800,480 background "white" font "sans,14" linewidth 1.6
set output "docs/images/gain.svg"
set logscale xy
set xrange [0.1:1000]
set yrange [0.3:14]
set xlabel "speed of a rank's link, Gbit/s"
set ylabel "times as fast as without compression"
set ytics ("0.5" 0.5, "1" 1, "2" 2, "3" 3, "5" 5, "10" 10)
set xtics ("0.1" 0.1, "1" 1, "10" 10, "100" 100, "1000" 1000)
set border 3 lc rgb "#808080"
set tics nomirror scale 0.5,0 textcolor rgb "#303030"
set grid lc rgb "#e6e6e6" lw 0.7 lt 1
set key below maxcols 2 Left reverse samplen 2 spacing 1.15
set arrow from 0.1,1 to 1000,1 nohead lc rgb "#404040" lw 1 dt 2
plot "$work/wave_16" with lines lw 2 lc rgb "#56b4e9" title "wave, 16 threads of AVX-512", \\
  "$work/wave" with lines lw 2 lc rgb "#0050b0" title "wave, one thread of AVX-512", \\
  "$work/wave_avx2" with lines lw 2 lc rgb "#009e73" title "wave, one thread of AVX2", \\
  "$work/turbulence" with lines lw 2 lc rgb "#e69f00" title "turbulence, one thread of AVX-512", \\
  "$work/measured_wave" with points pt 7 ps 0.8 lc rgb "#0050b0" title "measured, wave", \\
  "$work/measured_turbulence" with points pt 7 ps 0.8 lc rgb "#e69f00" title "measured, turbulence"
END
