# speeds.awk: prints a table of docs from bench/speeds.csv, the figures of bench/run.sh: for the
# README ratio and speed with AVX2 and AVX-512 (-v part=table), and the least of each in words
# (-v part=words). usage: awk -v part=PART -f bench/speeds.awk bench/speeds.csv
# SPDX-License-Identifier: BSD-3-Clause
BEGIN {
  FS = ","
  sets = split("avx2;avx512", set, ";")
  operations = split("compress;decompress;add", operation, ";")
  split("AVX2;AVX-512", name, ";")
  title["wave-middle+wave-late"] = "wave"
  title["wave-early+wave-middle"] = "wave, early"
  title["density+turbulence"] = "density + turbulence"
  title["gradient+rotated"] = "gradient-like"
  title["climate+rotated"] = "climate-like"
}
/^# machine: / { machine = substr($0, 12) }
/^#/ { next }
$1 == "field" {
  for (i = 1; i <= NF; i++)
    at[$i] = i
  next
}
{
  row = ($1 in title ? title[$1] : $1) ", " sprintf("%.0e", $3)
  sub(/e-0/, "e-", row)
  form = $at["shape"] ~ /x/ ? "shaped" : "flat"
  if (!((row, "flat") in ratio))
    rows[++n] = row
  ratio[row, form] = $at["ratio"]
  for (i = 1; i <= operations; i++)
    speed[row, form, $at["isa"], operation[i]] = $at[operation[i]]
}

function short(x) {
  return sprintf(x < 1 ? "%.2f" : x < 10 ? "%.1f" : "%.0f", x)
}

# Flat and with the shape; one number where the field has no shape.
function both(flat, shaped) {
  return " " short(flat) (shaped ? " / " short(shaped) : "") " |"
}

# The least of all rows.
function least(form, isa, op,    r, x) {
  x = 0
  for (r = 1; r <= n; r++)
    if (speed[rows[r], form, isa, op] && (!x || speed[rows[r], form, isa, op] < x))
      x = speed[rows[r], form, isa, op]
  return x
}

function table(    line, rule, i, k, r) {
  print "| " machine ", GB/s | ratio |" heads(" | --- | --- |")
  for (r = 1; r <= n; r++) {
    line = "| " rows[r] " |" both(ratio[rows[r], "flat"], ratio[rows[r], "shaped"])
    for (i = 1; i <= sets; i++)
      for (k = 1; k <= operations; k++)
        line = line both(speed[rows[r], "flat", set[i], operation[k]], speed[rows[r], "shaped", set[i], operation[k]])
    print line
  }
}

# The heads of the columns, and the rule below them.
function heads(rule,    line, i, k) {
  for (i = 1; i <= sets; i++)
    for (k = 1; k <= operations; k++) {
      line = line " " name[i] ": " operation[k] " |"
      rule = rule " --- |"
    }
  return line "\n" substr(rule, 2)
}

# The least of an instruction set in words: compress, decompress and add.
function three(form, isa) {
  return short(least(form, isa, "compress")) ", " short(least(form, isa, "decompress")) " and " short(least(form, isa, "add"))
}

END {
  if (part == "table") {
    table()
    exit
  }
  print "One core compresses, decompresses and adds at least " three("flat", "avx2") " GB/s of floats with AVX2, and"
  print three("flat", "avx512") " with AVX-512. Told the shape of the array it makes smooth fields smaller, at"
  print three("shaped", "avx2") " GB/s with AVX2, and " three("shaped", "avx512") " with AVX-512. These are the least of all fields"
  print "[below](#measured), on this machine: " machine "."
}
