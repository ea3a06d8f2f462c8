#!/usr/bin/env bash
# gain.sh: draws docs/images/gain.svg, what an allreduce of 64 MiB on 64 ranks gains by compression
# against the speed of a node's link, with 1, 8 and 64 ranks a node: simulated (ghz_simulate).
# usage: bench/simulate/gain.sh [BUILD]     from the top of the repository; BUILD is build unless given
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
rows=$(mktemp)
trap 'rm -f "$rows"' EXIT
"${1:-build}/bench/simulate/ghz_simulate" --ranks 64 --per-node 1,8,64 --sizes 64M \
  --gbits 0.5,1,2,3,5,7,10,14,20,28,40,56,80,110,160,200 >"$rows"
lines() { # data colour: one for each number of ranks a node; a node alone has no link
  local ranks style
  for ranks in 1 8 64; do
    case $ranks in 1) style=1 ;; 8) style=2 ;; 64) style=4 ;; esac
    printf '"< awk '\''$5 == \\"%s\\" && $2 == %d { print $3, $(NF - 1); if ($2 == 64) print 200, $(NF - 1) }'\'' %s" ' "$1" $ranks "$rows"
    printf 'with lines lw 2 dt %d lc rgb "%s" title "%s, %d a node", ' $style "$2" "$1" $ranks
  done
}
gnuplot <<END
set terminal svg size 800,480 background "white" font "sans,14" linewidth 1.6
set output "docs/images/gain.svg"
set logscale xy
set xrange [0.5:200]
set yrange [0.2:20]
set xlabel "speed of a node's link, Gbit/s"
set ylabel "times as fast as without compression"
set ytics ("0.2" 0.2, "0.5" 0.5, "1" 1, "2" 2, "5" 5, "10" 10, "20" 20)
set border 3 lc rgb "#808080"
set tics nomirror scale 0.5,0 textcolor rgb "#303030"
set grid lc rgb "#e6e6e6" lw 0.7 lt 1
set key below maxcols 3 Left reverse samplen 3 spacing 1.15
set arrow from 0.5,1 to 200,1 nohead lc rgb "#404040" lw 1 dt 2
plot $(lines shaped '#0050b0') $(lines flat '#009e73') 1 notitle lc rgb "#404040"
END
