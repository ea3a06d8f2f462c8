# scale.gp: draws the CSV of run.sh: gain of the best compressed allreduce over the best uncompressed one, by ranks.
# gnuplot -c scale.gp CSV PNG TITLE
csv = ARG1
png = ARG2

# The distinct values of a column of the model, in order.
values(column) = system(sprintf("awk -F, '$1 == \"model\" && !seen[$%d]++ { print $%d }' '%s' | sort -g | tr '\\n' ' '", \
                                column, column, csv))
rates = values(3)
threads = values(6)
sizes = "67108864 1073741824"
size_names = "\"64 MiB\" \"1 GiB\""

# Where there is none: a point outside the picture.
best(source, rate, size, n) = sprintf("< awk -F, '$1 == \"%s\" && $3 == %s && $5 == %s && $6 == %s && \
$8 == \"homomorphic\" && $11 > best[$2] { best[$2] = $11 } \
END { for (r in best) print r, best[r]; print 1, -1 }' '%s' | sort -n", source, rate, size, n, csv)

set terminal pngcairo noenhanced size 1900,760 font "sans,13" background "white"
set output png
set logscale x 2
set grid ytics lc rgb "#d8d8d8" lw 1
set border 3 lc rgb "#606060"
set tics nomirror
set xlabel "ranks"
set xrange [4:4096]
set yrange [0:*]
set key at screen 0.5,0.87 center center vertical maxrows 3 samplen 2 font "sans,12"
array colour[4] = ["#08306b", "#2171b5", "#6baed6", "#9ecae1"]

set multiplot layout 1,words(rates) margins 0.045,0.98,0.11,0.74 spacing 0.045,0 title ARG3 font "sans,15"
do for [rate in rates] {
  first = rate eq word(rates, 1)
  if (!first) { unset key }
  set title rate . " Gbit/s" font "sans,14" offset 0,-0.3
  set ylabel first ? "times as fast as the best without compression" : "" offset 1
  plot for [s=1:2] for [t=1:words(threads)] best("model", rate, word(sizes, s), word(threads, t)) \
         using 1:2 with lines lw 2.5 dt s lc rgb colour[t] \
         title sprintf("%s, %s thread%s per rank", word(size_names, s), word(threads, t), \
                       word(threads, t) eq "1" ? "" : "s"), \
       for [t=1:words(threads)] best("smpi", rate, word(sizes, 1), word(threads, t)) \
         using 1:2 with points pt 7 ps 1.5 lc rgb "#e6550d" \
         title (t == 1 ? "64 MiB, simulated with the real code" : ""), \
       1 with lines lw 1 lc rgb "#606060" notitle
}
unset multiplot
