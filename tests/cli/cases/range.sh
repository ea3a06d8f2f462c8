# Random access: any range equals the same part of the whole.
# SPDX-License-Identifier: BSD-3-Clause
. "$HELPERS"
"$TOOL" make wave 50000 f32 >a.f32
ok "$GHZ" compress -q --abs 1e-4 --frame-values 16384 a.f32
cat a.f32 | ok "$GHZ" compress -q --abs 1e-4 --frame-values 16384 --type f32 >pipe.ghz
ok "$GHZ" decompress a.f32.ghz -o all.f32
for range in 0:1 0:50000 49999:1 16383:2 16384:16384 10:40000 32768:1 20000:5; do
  first=${range%:*} count=${range#*:}
  tail -c +$((4 * first + 1)) all.f32 | head -c $((4 * count)) >want.f32
  ok "$GHZ" decompress --range $range a.f32.ghz -f -o part.f32
  same want.f32 part.f32
  cat pipe.ghz | ok "$GHZ" decompress --range $range >part.f32
  same want.f32 part.f32
  ok "$GHZ" decompress --range $range pipe.ghz -c >part.f32
  same want.f32 part.f32
done
fails 2 '--range needs -o FILE or -c' "$GHZ" decompress --range 5:7 -f a.f32.ghz
ok "$GHZ" decompress --range 5:7 a.f32.ghz -o part.npy
grep -qa "'shape': (7,)" part.npy || die "shape of a range"
for range in 50000:1 49999:2 0:50001 18446744073709551615:1 1:18446744073709551615; do
  fails 1 'a.f32.ghz: --range' "$GHZ" decompress --range $range a.f32.ghz -o x.f32
  fails 1 'standard input: --range' bash -c 'cat pipe.ghz | "$GHZ" decompress -o x.f32 --range '$range
done
for range in 5 5: :5 a:b 5:0 -1:3 5:6:7 99999999999999999999:1; do
  fails 2 "--range $range: must be FIRST:COUNT" "$GHZ" decompress --range $range a.f32.ghz -o x.f32
done
# Frames before the range are not read: damage there does not matter.
"$TOOL" flip a.f32.ghz 1600
ok "$GHZ" decompress --range 40000:10 a.f32.ghz -f -o part.f32
fails 1 'a.f32.ghz: damaged' "$GHZ" decompress --range 0:10 a.f32.ghz -o x.f32
