# plot.gp: draws the CSV of ghz_mpi_bench. gnuplot -c plot.gp CSV PNG [TITLE]
csv = ARG1
png = ARG2
caption = ARGC > 2 ? ARG3 : ""

# Columns are found by their names; what was preloaded with others (rate, mpi) does not matter.
names = "NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next } "
read(script) = system(sprintf("awk -F, '%s%s' '%s'", names, script, csv))
variants = read("{ v = $c[\"algorithm\"] \"/\" $c[\"mode\"] } !seen[v]++ { printf \"%s \", v }")
head = read("NR == 2 { printf \"%s, %s ranks, %s %s\", $c[\"collective\"], $c[\"ranks\"], $c[\"type\"], $c[\"op\"] }")
what = read("NR == 2 { gsub(/\\\"/, \"\"); printf \"field %s, bound %s\", $NF, $(NF - 1) }")
sizes = read("!seen[$c[\"size\"]]++ { printf \"%.6g \", $c[\"size\"] / 1048576 }")
lowest = read("{ x = $c[\"speedup_plain\"] + 0; if (!n++ || x < y) y = x } END { print y / 1.2 }") + 0
rows(variant) = sprintf("< awk -F, '%s$c[\"algorithm\"] \"/\" $c[\"mode\"] == \"%s\" { print $c[\"size\"] / 1048576, \
$c[\"time_us\"] / 1e3, $c[\"min_us\"] / 1e3, $c[\"max_us\"] / 1e3, $c[\"speedup_plain\"] }' '%s'", names, variant, csv)

# A variant has its colour in every plot.
order = "mpi/- ring/plain tree/plain chain/plain doubling/plain halving/plain ring/homomorphic tree/homomorphic \
chain/homomorphic doubling/homomorphic halving/homomorphic ring/recompress ring/per-hop tree/per-hop auto/auto \
linear/plain linear/homomorphic"
colours = "#000000 #7f7f7f #b0b0b0 #c49c94 #8c564b #d7b5a6 #1f77b4 #17becf #2ca02c #9467bd #98df8a #ff7f0e #ffbb78 \
#e377c2 #d62728 #c49c94 #2ca02c"
place(variant) = sum [i=1:words(order)] (word(order, i) eq variant ? i : 0)
colour(variant) = place(variant) ? word(colours, place(variant)) : "#bcbd22"
label(variant) = variant eq "mpi/-" ? "MPI" : variant eq "auto/auto" ? "automatic" : \
  (slash = strstrt(variant, "/"), variant[1:slash - 1] . ", " . variant[slash + 1:*])

set terminal pngcairo noenhanced size 1700,760 font "sans,13" background "white"
set output png
set logscale xy
set grid lc rgb "#c8c8c8" lw 1
set border 3 lc rgb "#606060"
set tics nomirror
set xlabel "MiB"
set xrange [word(sizes, 1) / 1.3:word(sizes, words(sizes)) * 1.3]
set xtics () scale 0.5
set for [i=1:words(sizes)] xtics add (word(sizes, i) word(sizes, i) + 0)
set autoscale yfix
set pointsize 1.2
set multiplot layout 1,2 margins 0.05,0.82,0.1,0.86 spacing 0.07,0 \
  title head . (strlen(caption) ? ", " . caption : "") . "\n" . what font "sans,15"

set title "time (ms), median and extremes" font "sans,14"
unset key
plot for [i=1:words(variants)] rows(word(variants, i)) using 1:2:3:4 with yerrorlines pt 7 lw 2 \
  lc rgb colour(word(variants, i)) title label(word(variants, i))
set title "times as fast as the best of what does not compress" font "sans,14"
set yrange [lowest:*]
set mytics 10
set ytics add ("0.5" 0.5, "2" 2, "5" 5, "20" 20)
set key at screen 0.83,0.86 left top Left reverse samplen 1.5 font "sans,12"
plot 1 with lines lc rgb "#606060" dt 2 notitle, \
  for [i=1:words(variants)] rows(word(variants, i)) using 1:5 with linespoints pt 7 lw 2 \
  lc rgb colour(word(variants, i)) title label(word(variants, i))
unset multiplot
