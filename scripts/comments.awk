# comments.awk: names the lines of comments that are longer than 100 columns, and with -v first=1
# the files whose first line does not begin with their name. For C, C++ and CUDA, whose comments may
# be blocks, and for what has comments by '#': lines that a program reads (usage, shellcheck) may be
# longer.
# SPDX-License-Identifier: BSD-3-Clause
function c_like() { return FILENAME ~ /\.(c|h|cc|cpp|cu|cuh|inc)$/ }

FNR == 1 { within = 0; name = FILENAME; sub(/.*\//, "", name); told = 0 }

first && FNR <= 2 && !told {
  if (index($0, (c_like() ? ($0 ~ /^\/\// ? "// " : "/* ") : "# ") name ": ") == 1)
    told = 1
  else if (FNR == 2 || $0 !~ /^#!/) {
    print FILENAME ": the first line does not say '" name ": what it is'"
    told = 1
  }
}

!first {
  comment = within || (c_like() ? $0 ~ /^[ \t]*(\/\/|\/\*)/ : $0 ~ /^[ \t]*#/)
  if (comment && length($0) > 100 && $0 !~ /^# (usage:|shellcheck )/)
    print FILENAME ":" FNR ": a comment of " length($0) " columns"
  if (c_like()) {
    line = $0
    while (within ? match(line, /\*\//) : match(line, /\/\*|\/\/|"([^"\\]|\\.)*"/)) {
      found = substr(line, RSTART, RLENGTH)
      line = substr(line, RSTART + RLENGTH)
      if (found == "//")
        break
      if (found == "/*" || found == "*/")
        within = !within
    }
  }
}
