# torch.gp: draws docs/images/training_loss.png and training_time.png, of the tables in
# docs/TRAINING.md. From the top of the repository: gnuplot bench/torch.gp
# SPDX-License-Identifier: BSD-3-Clause
losses(kind) = "< awk -F '|' '/^## /{on = /Loss/} on && NF > 7 && $2 ~ /^ " . kind . "/' docs/TRAINING.md"
array kinds[6] = ["none", "fp16", "int8", "PowerSGD", "ghz [0-9.]+ $", "ghz . feedback"]
array colours[6] = ["#202020", "#e69f00", "#009e73", "#cc6699", "#0050b0", "#56b4e9"] # for the colour-blind, too

set datafile separator "|"
set encoding utf8
set border 3 lc rgb "#808080"
set tics nomirror scale 0.5,0 textcolor rgb "#303030"
set grid lc rgb "#e6e6e6"
unset key
set logscale x 2

set terminal pngcairo size 1000,400 background "white" font "sans,11"
set output "docs/images/training_loss.png"
set multiplot layout 1,2
set xrange [0.8:64]
set xlabel "times fewer bytes than float32 (light: ghz with feedback)"
do for [p=1:2] {
  set title p == 1 ? "Transformer on text, AdamW" : "CNN on digits, SGD with momentum"
  set yrange [(p == 1 ? 2.3 : 0.09):(p == 1 ? 2.7 : 0.13)]
  set ylabel p == 1 ? "loss of held-out data" : ""
  plot for [i=1:6] losses(kinds[i]) using 3*p:3*p+1 with points pt 7 ps 1.2 lc rgb colours[i], \
    for [i=1:6] losses(kinds[i]) using 3*p:3*p+1:(i < 6 ? strcol(2) : strcol(2)[6:6]) with labels offset 0,(i == 6 ? -0.8 : 0.8) font ",8" textcolor rgb colours[i]
}
unset multiplot

set output "docs/images/training_time.png"
set terminal pngcairo size 800,450 background "white" font "sans,11"
set logscale x 10
set logscale y
set yrange [20:2000]
set title "A step of 1.1 M weights on four ranks"
set xrange [40:1250]
set xtics ("50 Mbit/s" 50, "200 Mbit/s" 200, "1 Gbit/s" 1000)
set xlabel "each link"
set ylabel "ms"
array names[7] = ["none", "fp16", "int8", "PowerSGD 1", "ghz 0.25", "ghz 0.5", "ghz 1"]
array shades[7] = ["#202020", "#e69f00", "#009e73", "#cc6699", "#0050b0", "#2a80d0", "#56b4e9"]
times(name) = "< awk -F '|' '/^## /{on = /Time/} on && $2 == \" " . name . " \" \
  {print 50, $4; print 200, $5; print 1000, $6}' docs/TRAINING.md"
set datafile separator whitespace
set key outside
plot for [i=1:7] times(names[i]) with linespoints pt 7 lw 2 lc rgb shades[i] title names[i]
