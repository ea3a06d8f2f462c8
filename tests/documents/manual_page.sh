#!/usr/bin/env bash
# manual_page.sh: a manual page of a library is clean, and names every call that it exports.
# usage: tests/documents/manual_page.sh PAGE LIBRARY NM
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
page=$1 library=$2 nm=$3

fail() { # word...
  echo "${0##*/}: $*" >&2 && exit 1
}

calls=$("$nm" -D --extern-only --defined-only "$library" | sed -nE 's/.* T (ghz_[a-z0-9_]+)(@.*)?$/\1/p')
[ "$(wc -l <<<"$calls")" -gt 5 ] || fail "$library exports next to nothing"
for call in $calls; do
  grep -qE "^\\\\fB.*[ *]$call\(" "$page" || fail "$call is not on ${page##*/}"
done
name=$(basename "$page" .3)
grep -q "^$name \\\\- ." "$page" || fail "no name"
if command -v groff >/dev/null; then
  said=$(groff -man -Tutf8 -ww -z "$page" 2>&1)
  [ -z "$said" ] || fail "$said"
fi
if command -v mandoc >/dev/null; then # a date would make each build another
  said=$(mandoc -Tlint -W warning "$page" | grep -v 'missing date' || true)
  [ -z "$said" ] || fail "$said"
fi
echo "$(wc -l <<<"$calls") calls"
