# summary.awk: the table of run_collectives.sh, from what its runs printed. "Gain" compares with MPI,
# as it is or tuned, whichever is faster.
# SPDX-License-Identifier: BSD-3-Clause
/^== / { # rate, name: command
  rate = $2
  name = $3
  sub(/,$/, "", rate)
  sub(/:$/, "", name)
  tuned = sub(/-tuned$/, "", name)
}

/^ +[0-9]/ && $5 != "failed" {
  key = sprintf("%-8s %-24s %-6s %4d", rate, name, $3, $1 / 1048576)
  if (!(key in seen))
    keys[++n_keys] = key
  seen[key] = 1
  wrong += $11
  if ($4 == "mpi")
    note(mpi, mpi_name, tuned ? "MPI tuned" : "MPI")
  else if (sub(/^auto:/, "", $4))
    note(automatic, automatic_name, $4)
  else
    note(fixed, fixed_name, $4)
}

function note(best, names, label) {
  if (key in best && best[key] <= $5)
    return
  best[key] = $5
  names[key] = label
}

function cell(best, names, key) {
  if (!(key in best))
    return sprintf("%10s %6s %-9s", "-", "-", "-")
  return sprintf("%10.2f %6.2f %-9s", best[key] / 1e3, key in mpi ? mpi[key] / best[key] : 0, names[key])
}

END {
  printf "%-8s %-24s %-6s %4s %10s %6s %-9s %10s %6s %-9s %10s %6s %-9s\n", "rate", "case", "type", "MiB",
    "MPI, ms", "", "by", "auto, ms", "gain", "its choice", "best, ms", "gain", "by"
  for (i = 1; i <= n_keys; i++) {
    key = keys[i]
    print key, cell(mpi, mpi_name, key), cell(automatic, automatic_name, key), cell(fixed, fixed_name, key)
  }
  printf "\nOut of bounds values : %d %s\n", wrong, (wrong ? "FAILED" : "OK")
}
