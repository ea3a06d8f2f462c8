# peers.awk: prints the tables of docs/PERFORMANCE.md from bench/peers.csv.
# From the top of the repository: awk -f bench/peers.awk bench/peers.csv
# SPDX-License-Identifier: BSD-3-Clause
BEGIN {
  FS = ","
  count = split("ghz;ghz with shape;fZ-light;PFPL;zfp;SZ3;zfp at the PSNR of ghz with shape", codecs, ";")
}
/^#/ || $1 == "field" { next }
# Ratios of more fields and bounds, without speeds.
$5 == "ratio" {
  if (!($3 in bound_seen)) {
    bound_seen[$3] = 1
    bounds[++n_bounds] = $3
  }
  inverses[$3, $4] += 1 / $9
  fields[$3, $4]++
  next
}
{
  row = $1 ", " $3
  if (!(row in seen)) {
    seen[row] = 1
    rows[++n] = row
  }
  speed[row, $4, $5] = $6
  if ($5 == "compress")
    ratio[row, $4] = $9
}

# Three significant digits.
function short(x) {
  return sprintf(x < 10 ? "%.2f" : x < 100 ? "%.1f" : "%.0f", x)
}

# Geometric mean and range over the rows, of what[row, codec] or what[row, codec, operation].
function range(what, key,    r, x, sum, least, most) {
  least = 1e9
  most = 0
  for (r = 1; r <= n; r++) {
    x = what[rows[r], key]
    sum += log(x)
    least = x < least ? x : least
    most = x > most ? x : most
  }
  return " " short(exp(sum / n)) " (" short(least) "-" short(most) ") |"
}

# Harmonic mean of the ratio over the fields.
function harmonic(bound, codec) {
  return fields[bound, codec] / inverses[bound, codec]
}

END {
  print "| Zen 5, AVX-512, one thread | ratio | compress, GB/s | decompress, GB/s | add, GB/s |"
  print "| --- | --- | --- | --- | --- |"
  adds["ghz"] = "ghz"
  adds["ghz with shape"] = "ghz with shape"
  adds["fZ-light"] = "hZCCL"
  for (i = 1; i <= count; i++)
    print "| " codecs[i] (codecs[i] == "fZ-light" ? ", hZCCL" : "") " |" range(ratio, codecs[i]) \
      range(speed, codecs[i] SUBSEP "compress") range(speed, codecs[i] SUBSEP "decompress") \
      (codecs[i] in adds ? range(speed, adds[codecs[i]] SUBSEP "add") : " - |")
  print "\n| ratio over nine fields, harmonic mean | ghz | ghz with shape | fZ-light |"
  print "| --- | --- | --- | --- |"
  for (i = 1; i <= n_bounds; i++)
    printf "| %s | %.2f | %.2f | %.2f |\n", bounds[i], harmonic(bounds[i], "ghz"), harmonic(bounds[i], "ghz with shape"),
      harmonic(bounds[i], "fZ-light")
}
