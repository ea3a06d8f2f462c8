# A command that is killed in the middle leaves nothing behind, and what was there stays. Where the
# system has no files without a name, SIGKILL, which no program can catch, leaves the unfinished
# file, under a name of its own, and in nobody's way.
# SPDX-License-Identifier: BSD-3-Clause
. "$HELPERS"
set -m # or background jobs would ignore SIGINT
"$TOOL" make wave 200000 f32 >a.f32
mkfifo pipe
ulimit -c 0

# kill_with SIGNAL COMMAND...: in the middle of its work.
kill_with() {
  local signal=$1 pid code named
  shift
  echo old >out.ghz
  before=$(state)
  "$@" compress -f --abs 1e-3 --frame-values 16384 --type f32 -o out.ghz pipe 2>/dev/null &
  pid=$!
  exec 3>pipe
  head -c 400000 a.f32 >&3
  for ((i = 0; i < 200; i++)); do
    [ "$(unfinished "$pid")" -gt 0 ] 2>/dev/null && break
    sleep 0.05
  done
  [ "$(unfinished "$pid")" -gt 0 ] || die "no unfinished file appeared"
  named=$(find . -name '.ghz-*')
  kill "-$signal" "$pid"
  wait "$pid"
  code=$?
  exec 3>&-
  [ $code = $((128 + $(kill -l "$signal"))) ] || die "$signal: exit code $code"
  [ "$signal" != KILL ] || [ -z "$named" ] || rm .ghz-?????? || die "no unfinished file stays"
  [ "$(state)" = "$before" ] || die "$signal: files changed: $(state)"
}

for signal in INT TERM HUP QUIT XCPU ALRM USR1 USR2 ABRT KILL; do
  kill_with $signal "$GHZ"
  [ -z "${FAULTS:-}" ] || kill_with $signal env ASAN_OPTIONS=verify_asan_link_order=0 \
    LD_PRELOAD="$FAULTS" GHZ_FAULT_NAMED=1 "$GHZ"
done
echo rest >.ghz-aBc123
ok "$GHZ" compress -f --abs 1e-3 a.f32 -o out.ghz
ok "$GHZ" test out.ghz
