# compare.awk: figures of bench/codec --device cuda beside the speed of copies, what
# bench/GPU_NOTES.md predicts for an H200, and what publications say of an A100. Reads the CSV;
# takes the largest arrays of each field.
# usage: awk -f bench/codec/cuda/compare.awk gpu_codec.csv
# SPDX-License-Identifier: BSD-3-Clause
BEGIN {
  FS = ","
  # Predicted GB/s, times 0.5 to 0.9 as far as the model has been calibrated.
  predicted["wave-middle+wave-late 0.001 1 compress"] = 2580
  predicted["wave-middle+wave-late 0.001 1 decompress"] = 3520
  predicted["wave-middle+wave-late 0.001 1 add"] = 2560
  predicted["wave-middle+wave-late 0.0001 1 add"] = 1890
  predicted["wave-middle+wave-late 0.001 3 compress"] = 750
  predicted["wave-middle+wave-late 0.001 3 decompress"] = 1330
  published["compress"] = "cuSZp2 332"
  published["decompress"] = "cuSZp2 513"
  published["add"] = "ghZ 532-942"
}
NR == 1 {
  for (i = 1; i <= NF; i++)
    column[$i] = i
  next
}
/^the limit/ { copy = $column["GBps"]; next }
$column["operation"] ~ /^(compress|decompress|add)$/ {
  key = $column["input"] " " $column["bound"] + 0 " " $column["dims"]
  bytes = $column["bytes"] + 0
  if (!(key in largest))
    order[++keys] = key
  if (bytes >= largest[key]) {
    largest[key] = bytes
    gbps[key " " $column["operation"]] = $column["GBps"]
    share[key " " $column["operation"]] = $column["of_copy"]
  }
}
END {
  if (!keys)
    exit
  printf "copy from device to device, read + written: %.0f GB/s\n", copy
  printf "%-32s %-6s %-10s %7s %8s %10s  %s\n", "largest arrays", "", "", "GB/s", "of copy", "predicted", "published, A100"
  for (i = 1; i <= keys; i++) {
    split(order[i], part, " ")
    n = split("compress decompress add", operations, " ")
    for (j = 1; j <= n; j++) {
      key = order[i] " " operations[j]
      if (key in gbps)
        printf "%-32s %-6s %-10s %7.0f %7.0f%% %10s  %s\n", part[1] " " part[2], part[3] == 1 ? "flat" : "bricks",
          operations[j], gbps[key], 100 * share[key], key in predicted ? predicted[key] : "-", published[operations[j]]
    }
  }
}
