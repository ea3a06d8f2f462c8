# ghz tune: the table is what compress and compare say, and the bound it finds is the right one.
# SPDX-License-Identifier: BSD-3-Clause
. "$HELPERS"
"$TOOL" make wave 262144 f32 >w.f32
ok "$GHZ" tune w.f32 >out
grep -q '^ *--rel  *--abs  *ratio bits/value  *PSNR dB  *GB/s: compress decompress$' out || die "$(cat out)"
! grep -q -e --flat out || die "flat twice: $(cat out)"
grep -q '^w.f32: 262144 values of f32, -1.* to 1.*, flat$' out && [ "$(wc -l <out)" = 9 ] || die "$(cat out)"
ok "$GHZ" tune --dims 64x64x64 --psnr 70 w.f32 >out
[ "$(grep -c '^ *--flat  *[0-9]' out)" = 7 ] && [ "$(wc -l <out)" = 17 ] || die "$(cat out)"
grep -q 'bricks of 8x8x16$' out && grep -q '^PSNR 70 dB needs --rel .* (--abs .*): ratio .*, PSNR 70.* dB, .*; --flat: [0-9.]*, [0-9.]* dB, [0-9.]*$' out || die "$(cat out)"
# An order that flat arrays do not have.
head -c 120000 w.f32 >part.f32
ok "$GHZ" tune --dims 150x200 part.f32 >out
grep -q -e --flat out || die "no line of a flat array whose end is within a chunk: $(cat out)"
ok "$GHZ" tune --dims 64x64x64 --order 3 w.f32 >out
[ "$(wc -l <out)" = 9 ] || die "$(cat out)"
# Of integers it says what they take.
head -c 8192 w.f32 >i.i16
ok "$GHZ" tune i.i16 >out
grep -q '^  --step 1 is exact: ratio [0-9.]*, [0-9.]* bits per value$' out && [ "$(wc -l <out)" = 2 ] || die "$(cat out)"
fails 1 'i.i16: holds integers, which are compressed exactly' "$GHZ" tune --ratio 3 i.i16
fails 2 'give --psnr or --ratio, not both' "$GHZ" tune --psnr 80 --ratio 10 w.f32
fails 2 '--ratio 0: must be a positive, finite number' "$GHZ" tune --ratio 0 w.f32
fails 2 '--abs does not apply here' "$GHZ" tune --abs 1 w.f32
fails 1 'w.f32: no bound reaches a ratio of 1e+09: with --rel 1' "$GHZ" tune --ratio 1e9 w.f32
"$TOOL" make constant 1000 f64 >c.f64
ok "$GHZ" tune c.f64 >out
grep -q ' - ' out || die "PSNR of a constant: $(cat out)"
fails 1 'c.f64: has no range' "$GHZ" tune --psnr 80 c.f64
"$TOOL" npy '(3, 0)' f64 >none.npy
fails 1 'none.npy: has no values' "$GHZ" tune none.npy
"$TOOL" make special 10000 f32 >s.f32
cat s.f32 | ok "$GHZ" tune --type f32 --psnr 300 >out
grep -q '^PSNR 300 dB needs --rel .*: ratio 1[.0-9]*, PSNR inf dB' out || die "$(cat out)"
# Of several frames the one in the middle is measured: here noise between zeros.
head -c 589824 /dev/zero >big.f32
"$TOOL" make noise 147456 f32 >>big.f32
head -c 589824 /dev/zero >>big.f32
for shape in --flat '--dims 36x96x128' '--dims 3x144x1024'; do
  ok "$GHZ" tune $shape --frame-values 32768 big.f32 >out
  grep -Eq 'measured on (32768|98304) in the middle' out && awk '/^ *0.001/ { exit $3 > 5 }' out || die "$shape: $(cat out)"
