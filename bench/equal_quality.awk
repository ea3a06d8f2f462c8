# equal_quality.awk: prints the tables of docs/FAQ.md from bench/equal_quality.csv.
# From the top of the repository: awk -f bench/equal_quality.awk bench/equal_quality.csv
# SPDX-License-Identifier: BSD-3-Clause
BEGIN {
  FS = ","
  count = split("ghz flat;ghz;ghz packed;zfp;SZ3;SPERR", codecs, ";")
  peers = split("zfp;SZ3;SPERR", peer, ";")
  title["marmousi"] = "velocities"
  title["ostia"] = "sea temperature"
  title["wave-late"] = "wave"
}
/^#/ || $1 == "field" { next }
{
  if ($3 == "ghz packed")
    $5 = psnr[($1 in title ? title[$1] : $1) ", " $2, "ghz"]
  row = ($1 in title ? title[$1] : $1) ", " $2
  if (!(row in seen)) {
    seen[row] = 1
    rows[++n] = row
  }
  ratio[row, $3] = $4
  psnr[row, $3] = $5
  fast[row, $3, 1] = $8
  fast[row, $3, 2] = $10
}

# Three significant digits.
function short(x) {
  return sprintf(x < 10 ? "%.2f" : x < 100 ? "%.1f" : "%.0f", x)
}

# Geometric mean and range over the rows, of values[1..n].
function range(values,    i, sum, least, most) {
  least = 1e9
  most = 0
  for (i = 1; i <= n; i++) {
    sum += log(values[i])
    least = values[i] < least ? values[i] : least
    most = values[i] > most ? values[i] : most
  }
  return short(exp(sum / n)) " (" short(least) "-" short(most) ")"
}

function gain(own, other, what,    i, values) {
  for (i = 1; i <= n; i++)
    values[i] = what ? fast[rows[i], own, what] / fast[rows[i], other, what] : \
      ratio[rows[i], other] / ratio[rows[i], own]
  return range(values)
}

END {
  print "| ratio (PSNR, dB) | ghz, flat | ghz | ghz, packed | zfp | SZ3 | SPERR | at the PSNR of ghz: zfp | SZ3 | SPERR |"
  print "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"
  for (r = 1; r <= n; r++) {
    line = "| " rows[r] " |"
    for (i = 1; i <= count; i++)
      line = line " " short(ratio[rows[r], codecs[i]]) \
        sprintf(" (%.0f) |", psnr[rows[r], codecs[i]])
    for (i = 1; i <= peers; i++)
      line = line " " short(ratio[rows[r], peer[i] " =PSNR"]) " |"
    print line
  }
  print "\n| | ratio over that of ghz, at an equal bound | at equal PSNR | over ghz, packed, at an equal bound" \
    " | at equal PSNR |"
  print "| --- | --- | --- | --- | --- |"
  for (i = 1; i <= peers; i++)
    print "| " peer[i] " | " gain("ghz", peer[i], 0) " | " gain("ghz", peer[i] " =PSNR", 0) " | " \
      gain("ghz packed", peer[i], 0) " | " gain("ghz packed", peer[i] " =PSNR", 0) " |"
  print "\n| Zen 5, AVX-512: compress / decompress, MB/s | ghz, flat | ghz | zfp | SZ3 | SPERR |"
  print "| --- | --- | --- | --- | --- | --- |"
  for (r = 1; r <= n; r++) {
    line = "| " rows[r] " |"
    for (i = 1; i <= count; i++)
      if (codecs[i] != "ghz packed")
        line = line sprintf(" %.0f / %.0f |", 1000 * fast[rows[r], codecs[i], 1], \
          1000 * fast[rows[r], codecs[i], 2])
    print line
  }
  print "\n| Zen 5, AVX-512: is so many times as slow as | ghz: compress | decompress | ghz, flat: compress | decompress |"
  print "| --- | --- | --- | --- | --- |"
  for (i = 1; i <= peers; i++)
    print "| " peer[i] " | " gain("ghz", peer[i], 1) " | " gain("ghz", peer[i], 2) " | " \
      gain("ghz flat", peer[i], 1) " | " gain("ghz flat", peer[i], 2) " |"
}
