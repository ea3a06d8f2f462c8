# A command that is killed in the middle leaves nothing behind, and what was there stays.
. "$HELPERS"
set -m # or background jobs would ignore SIGINT
"$TOOL" make wave 200000 f32 >a.f32
mkfifo pipe
for signal in INT TERM HUP QUIT XCPU ALRM USR1 USR2 ABRT; do
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
  [ "$(state)" = "$before" ] || die "$signal: files changed: $(state)"
done
