# A command that is killed in the middle leaves nothing behind, and what was there stays. After
# SIGKILL, which no program can catch, the unfinished file stays, under a name of its own, and is in
# nobody's way.
# SPDX-License-Identifier: BSD-3-Clause
. "$HELPERS"
set -m # or background jobs would ignore SIGINT
"$TOOL" make wave 200000 f32 >a.f32
mkfifo pipe
for signal in INT TERM HUP QUIT XCPU ALRM USR1 USR2 ABRT KILL; do
  ulimit -c 0
  echo old >out.ghz
  before=$(state)
  "$GHZ" compress -f --abs 1e-3 --frame-values 16384 --type f32 -o out.ghz pipe 2>/dev/null &
  pid=$!
  exec 3>pipe
  head -c 400000 a.f32 >&3
  for ((i = 0; i < 200; i++)); do
    [ -n "$(find . -name '.ghz-*' -size +1)" ] && break
    sleep 0.05
  done
  [ -n "$(find . -name '.ghz-*' -size +1)" ] || die "no unfinished file appeared"
  kill -$signal $pid
  wait $pid
  code=$?
  exec 3>&-
  [ $code = $((128 + $(kill -l $signal))) ] || die "$signal: exit code $code"
  [ $signal != KILL ] || rm .ghz-?????? || die "no unfinished file stays"
  [ "$(state)" = "$before" ] || die "$signal: files changed: $(state)"
done
echo rest >.ghz-aBc123
ok "$GHZ" compress -f --abs 1e-3 a.f32 -o out.ghz
ok "$GHZ" test out.ghz
