# errors.gp: draws docs/images/errors.png, how errors are distributed within the bound.
# Reads bench/bounds/errors.csv. From the top of the repository: gnuplot bench/bounds/errors.gp
# SPDX-License-Identifier: BSD-3-Clause
csv = "bench/bounds/errors.csv"
density(f, l, r) = strcol(1) eq f && strcol(3) eq l && strcol(4) eq r ? column(6) : NaN

# The colours can be told apart by the colour-blind.
array fields[4] = ["wave-late", "climate", "density", "turbulence"]
array titles[4] = ["wave", "climate", "density", "turbulence"]
array colours[4] = ["#0050b0", "#d55e00", "#56b4e9", "#e6a000"]
array bounds[2] = ["0.001", "0.0001"]
array names[2] = ["with shape, --rel 1e-3", "with shape, --rel 1e-4"]

set datafile separator comma
set encoding utf8
set terminal pngcairo size 1600,700 background "white" font "sans,11" fontscale 2 linewidth 2
set output "docs/images/errors.png"
set xrange [-1.05:1.05]
set yrange [0:2.5]
set xtics ("–1" -1, "–½" -0.5, "0" 0, "½" 0.5, "1" 1)
set xlabel "error, in bounds" offset 0,0.3
set ytics 0,0.5,2.5
set border 3 lc rgb "#808080"
set tics nomirror scale 0.5,0 textcolor rgb "#303030"
set grid lc rgb "#e6e6e6" lw 1 lt 1
unset key

set multiplot
set label 1 "How often an error occurs (dashed: spread evenly within the bound)" \
  at screen 0.5,0.95 center font ",13"
array starts[4] = [0.14, 0.36, 0.58, 0.80]
do for [i=1:4] {
  set label 10 + i titles[i] at screen starts[i],0.865 font ",11" textcolor rgb colours[i] \
    point pt 5 ps 1.5 lc rgb colours[i] offset 1.2,-0.1
}
do for [p=1:2] {
  set lmargin at screen 0.07 + 0.49 * (p - 1)
  set rmargin at screen 0.49 + 0.49 * (p - 1)
  set bmargin at screen 0.19
  set tmargin at screen 0.72
  set title names[p] font ",12" offset 0,-0.5
  plot [x=-1:1] 0.5 with lines dt 2 lc rgb "#808080", \
    for [i=1:4] csv using 5:(density(fields[i], "shape", bounds[p])) with histeps lw 1.2 \
      lc rgb colours[i]
  unset for [i=1:20] label i
}
unset multiplot
