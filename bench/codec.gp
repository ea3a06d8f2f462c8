# codec.gp: draws the CSV of bench/codec. gnuplot -c codec.gp CSV PNG [ISA [THREADS]]
csv = ARG1
png = ARG2
isa = ARGC > 2 ? ARG3 : system(sprintf("awk -F, '$5 == \"ghz\" { print $6; exit }' '%s'", csv))
threads = ARGC > 3 ? ARG4 : "1"

# The bars of a field stand together, one for each bound.
fields = system(sprintf("awk -F, 'NR > 1 && !seen[$1]++ { printf \"%%s \", $1 }' '%s'", csv))
bounds = system(sprintf("awk -F, 'NR > 1 && !seen[$3]++ { printf \"%%s \", $3 }' '%s'", csv))
exponents = system(sprintf("awk -F, 'NR > 1 && !seen[$3]++ { printf \"%%.0e \", $3 }' '%s'", csv))
pitch = words(bounds) + 1
place = "BEGIN { FS = \",\" } NR == 1 { next } !($1 in f) { f[$1] = nf++ } !($3 in b) { b[$3] = nb++ } "

# x, index of the bound, and one column of the rows of one codec and operation
rows(codec, set, n, operation, column) = sprintf("< awk '%s $5 == \"%s\" && $6 == \"%s\" && $7 == %s && \
$8 == \"%s\" && $%d != \"\" { print f[$1] * %d + b[$3], b[$3], $%d }' '%s'", \
  place, codec, set, n, operation, column, pitch, column, csv)
speed(operation) = rows("ghz", isa, threads, operation, 10)
ratio(codec, operation) = rows(codec, codec eq "ghz" ? isa : "", codec eq "ghz" ? threads : "1", operation, 15)
peers = system(sprintf("awk -F, '$5 == \"zfp\"' '%s' | wc -l", csv)) + 0

# Operands one above the other.
label(name) = (plus = strstrt(name, "+"), name[1:plus - 1] . "\n" . name[plus:*])

set terminal pngcairo noenhanced size 1900,1300 font "sans,13" background "white"
set output png
set style fill solid 1.0 noborder
set boxwidth 0.88
set logscale y
set grid ytics lc rgb "#d8d8d8" lw 1
set border 3 lc rgb "#606060"
set tics nomirror
set xtics scale 0 () font "sans,11" textcolor rgb "black"
set for [i=1:words(fields)] xtics add (label(word(fields, i)) (i - 1) * pitch + (pitch - 2) / 2.0)
set xrange [-1:words(fields) * pitch - 1]
set key at graph 0.5,1.055 center center horizontal maxrows 2 samplen 1.2 font "sans,12"
array shade[8] = ["#08306b", "#2171b5", "#6baed6", "#bdd7e7", "#fdae6b", "#e6550d", "#a63603", "#7f2704"]
set style line 1 lc rgb "#d62728" lw 3
set style line 2 lc rgb "#2ca02c" lw 3
set style line 3 lc rgb "#ff9900" pt 7 ps 1.4
set style line 4 lc rgb "#ff9900" pt 6 ps 1.4 lw 2

set multiplot layout 2,2 margins 0.045,0.995,0.05,0.89 spacing 0.05,0.14 title \
  sprintf("libghz codec, %s, threads: %s. Speeds in GB/s of original bytes (medians), by field and bound", \
          isa, threads) font "sans,16"

set ylabel "GB/s" offset 1
do for [operation in "compress decompress add"] {
  set title operation font "sans,15" offset 0,1.6
  other = operation eq "add" ? speed("roundtrip") : rows("zfp", "", "1", operation, 10)
  other_name = operation eq "add" ? "decompress + add + compress" : "zfp, one thread"
  shown = operation eq "add" || peers
  plot for [i=1:words(bounds)] speed(operation) using ($2 == i - 1 ? $1 : NaN):3 with boxes \
         lc rgb shade[i] title word(exponents, i), \
       speed("memcpy") using ($1 - 0.44):3:(0.88):(0) with vectors nohead ls 1 title "memcpy", \
       for [i=1:shown] other using 1:3 with points ls 3 title other_name
}
set title "ratio" font "sans,15" offset 0,1.6
set ylabel "original / compressed bytes"
set yrange [1:*]
plot for [i=1:words(bounds)] ratio("ghz", "compress") using ($2 == i - 1 ? $1 : NaN):3 with boxes \
         lc rgb shade[i] title word(exponents, i), \
     ratio("order1-by-32", "ratio") using ($1 - 0.44):3:(0.88):(0) with vectors nohead ls 2 \
       title "order 1, blocks of 32", \
     for [i=1:peers > 0] ratio("zfp", "compress") using 1:3 with points ls 3 title "zfp, equal bound", \
     for [i=1:peers > 0] ratio("zfp-equal-psnr", "ratio") using 1:3 with points ls 4 title "zfp, equal PSNR"
unset multiplot