done
fails 1 'w.f32: --dims 4x5 needs 20 values' "$GHZ" tune --dims 4,5 w.f32
fails 2 '--dims ?512,512: give one order; ghz tune shows the largest ratio for the true one' "$GHZ" tune --dims ?512,512 w.f32
have jq || exit 0
# Each row agrees with compress and compare: the ratio is that of the file, to the byte.
head -c 4096 s.f32 >>w.f32
for shape in '' '--dims 64x64x64' '--dims 64x64x64 --pack'; do
  [ -z "$shape" ] || "$TOOL" make wave 262144 f32 >w.f32
  ok "$GHZ" tune $shape --json w.f32 w.f32 >out
  [ "$(jq length out)" = 2 ] && [ "$(jq '.[0].bounds | length' out)" = 7 ] || die "$(cat out)"
  for i in 1 3 5; do
    ok "$GHZ" compress -qf $shape --rel "$(jq ".[0].bounds[$i].rel" out)" w.f32
    ok "$GHZ" compare --json w.f32 w.f32.ghz >seen
    jq -es '.[0][0].bounds['$i'] as $t | .[1] as $s |
      ($t.psnr - $s.psnr | fabs) < 0.01 and $t.ratio == $s.ratio and $t.bound == $s.bound' out seen >/dev/null ||
      die "row $i: $(jq -c ".[0].bounds[$i]" out) $(cat seen)"
    [ -n "$shape" ] || { jq -e ".[0].bounds[$i].flat == null" out >/dev/null || die "flat twice: $(cat out)"; continue; }
    ok "$GHZ" compress -qf $shape --flat --rel "$(jq ".[0].bounds[$i].rel" out)" w.f32
    ok "$GHZ" compare --json w.f32 w.f32.ghz >seen
    jq -es '.[0][0].bounds['$i'].flat as $t | .[1] as $s |
      ($t.psnr - $s.psnr | fabs) < 0.01 and ($t.ratio / $s.ratio - 1 | fabs) < 0.003' out seen >/dev/null ||
      die "flat row $i: $(jq -c ".[0].bounds[$i].flat" out) $(cat seen)"
  done
  # The bound that is found reaches the goal, and one that is a hundredth worse does not.
  for goal in 'psnr 75' 'ratio 9'; do
    ok "$GHZ" tune $shape --${goal% *} ${goal#* } --json w.f32 >out
    rel=$(jq '.[0].found.rel' out)
    ok "$GHZ" compress -qf $shape --rel $rel w.f32
    ok "$GHZ" compare --json w.f32 w.f32.ghz >seen
    jq -e ".${goal% *} >= ${goal#* } * 0.999" seen >/dev/null || die "$goal: --rel $rel gives $(cat seen)"
    worse=$(awk -v r=$rel -v g="$goal" 'BEGIN { print g ~ /psnr/ ? r * 1.011 : r / 1.011 }')
    ok "$GHZ" compress -qf $shape --rel $worse w.f32
    ok "$GHZ" compare --json w.f32 w.f32.ghz >seen
    jq -e ".${goal% *} < ${goal#* } * 1.003" seen >/dev/null || die "$goal: --rel $rel is not the best: $worse gives $(cat seen)"
  done
done
# A PSNR over a range that one value, or a fill value, sets says nothing of the others.
if have python3; then
  python3 - <<'P'
import array, math
wave = [280 + math.sin(i / 30) for i in range(40000)]
array.array("f", [1e20 if i % 4 == 0 else v for i, v in enumerate(wave)]).tofile(open("fill.f32", "wb"))
array.array("f", [1e9] + wave[1:]).tofile(open("outlier.f32", "wb"))
P
  said() { grep -qF -e "$1" "$SCRATCH/stderr" || die "no '$1' in: $(cat "$SCRATCH/stderr")"; }
  ok "$GHZ" tune outlier.f32 >out
  said 'outlier.f32: with --rel 0.0001 the bound 1e+05 is larger than '
  ok "$GHZ" tune --psnr 80 fill.f32 >out
  said 'magnitude is 280; 25 % of the values are 1e+20, a usual fill value'
  said "with --rel $(sed -n 's/^PSNR 80 dB needs --rel \([^ ]*\) .*/\1/p' out) the bound"
  ok "$GHZ" tune --fill 1e20 fill.f32 >out
  ! grep -qE 'median|usual' "$SCRATCH/stderr" || die "said: $(cat "$SCRATCH/stderr")"
fi
