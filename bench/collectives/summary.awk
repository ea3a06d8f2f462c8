# summary.awk: the tables of run_collectives.sh, from its CSV. "Gain" compares with MPI, as it is or
# tuned, whichever is faster.
# SPDX-License-Identifier: BSD-3-Clause
BEGIN { FS = "," }

NR == 1 {
  for (i = 1; i <= NF; i++)
    at[$i] = i
  next
}

{
  field = $NF
  if ($at["extents"] !~ /flat/)
    field = field " " $at["extents"]
  gsub(/"/, "", field)
  key = sprintf("%-8s %-14s %-18s %-6s %4d", $at["rate"], $at["collective"], field, $at["type"], $at["size"] / 1048576)
  if (!(key in seen))
    keys[++n_keys] = key
  seen[key] = 1
  time = $at["time_us"] / 1e3
  name = $at["algorithm"]
  wrong += $at["wrong"]
  if (name == "mpi")
    note(mpi, mpi_name, $at["tuned"] ? "MPI tuned" : "MPI")
  else if (name == "auto")
    note(automatic, automatic_name, $at["chosen_algorithm"])
  else
    note(fixed, fixed_name, name)
  if (name == "ring" && $at["collective"] == "allreduce" && bits($at["rate"]) && $at["wire_busiest"] > 0)
    note_terms()
}

function note(best, names, label) {
  if (key in best && best[key] <= time)
    return
  best[key] = time
  names[key] = label
}

function bits(rate) {
  return rate ~ /gbit/ ? rate * 1e9 : rate ~ /mbit/ ? rate * 1e6 : rate ~ /kbit/ ? rate * 1e3 : 0
}

# The terms of the cost formula, as measured, each on the rank where it is largest.
function note_terms() {
  wire[key] = $at["wire_busiest"] * 8 / bits($at["rate"]) * 1e3
  codec[key] = $at["compress_ms"] + $at["combine_ms"] + $at["decompress_ms"]
  took[key] = time
}

function cell(best, names, key) {
  if (!(key in best))
    return sprintf("%10s %6s %-18s", "-", "-", "-")
  return sprintf("%10.2f %6.2f %-18s", best[key], key in mpi ? mpi[key] / best[key] : 0, names[key])
}

END {
  printf "%-8s %-14s %-18s %-6s %4s %10s %-18s %10s %6s %-18s %10s %6s %-18s\n", "rate", "collective", "field",
    "type", "MiB", "MPI, ms", "by", "auto, ms", "gain", "its choice", "best, ms", "gain", "by"
  for (i = 1; i <= n_keys; i++) {
    key = keys[i]
    print key, sprintf("%10.2f %-18s", mpi[key], mpi_name[key]), cell(automatic, automatic_name, key),
      cell(fixed, fixed_name, key)
  }
  print "\nThe compressed ring against the cost formula: codec and wire, one after the other, ms"
  for (i = 1; i <= n_keys; i++) {
    key = keys[i]
    if (key in took)
      printf "%s took %9.2f, codec %8.2f + wire %9.2f: %.2f times that\n", key, took[key], codec[key], wire[key],
        took[key] / (codec[key] + wire[key])
  }
  printf "\nOut of bounds values : %d %s\n", wrong, (wrong ? "FAILED" : "OK")
}
