#!/usr/bin/env bash
# checked.sh: a compiler warns of a status that is ignored, unless it is told not to; a status that
# is looked at is no mistake. usage: checked.sh include/ CC
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail

compiles() { # statement option...
  printf '#include <ghz/ghz.h>\nvoid f(ghz_context *c, ghz_info *i);\nvoid f(ghz_context *c, ghz_info *i) { %s }\n' "$1" |
    "$cc" -std=c17 -Wall -Werror -c -o /dev/null -I "$include" "${@:2}" -xc - 2>/dev/null
}

fail() {
  echo "checked.sh: $*" >&2
  exit 1
}

include=$1 cc=$2
ignored='ghz_info_read((ghz_bytes){0, 0}, i); (void)c;'
compiles "if (${ignored%%;*}) return; (void)c;" || fail "a status that is looked at is refused"
compiles "$ignored" && fail "a status is ignored without a warning"
compiles "$ignored" -DGHZ_CHECKED= || fail "GHZ_CHECKED= does not help"
compiles 'ghz_context_set_threads(c, 2); (void)i;' || fail "ghz_context_set_threads may be ignored"
