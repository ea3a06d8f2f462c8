# Standard descriptors that are closed: files do not take their place.
# SPDX-License-Identifier: BSD-3-Clause
. "$HELPERS"
"$TOOL" make wave 1000 f32 >a.f32
ok "$GHZ" compress --abs 1e-3 a.f32 -o a.ghz
ok "$GHZ" add a.ghz a.ghz -o sum.ghz
for closed in '<&-' '>&-' '2>&-' '<&- >&-' '<&- 2>&-' '>&- 2>&-' '<&- >&- 2>&-'; do
  eval '"$GHZ" compress -f --abs 1e-3 a.f32 -o out.ghz' "$closed" || die "compress $closed"
  same out.ghz a.ghz
  eval '"$GHZ" add -f a.ghz a.ghz -o out.ghz' "$closed" || die "add $closed"
  same out.ghz sum.ghz
  before=$(state)
  eval '"$GHZ" compress -f --abs 1e-3 none.f32 -o out.ghz' "$closed" 2>"$SCRATCH/err" && die "no error $closed"
  eval '"$GHZ" add -f a.ghz out.ghz a.f32 -o out.ghz' "$closed" 2>"$SCRATCH/err" && die "no error $closed"
  [ "$(state)" = "$before" ] || die "files changed with $closed"
done
fails 1 'standard output: Bad file descriptor' bash -c '"$GHZ" info a.ghz >&-'
fails 1 'standard output: Bad file descriptor' bash -c '"$GHZ" compress --abs 1e-3 a.f32 -c >&-'
fails 1 'standard output: Bad file descriptor' bash -c '"$GHZ" add a.ghz a.ghz >&-'
fails 1 'standard input: Bad file descriptor' bash -c '"$GHZ" add a.ghz - -o new.ghz <&-'
fails 1 'standard input: Bad file descriptor' bash -c '"$GHZ" compress --rel 1e-3 --type f32 - -o new.ghz <&-'
