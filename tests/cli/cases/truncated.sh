# A file cut anywhere, at frame boundaries too, or with bytes after its end, is refused.
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
at=48
while [ $at -lt $((size - 24)) ]; do
  head -c $at a.f32.ghz >cut.ghz
  fails 1 'cut.ghz: truncated' "$GHZ" test cut.ghz
  fails 1 'cut.ghz: truncated' "$GHZ" add cut.ghz cut.ghz -o sum.ghz
  at=$((at + 16 + $(od -A n -t u8 -j $at -N 8 a.f32.ghz)))
done
[ $at = $((size - 24)) ] || die "frames end at $at, not $((size - 24))"
{ cat a.f32.ghz; printf x; } >long.ghz
fails 1 'long.ghz: more bytes follow the end' "$GHZ" test long.ghz
fails 1 'long.ghz: more bytes follow the end' "$GHZ" decompress long.ghz
cat a.f32.ghz a.f32.ghz >twice.ghz
fails 1 'twice.ghz: more bytes follow the end' "$GHZ" test twice.ghz
# A frame that is missing or there twice.
one=$((16 + $(od -A n -t u8 -j 48 -N 8 a.f32.ghz)))
{ head -c 48 a.f32.ghz; tail -c +$((49 + one)) a.f32.ghz; } >less.ghz
fails 1 'less.ghz: damaged' "$GHZ" test less.ghz
{ head -c $((48 + one)) a.f32.ghz; tail -c +49 a.f32.ghz; } >more.ghz
fails 1 'more.ghz: damaged' "$GHZ" test more.ghz
# Two frames that changed places.
two=$((16 + $(od -A n -t u8 -j $((48 + one)) -N 8 a.f32.ghz)))
{
  head -c 48 a.f32.ghz
  tail -c +$((49 + one)) a.f32.ghz | head -c $two
  tail -c +49 a.f32.ghz | head -c $one
  tail -c +$((49 + one + two)) a.f32.ghz
} >swapped.ghz
fails 1 'swapped.ghz: damaged: the checksum of frame 0' "$GHZ" test swapped.ghz
