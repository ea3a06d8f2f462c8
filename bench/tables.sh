#!/usr/bin/env bash
# tables.sh: owns the tables of the documents that a command prints from the figures in bench/:
# what stands between "<!-- awk ... -->" and "<!-- end -->".
# usage: bench/tables.sh          writes them into the documents
#        bench/tables.sh --check  fails if a document has others
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
cd "$(dirname "$0")/.."

# filled FILE: its text, with what the commands print between their marks.
filled() {
  local line inside=0
  while IFS= read -r line; do
    [ "$line" != '<!-- end -->' ] || inside=0
    [ $inside = 1 ] || printf '%s\n' "$line"
    [[ $line != '<!-- awk '*' -->' ]] || { inside=1 && line=${line#<!-- } && bash -c "${line% -->}" </dev/null; }
  done <"$1"
}

count=0
for document in README.md docs/*.md; do
  grep -q '^<!-- awk ' "$document" || continue
  text=$(filled "$document")
  if [ "${1:-}" = --check ]; then
    diff "$document" - <<<"$text" || { echo "$document has other tables: bench/tables.sh writes them" >&2 && exit 1; }
  else
    printf '%s\n' "$text" >"$document"
  fi
  count=$((count + 1))
done
[ $count -ge 3 ] || { echo "only $count documents have tables" >&2 && exit 1; }
