# peers.gp: draws docs/images/speed_ratio.png, the speed and ratio of ghz and of other compressors.
# Reads bench/peers.csv. From the top of the repository: gnuplot bench/peers.gp
# SPDX-License-Identifier: BSD-3-Clause
csv = "bench/peers.csv"
bound = "1e-3"

# A column of the row of one field and codec; the other rows give no point. Speeds lie in every third.
of(f, c, k) = strcol(1) eq f && strcol(3) eq bound && strcol(4) eq c ? column(k) : NaN
ratio(f, c) = of(f, c, 5)
speed(f, c, o) = of(f, c, 6 + 3 * o)

# The colours can be told apart by the colour-blind.
array codecs[7] = ["ghz", "ghz with shape", "fZ-light", "PFPL", "zfp", \
  "zfp at the PSNR of ghz with shape", "SZ3"]
array labels[7] = ["ghz, flat", "ghz, with shape", "fZ-light, hZCCL", "PFPL", "zfp", \
  "zfp, ghz's PSNR", "SZ3"]
array adders[3] = ["ghz", "ghz with shape", "fZ-light"] # whose streams hZCCL adds
array colours[7] = ["#56b4e9", "#0050b0", "#e69f00", "#009e73", "#cc6699", "#882255", "#202020"]
array fields[4] = ["wave-late", "density", "turbulence", "climate"]
array titles[4] = ["Acoustic wave, 256³", "Cosmic density, 256³", "Turbulent velocity, 256³", \
  "Climate temperature, 1800 × 3600"]
array names[3] = ["compress", "decompress", "add two compressed arrays"]
array shapes[3] = [7, 7, 13] # discs and a diamond; the disc of decompress gets a white middle
array sizes[3] = [1.25, 1.3, 2]

set datafile separator comma
set encoding utf8
set terminal pngcairo size 1600,1400 background "white" \
  font "sans,11" fontscale 2 pointscale 2 linewidth 2
set output "docs/images/speed_ratio.png"

set logscale xy
set xrange [2:250]
set yrange [0.1:120]
set border 3 lc rgb "#808080"
set tics nomirror scale 0.5,0 textcolor rgb "#303030"
set xtics ("2" 2, "5" 5, "10" 10, "20" 20, "50" 50, "100" 100, "200" 200)
set ytics ("0.1" 0.1, "0.3" 0.3, "1" 1, "3" 3, "10" 10, "30" 30, "100" 100)
set grid lc rgb "#e6e6e6" lw 1 lt 1
unset key

# The area of a panel: columns and rows count from 0.
place(c, r) = sprintf("set lmargin at screen %g; set rmargin at screen %g; \
  set bmargin at screen %g; set tmargin at screen %g", \
  0.07 + 0.49 * c, 0.495 + 0.49 * c, 0.49 - 0.42 * r, 0.825 - 0.42 * r)

set multiplot
set label 1 "Speed against ratio: one thread, error bound 10⁻³ of the range" \
  at screen 0.5,0.972 center font ",14"
array starts[7] = [0.05, 0.16, 0.325, 0.49, 0.575, 0.65, 0.82]
do for [i=1:7] {
  set label 10 + i labels[i] at screen starts[i],0.928 font ",10" textcolor rgb colours[i] \
    point pt 5 ps 1.5 lc rgb colours[i] offset 1.2,-0.25
}
array starts[3] = [0.13, 0.29, 0.47]
do for [i=1:3] {
  set label 20 + i names[i] at screen starts[i],0.89 font ",12" \
    point pt shapes[i] ps sizes[i] lc rgb "#404040" offset 1.2,-0.25
}
set label 29 "up and right is better" at screen 0.985,0.89 right \
  font ",9" textcolor rgb "#606060"
set label 30 "" at screen starts[2],0.89 point pt 7 ps 0.65 lc rgb "white"

do for [p=1:4] {
  eval place((p - 1) % 2, (p - 1) / 2)
  f = fields[p]
  set title titles[p] font ",12" offset 0,-0.6
  set ylabel p % 2 ? "GB/s" : "" offset 1.5
  set xlabel p > 2 ? "compression ratio" : "" offset 0,0.4
  plot csv using (2):(speed(f, "memcpy", 1)):(248):(0) with vectors nohead dt 2 lw 1.5 \
      lc rgb "#707070", \
    csv using (230):(speed(f, "memcpy", 1)):("memcpy") with labels right \
      offset 0,-0.7 font ",9" textcolor rgb "#606060", \
    for [o=1:2] for [i=1:7] \
      csv using (ratio(f, codecs[i])):(speed(f, codecs[i], o)) \
      with points pt shapes[o] ps sizes[o] lc rgb colours[i], \
    for [i=1:7] csv using (ratio(f, codecs[i])):(speed(f, codecs[i], 2)) \
      with points pt 7 ps 0.65 lc rgb "white", \
    for [i=1:3] csv using (of(f, adders[i], 18)):(speed(f, adders[i], 3)) \
      with points pt shapes[3] ps sizes[3] lc rgb colours[i]
  unset for [i=1:30] label i
}
unset multiplot
