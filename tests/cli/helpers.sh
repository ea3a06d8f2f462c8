# helpers.sh: owns the words that the cases are written in. Sourced by each of them.
# SPDX-License-Identifier: BSD-3-Clause
set -u

die() {
  echo "FAILED: $*" >&2
  exit 1
}

skip() {
  echo "skipped: $*"
  exit 77
}

# Names and contents of all files below the current directory.
state() {
  find . \( -type f -o -type l \) -exec cksum {} + 2>/dev/null | sort -k3
}

# ok COMMAND...: must succeed, and say nothing to stderr that begins with "ghz:".
ok() {
  local code=0
  "$@" 2>"$SCRATCH/stderr" || code=$?
  [ $code = 0 ] || { cat "$SCRATCH/stderr" >&2; die "exit code $code from: $*"; }
  ! grep -q '^ghz' "$SCRATCH/stderr" || die "an error message in spite of success: $(cat "$SCRATCH/stderr")"
}

# fails CODE TEXT COMMAND...: must exit with CODE, print one line to stderr that begins with "ghz"
# and holds TEXT, and leave every file as it was, and none besides.
fails() {
  local want=$1 text=$2 before code
  shift 2
  before=$(state)
  "$@" >"$SCRATCH/stdout" 2>"$SCRATCH/stderr"
  code=$?
  [ "$code" = "$want" ] || { cat "$SCRATCH/stderr" >&2; die "exit code $code, not $want, from: $*"; }
  [ "$(wc -l <"$SCRATCH/stderr")" = 1 ] || die "not one line, but '$(cat "$SCRATCH/stderr")' from: $*"
  grep -q '^ghz' "$SCRATCH/stderr" || die "message without 'ghz': $(cat "$SCRATCH/stderr")"
  grep -qF -e "$text" "$SCRATCH/stderr" || die "no '$text' in '$(cat "$SCRATCH/stderr")' from: $*"
  [ "$(state)" = "$before" ] || die "files changed by: $*"
}

same() {
  cmp "$1" "$2" || die "$1 and $2 differ"
}

differ() {
  ! cmp -s "$1" "$2" || die "$1 and $2 are the same"
}

within() {
  "$TOOL" check "$@" || die "the bound is violated: $*"
}

have() {
  command -v "$1" >/dev/null 2>&1
}

# unfinished PID: the bytes of the unfinished file that the process has open, with a name or
# without.
unfinished() {
  local fd
  for fd in /proc/"$1"/fd/*; do
    case $(readlink "$fd") in
    */'#'*' (deleted)' | */.ghz-??????) stat -Lc %s "$fd" ;;
    esac
  done
}
