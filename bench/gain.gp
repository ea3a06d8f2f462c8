# gain.gp: draws docs/images/gain.svg: what an allreduce of 64 MiB on 64 ranks gains, simulated.
# From the top of the repository, which was built in build/: gnuplot bench/gain.gp
# SPDX-License-Identifier: BSD-3-Clause
rows = system("mktemp")
system("build/bench/simulate/ghz_simulate --ranks 64 --per-node 1,8,64 --sizes 64M \
  --gbits 0.5,1,2,3,5,7,10,14,20,28,40,56,80,110,160,200 >" . rows)
# A node alone has no link: one row, drawn to the right end as well.
of(kind, n) = "< awk '$5 == \"" . kind . "\" && $2 == " . n . " {print $3, $10; if ($2 == 64) print 200, $10}' " . rows
set terminal svg size 800,480 background "white" font "sans,14" linewidth 1.6
set output "docs/images/gain.svg"
set logscale xy
set xrange [0.5:200]
set yrange [0.2:20]
set border 3
set tics nomirror
set key below maxcols 3 Left reverse
set ytics ("0.2" 0.2, "0.5" 0.5, "1" 1, "2" 2, "5" 5, "10" 10, "20" 20)
set grid lc rgb "#e6e6e6" lw 0.7 lt 1
set xlabel "speed of a node's link, Gbit/s"
set ylabel "times as fast as without compression"
colour(kind) = kind eq "shaped" ? "#0050b0" : "#009e73"
array nodes[3] = ["1", "8", "64"]
plot for [kind in "shaped flat"] for [i=1:3] of(kind, nodes[i]) with lines lw 2 dt i lc rgb colour(kind) \
  title kind . ", " . nodes[i] . " a node", 1 notitle lc rgb "#404040"
system("rm " . rows)
