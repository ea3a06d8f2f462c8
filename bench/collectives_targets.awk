# collectives_targets.awk: judges the merged CSV of run_collectives.sh: targets, automatic choice, cost formula, losses.
# Everything is held against the fastest that does not compress: MPI as it is, MPI tuned, our own schedules.
BEGIN {
  FS = ","
  # collective, field, wanted at 200mbit, wanted at 1gbit
  split("allreduce wave 8 5;allreduce turbulence 2.3 2;bcast wave 12 8;scatter wave 10 8", wishes, ";")
  tolerated = 0.95
  formula_wanted = 1.3
}

NR == 1 {
  for (i = 1; i <= NF; i++)
    at[$i] = i
  next
}

{
  field = $NF
  gsub(/"/, "", field)
  what = $at["rate"] " " $at["collective"] " " field ($at["type"] == "double" ? "-double" : "")
  key = what " " $at["size"]
  if (!(key in plain)) {
    keys[++n_keys] = key
    plain[key] = 0
  }
  if (!(what in largest) || $at["size"] + 0 > largest[what])
    largest[what] = $at["size"] + 0
  time = $at["time_us"] / 1e3
  name = $at["algorithm"] " " $at["mode"]
  wrong += $at["wrong"]
  if ($at["algorithm"] == "mpi" || $at["mode"] == "plain")
    note(plain, plain_name, key, time, $at["algorithm"] != "mpi" ? name : $at["tuned"] ? "MPI tuned" : "MPI")
  else if ($at["algorithm"] == "auto" && $at["mode"] == "auto")
    note(automatic, automatic_name, key ($at["tuned"] ? " tuned" : ""), time, $at["chosen_algorithm"] " " $at["chosen_mode"])
  else if ($at["mode"] == "homomorphic")
    note(fixed, fixed_name, key, time, name)
  if ($at["algorithm"] == "ring" && !$at["tuned"])
    ring[key " " $at["mode"]] = time
  if (name == "ring homomorphic" && $at["collective"] == "allreduce")
    keep_terms()
}

function note(least, names, k, value, label) {
  if (!(k in least) || least[k] == 0 || value < least[k]) {
    least[k] = value
    names[k] = label
  }
}

function bits(rate) {
  return rate ~ /gbit/ ? rate * 1e9 : rate ~ /mbit/ ? rate * 1e6 : rate ~ /kbit/ ? rate * 1e3 : 0
}

# The cost formula of the design, with what was measured: its terms one after the other.
function keep_terms() {
  if (bits($at["rate"]) == 0 || $at["wire_busiest"] == 0)
    return
  wire[key] = $at["wire_busiest"] * 8 / bits($at["rate"]) * 1e3
  codec[key] = $at["compress_ms"] + $at["combine_ms"] + $at["decompress_ms"]
  took[key] = time
}

function verdict(key, wanted) {
  if (key in automatic && plain[key] / automatic[key] >= wanted)
    return "met"
  return key in fixed && plain[key] / fixed[key] >= wanted ? "met, but not by the automatic choice" : "MISSED"
}

function target(rate, collective, field, wanted,  what, key) {
  what = rate " " collective " " field
  if (!(what in largest))
    return
  key = what " " largest[what]
  printf "  %-10s %-11s %-8s %5d %7.1f   %6.2f  %-22s %6.2f  %-22s %-18s %s\n", collective, field, rate,
    largest[what] / 1048576, wanted, key in automatic ? plain[key] / automatic[key] : 0, automatic_name[key],
    key in fixed ? plain[key] / fixed[key] : 0, fixed_name[key], plain_name[key], verdict(key, wanted)
}

function print_targets(  i, w, any) {
  for (i in largest)
    any = any || i ~ /^(200mbit|1gbit) (allreduce (wave|turbulence)|bcast wave|scatter wave)$/
  if (!any) {
    print "\nTargets: nothing was measured that has one"
    return
  }
  print "\nTargets: times as fast as the best that does not compress"
  printf "  %-10s %-11s %-8s %5s %7s   %6s  %-22s %6s  %-22s %-18s\n", "collective", "field", "rate", "MiB", "wanted",
    "auto", "its choice", "best", "by", "against"
  for (i = 1; i <= 4; i++) {
    split(wishes[i], w, " ")
    target("200mbit", w[1], w[2], w[3])
    target("1gbit", w[1], w[2], w[4])
  }
}

function print_recompress(rate, wanted,  what, key, gain) {
  what = rate " allreduce wave"
  if (!(what in largest))
    return
  key = what " " largest[what]
  if (!(key " recompress" in ring) || !(key " homomorphic" in ring))
    return
  gain = ring[key " recompress"] / ring[key " homomorphic"]
  printf "  %-8s homomorphic / decompress-operate-compress, both ring: %.2f, wanted %.1f: %s\n", rate, gain, wanted,
    (gain >= wanted ? "met" : "MISSED")
}

function print_automatic(  i, key, gain, worst, worst_key, below) {
  printf "\nAutomatic choice: never slower than %.2f of the best that does not compress, for any size, field and rate\n",
    tolerated
  worst = 1e9
  for (i = 1; i <= n_keys; i++) {
    key = keys[i]
    if (!(key in automatic) || !plain[key])
      continue
    gain = plain[key] / automatic[key]
    if (gain < worst) {
      worst = gain
      worst_key = key
    }
    if (gain < tolerated) {
      below++
      printf "  %.2f %s: %.2f ms (%s) against %.2f ms (%s)\n", gain, key, automatic[key], automatic_name[key], plain[key],
        plain_name[key]
    }
  }
  if (worst < 1e9)
    printf "  %s: %d cases below, the worst %.2f (%s)\n", (below ? "MISSED" : "met"), below, worst, worst_key
}

function print_formula(  i, key, any) {
  for (key in took)
    any = 1
  if (!any)
    return
  print "\nCost formula of the ring: compress + send + add + decompress, one after the other, each on the rank where it is most"
  for (i = 1; i <= n_keys; i++) {
    key = keys[i]
    if (key in took)
      printf "  %-42s took %9.2f ms, codec %8.2f + wire %9.2f: %.2f times that, wanted %.1f\n", key, took[key], codec[key],
        wire[key], took[key] / (codec[key] + wire[key]), formula_wanted
  }
}

function print_losses(  i, key, n) {
  print "\nWhere compression loses (best homomorphic variant slower than the best that does not compress)"
  for (i = 1; i <= n_keys; i++) {
    key = keys[i]
    if (key in fixed && plain[key] && fixed[key] > plain[key]) {
      n++
      printf "  %.2f %s (%s against %s)\n", plain[key] / fixed[key], key, fixed_name[key], plain_name[key]
    }
  }
  if (!n)
    print "  nowhere here"
}

END {
  print_targets()
  print_recompress("200mbit", 1.2)
  print_recompress("1gbit", 1.5)
  print_automatic()
  print_formula()
  print_losses()
  printf "\nOut of bounds values : %d %s\n", wrong, (wrong ? "FAILED" : "OK")
}
