# On a terminal: no binary output, no waiting for values to be typed, a progress bar for long work.
# SPDX-License-Identifier: BSD-3-Clause
. "$HELPERS"
have script || skip "no script(1) to make a terminal"
"$TOOL" make wave 1000 f32 >a.f32
ok "$GHZ" compress --abs 1e-3 a.f32 -o a.ghz
on_terminal() { script -qec "$1" /dev/null </dev/null | tr -d '\r'; }
on_terminal "\"$GHZ\" compress --abs 1e-3 a.f32 -c; echo code \$?" >out
grep -q 'standard output: binary data is not written to a terminal' out && grep -q 'code 1' out || die "$(cat out)"
ok "$GHZ" compress --abs 1e-3 --pack a.f32 -o p.ghz
for what in 'add a.ghz a.ghz' 'mean a.ghz' 'sub a.ghz a.ghz' 'scale 2 a.ghz' 'pack -c a.ghz' 'unpack -c p.ghz' 'minmax --min a.ghz -o -' \
  'decompress -c a.ghz' 'decompress a.ghz -o -' 'decompress --range 0:9 -c a.ghz' 'decompress -c < a.ghz'; do
  on_terminal "\"$GHZ\" $what; echo code \$?" >out
  grep -q 'not written to a terminal' out && grep -q 'code 1' out && [ "$(wc -c <out)" -lt 200 ] || die "$what: $(cat out)"
  on_terminal "\"$GHZ\" $what -f; echo code \$?" >out
  grep -qa 'code 0' out && [ "$(wc -c <out)" -gt 40 ] || die "$what -f: $(cat out)"
done
rm p.ghz
on_terminal "\"$GHZ\" compress --abs 1e-3; echo code \$?" >out
grep -q 'no input file' out && grep -q 'code 2' out || die "$(cat out)"
on_terminal "\"$GHZ\" compress -f --abs 1e-3 a.f32 -c" | grep -qa GHZF || die "-f does not force"
on_terminal "\"$GHZ\" compress --abs 1e-3 a.f32 -o /dev/tty; echo code \$?" >out
grep -q '/dev/tty: binary data is not written to a terminal' out && grep -q 'code 1' out || die "$(cat out)"
mkfifo pipe
{ for ((i = 0; i < 20; i++)); do cat a.f32 a.f32; sleep 0.07; done >pipe; } &
on_terminal "\"$GHZ\" compress --abs 1e-3 --type f32 --frame-values 16384 -o p.ghz pipe" >out
grep -q 'pipe: .* GB/s' out || die "no progress: $(cat out)"
wait
ok "$GHZ" test p.ghz
