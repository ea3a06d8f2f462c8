# A file cut anywhere, at frame boundaries too, is refused. Bytes after its end may be of an append
# that was not finished, and are refused from a pipe alone.
# SPDX-License-Identifier: BSD-3-Clause
. "$HELPERS"
"$TOOL" make wave 40000 f32 >a.f32
ok "$GHZ" compress --abs 0.3 --frame-values 16384 a.f32
size=$(wc -c <a.f32.ghz)
step=$((size / 150 + 1))
for ((n = 1; n < size; n += n < 80 || n > size - 60 ? 1 : step)); do
  head -c $n a.f32.ghz >cut.ghz
  fails 1 'cut.ghz: ' "$GHZ" test cut.ghz
  fails 1 'cut.ghz: ' "$GHZ" decompress cut.ghz
  fails 1 'standard input: ' bash -c 'cat cut.ghz | "$GHZ" decompress -o x.f32'
done
# The ends of frames, as the lengths in the file tell them.
u64_at() { od -A n -t u8 -j "$1" -N 8 a.f32.ghz; }
end=$((size - 32 - $(u64_at $((size - 24))) - 24)) # before the tail, the index and the end
at=56
while [ $at -lt $end ]; do
  head -c $at a.f32.ghz >cut.ghz
  fails 1 'cut.ghz: truncated' "$GHZ" test cut.ghz
  fails 1 'cut.ghz: truncated' "$GHZ" add cut.ghz cut.ghz -o sum.ghz
  at=$((at + 16 + $(u64_at $at)))
done
[ $at = $end ] || die "frames end at $at, not $end"
head -c $((end + 24)) a.f32.ghz >cut.ghz
fails 1 'cut.ghz: truncated: ends in the index' "$GHZ" test cut.ghz
{ cat a.f32.ghz; printf x; } >long.ghz
ok "$GHZ" test long.ghz
ok "$GHZ" decompress long.ghz -o long.f32
ok "$GHZ" decompress a.f32.ghz -o short.f32
same long.f32 short.f32
"$GHZ" test long.ghz 2>&1 | grep -q 'long.ghz: 1 B behind its end' || die "says nothing of the byte behind the end"
fails 1 'standard input: more bytes follow the end' bash -c 'cat long.ghz | "$GHZ" test'
cat a.f32.ghz a.f32.ghz >twice.ghz
fails 1 'twice.ghz: damaged index: its frames do not fill the file' "$GHZ" test twice.ghz
# A frame that is missing or there twice.
one=$((16 + $(u64_at 56)))
{ head -c 56 a.f32.ghz; tail -c +$((57 + one)) a.f32.ghz; } >less.ghz
fails 1 'less.ghz: damaged' "$GHZ" test less.ghz
{ head -c $((56 + one)) a.f32.ghz; tail -c +57 a.f32.ghz; } >more.ghz
fails 1 'more.ghz: damaged' "$GHZ" test more.ghz
# Two frames that changed places.
two=$((16 + $(u64_at $((56 + one)))))
{
  head -c 56 a.f32.ghz
  tail -c +$((57 + one)) a.f32.ghz | head -c $two
  tail -c +57 a.f32.ghz | head -c $one
  tail -c +$((57 + one + two)) a.f32.ghz
} >swapped.ghz
fails 1 'swapped.ghz: damaged: frame 0: its checksum' "$GHZ" test swapped.ghz
