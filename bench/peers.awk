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
  if ($5 == "compress") {
    ratio[row, $4] = $9
    psnr[row, $4] = $12
  }
}

# Three significant digits.
function short(x) {
  return sprintf(x < 10 ? "%.2f" : x < 100 ? "%.1f" : "%.0f", x)
}

# How many times as fast as `codec` `own` is: geometric mean over the rows, and the range.
function gain(own, codec, operation,    r, x, sum, least, most) {
  least = 1e9
  most = 0
  for (r = 1; r <= n; r++) {
    x = speed[rows[r], own, operation] / speed[rows[r], codec, operation]
    sum += log(x)
    least = x < least ? x : least
    most = x > most ? x : most
  }
  return short(exp(sum / n)) " (" short(least) "-" short(most) ")"
}

# Harmonic mean of the ratio over the fields.
function harmonic(bound, codec) {
  return fields[bound, codec] / inverses[bound, codec]
}

function heading(title, extra,    i, line, rule) {
  line = "| " title " |"
  rule = "| --- |"
  for (i = 1; i <= count; i++) {
    line = line " " codecs[i] " |"
    rule = rule " --- |"
  }
  print line extra
  gsub(/[^|]/, "", extra)
  gsub(/\|/, " --- |", extra)
  print rule extra
}

END {
  heading("ratio (PSNR, dB)", "")
  for (r = 1; r <= n; r++) {
    line = "| " rows[r] " |"
    for (i = 1; i <= count; i++)
      line = line " " short(ratio[rows[r], codecs[i]]) \
        sprintf(" (%.0f) |", psnr[rows[r], codecs[i]])
    print line
  }
  print ""
  heading("compress / decompress, GB/s", " add: ghz / with shape / hZCCL | memcpy |")
  for (r = 1; r <= n; r++) {
    line = "| " rows[r] " |"
    for (i = 1; i <= count; i++)
      line = line " " short(speed[rows[r], codecs[i], "compress"]) " / " \
        short(speed[rows[r], codecs[i], "decompress"]) " |"
    print line " " short(speed[rows[r], "ghz", "add"]) " / " \
      short(speed[rows[r], "ghz with shape", "add"]) " / " \
      short(speed[rows[r], "hZCCL", "add"]) " | " short(speed[rows[r], "memcpy", "copy"]) " |"
  }
  print ""
  print "| bound | ghz | ghz with shape | fZ-light | ghz / fZ-light | with shape / fZ-light | with shape / ghz |"
  print "| --- | --- | --- | --- | --- | --- | --- |"
  for (i = 1; i <= n_bounds; i++) {
    flat = harmonic(bounds[i], "ghz")
    shaped = harmonic(bounds[i], "ghz with shape")
    light = harmonic(bounds[i], "fZ-light")
    printf "| %s | %.2f | %.2f | %.2f | %.2f | %.2f | %.2f |\n", bounds[i], flat, shaped, light, flat / light, \
      shaped / light, shaped / flat
  }
  print ""
  for (k = 1; k <= 2; k++) {
    print (k == 1 ? "" : "\n") "| " codecs[k] " is so many times as fast as | compress | decompress | add |"
    print "| --- | --- | --- | --- |"
    for (i = 3; i < count; i++)
      print "| " codecs[i] " | " gain(codecs[k], codecs[i], "compress") " | " \
        gain(codecs[k], codecs[i], "decompress") " | " \
        (codecs[i] == "fZ-light" ? gain(codecs[k], "hZCCL", "add") " (hZCCL)" : "-") " |"
  }
}
