# peers.awk: prints the tables of docs/PERFORMANCE.md from bench/peers.csv and bench/ratios.csv.
# From the top of the repository: awk -f bench/peers.awk bench/peers.csv bench/ratios.csv
# SPDX-License-Identifier: BSD-3-Clause
BEGIN {
  FS = ","
  count = split("ghz;ghz with shape;fZ-light;PFPL;zfp;SZ3;zfp at the PSNR of ghz with shape", codecs, ";")
  columns = split("5;9;12;15", column, ";") # ratio, and the speeds of compress, decompress and add
}
/^#/ || $1 == "field" { next }
NF == 6 { # ratios.csv
  if (!($3 in fields))
    bounds[++n_bounds] = $3
  fields[$3]++
  for (i = 4; i <= 6; i++)
    inverses[$3, i] += 1 / $i
  next
}
{
  for (i = 1; i <= columns; i++)
    if ($column[i] != "") {
      n = ++rows[$4, i]
      values[$4, i, n] = $column[i]
    }
}

# Three significant digits.
function short(x) {
  return sprintf(x < 10 ? "%.2f" : x < 100 ? "%.1f" : "%.0f", x)
}

# Geometric mean and range of a codec's column over the fields and bounds.
function range(codec, i,    r, x, sum, least, most) {
  least = 1e9
  most = 0
  for (r = 1; r <= rows[codec, i]; r++) {
    x = values[codec, i, r]
    sum += log(x)
    least = x < least ? x : least
    most = x > most ? x : most
  }
  return r > 1 ? " " short(exp(sum / (r - 1))) " (" short(least) "-" short(most) ") |" : " - |"
}

END {
  print "| Zen 5, AVX-512, one thread | ratio | compress, GB/s | decompress, GB/s | add, GB/s |"
  print "| --- | --- | --- | --- | --- |"
  for (c = 1; c <= count; c++) {
    line = "| " codecs[c] (codecs[c] == "fZ-light" ? ", hZCCL" : "") " |"
    for (i = 1; i <= columns; i++)
      line = line range(codecs[c], i)
    print line
  }
  print "\n| ratio over nine fields, harmonic mean | ghz | ghz with shape | fZ-light |"
  print "| --- | --- | --- | --- |"
  for (i = 1; i <= n_bounds; i++)
    printf "| %s | %.2f | %.2f | %.2f |\n", bounds[i], fields[bounds[i]] / inverses[bounds[i], 4],
      fields[bounds[i]] / inverses[bounds[i], 5], fields[bounds[i]] / inverses[bounds[i], 6]
}
