# bounds.gp: draws docs/images/bounds.png, what a bound gives: ratio, bits, PSNR and speed.
# Reads bench/bounds/bounds.csv. From the top of the repository: gnuplot bench/bounds/bounds.gp
# SPDX-License-Identifier: BSD-3-Clause
csv = "bench/bounds/bounds.csv"

# A column of the rows of one field, told its shape; the gradient has none.
layout(f) = f eq "gradient" ? "flat" : "shape"
of(f, k) = strcol(1) eq f && strcol(3) eq layout(f) ? column(k) : NaN

# The colours can be told apart by the colour-blind.
array fields[7] = ["wave-late", "climate", "ostia", "marmousi", "density", "turbulence", "gradient"]
array titles[7] = ["wave, 3-D", "climate, 2-D", "sea temperature, 3-D", "velocity model, 2-D", \
  "density, 3-D", "turbulence, 3-D", "gradients, flat"]
array colours[7] = ["#0050b0", "#d55e00", "#009e73", "#cc6699", "#56b4e9", "#e6a000", "#202020"]
array marks[7] = [7, 5, 9, 11, 13, 15, 4]

set datafile separator comma
set encoding utf8
set terminal pngcairo size 1600,1480 background "white" \
  font "sans,11" fontscale 2 pointscale 1.6 linewidth 2
set output "docs/images/bounds.png"

set logscale x
set xrange [1.6e-1:6e-8]
set xtics ("10⁻¹" 1e-1, "10⁻²" 1e-2, "10⁻³" 1e-3, "10⁻⁴" 1e-4, \
  "10⁻⁵" 1e-5, "10⁻⁶" 1e-6, "10⁻⁷" 1e-7)
set border 3 lc rgb "#808080"
set tics nomirror scale 0.5,0 textcolor rgb "#303030"
set grid lc rgb "#e6e6e6" lw 1 lt 1
unset key

# The area of a panel: columns and rows count from 0.
place(c, r) = sprintf("set lmargin at screen %g; set rmargin at screen %g; \
  set bmargin at screen %g; set tmargin at screen %g", \
  0.075 + 0.495 * c, 0.49 + 0.495 * c, 0.5 - 0.43 * r, 0.83 - 0.43 * r)

set multiplot
set label 1 "What a bound gives: one thread, fields told their shape" \
  at screen 0.5,0.972 center font ",14"
array starts[7] = [0.035, 0.235, 0.45, 0.74, 0.035, 0.235, 0.45]
do for [i=1:7] {
  set label 10 + i titles[i] at screen starts[i],(i < 5 ? 0.933 : 0.9) font ",11" \
    textcolor rgb colours[i] point pt marks[i] ps 1.5 lc rgb colours[i] offset 1.2,-0.1
}

eval place(0, 0)
set title "Ratio" font ",12" offset 0,-0.6
set logscale y
set yrange [1:2000]
set ytics ("1" 1, "3" 3, "10" 10, "30" 30, "100" 100, "300" 300, "1000" 1000)
plot for [i=1:7] csv using 4:(of(fields[i], 6)) with linespoints pt marks[i] lc rgb colours[i]
unset for [i=1:20] label i

eval place(1, 0)
set title "Bits per value"
unset logscale y
set yrange [0:22]
set ytics 0,4,20
set label 1 "3.3 bits a decade" at 2.2e-5,16.8 right font ",10" textcolor rgb "#606060"
decade(x) = x < 3e-3 && x > 9e-7 ? 7.5 + 3.3219 * (-2.5 - log10(x)) : NaN
plot decade(x) with lines dt 2 lc rgb "#808080", \
  for [i=1:7] csv using 4:(of(fields[i], 7)) with linespoints pt marks[i] lc rgb colours[i]
unset label 1

eval place(0, 1)
set title "PSNR, dB"
set xlabel "bound, of the range (--rel)" offset 0,0.3
set yrange [0:170]
set ytics 0,40,160
set label 1 "least: 20 log₁₀(1 / rel)" at 2.5e-4,45 left font ",10" textcolor rgb "#606060"
plot -20 * log10(x) with lines dt 2 lc rgb "#808080", \
  for [i=1:7] csv using 4:(of(fields[i], 8)) with linespoints pt marks[i] lc rgb colours[i]
unset label 1

eval place(1, 1)
set title "Compression, GB/s (dotted: flat)"
set logscale y
set yrange [0.8:40]
set ytics ("0.3" 0.3, "1" 1, "3" 3, "10" 10)
flat(f, k) = strcol(1) eq f && strcol(3) eq "flat" ? column(k) : NaN
plot for [i=1:7] csv using 4:(of(fields[i], 9)) with linespoints pt marks[i] lc rgb colours[i], \
  for [i=1:6] csv using 4:(flat(fields[i], 9)) with linespoints pt marks[i] ps 0.8 \
    dt 3 lc rgb colours[i]
unset multiplot
