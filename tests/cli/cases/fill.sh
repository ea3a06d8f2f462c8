# Fill values: kept exactly, outside range and bound; the usual ones are recognised and said.
# SPDX-License-Identifier: BSD-3-Clause
. "$HELPERS"
have python3 || skip "the files are made by python3"
# mask NAME TYPE FILL EVERY [FACTOR]: 40000 values of a temperature, of which some are the fill
# value, or NaN
mask() {
  python3 - "$@" <<'P'
import array, math, sys
name, kind, fill, every = sys.argv[1:5]
factor = float(sys.argv[5]) if len(sys.argv) > 5 else 1
fill, every = float(fill), int(every)
array.array(kind, [fill if every and i // 50 % every == 0 else factor * (280 + 20 * math.sin(i / 300)) for i in range(40000)]).tofile(open(name, "wb"))
P
}
bound_of() { "$GHZ" info "$1" | sed -n 's/^  bound per term  *//p'; }
says() { grep -qF -e "$1" "$SCRATCH/stderr" || die "no '$1' in: $(cat "$SCRATCH/stderr")"; }
quiet() { ! grep -qE -e 'fill value|median' "$SCRATCH/stderr" || die "said: $(cat "$SCRATCH/stderr")"; }
mask nan.f32 f nan 4
for fill in 1e20 -9999; do
  mask m.f32 f $fill 4
  # It is recognised (which ones: tests/library/test_fill.c), and sets the range
  ok "$GHZ" compress -f --rel 1e-4 m.f32
  says "25 % of the values are ${fill/1e20/1e+20}, a usual fill value: they set the range, and are added, as numbers. Use --fill"
  # With --fill it is kept, and the bound is that of the rest
  ok "$GHZ" compress -f --rel 1e-4 --fill $fill m.f32
  quiet
  ok "$GHZ" decompress -f m.f32.ghz -o back.f64
  python3 - <<'P' || die "$fill"
import array
x, y = array.array("f"), array.array("d")
x.fromfile(open("m.f32", "rb"), 40000), y.fromfile(open("back.f64", "rb"), 40000)
mask = [i // 50 % 4 == 0 for i in range(40000)]
assert all(b == a if m else abs(a - b) <= 40.0001e-4 for a, b, m in zip(x, y, mask))
P
  ok "$GHZ" compare m.f32 m.f32.ghz >out
  grep -q '^bound  *0.0039' out || grep -q '^bound  *0.004' out || die "$(cat out)"
  [ "$(bound_of m.f32.ghz)" = "$(sed -n 's/^bound  *//p' out)" ] || die "bounds"
done
# It costs what NaN costs, and is shown.
mask m.f32 f 1e20 4
ok "$GHZ" compress -f --json --rel 1e-4 m.f32 >out
says 'a usual fill value: they set the range'
says 'is larger than 100 % of the values'
ok "$GHZ" compress -f --rel 1e-4 --fill 1e20 m.f32
ok "$GHZ" compress -f --rel 1e-4 nan.f32
a=$(wc -c <m.f32.ghz) b=$(wc -c <nan.f32.ghz)
[ $((a - b)) -le 16 ] || die "$a bytes with a fill, $b with NaN"
ok "$GHZ" info m.f32.ghz >out
grep -q '^  fill value  *1e+20$' out || die "$(cat out)"
ok "$GHZ" info --json m.f32.ghz nan.f32.ghz >out
grep -q '"fill": 1.00000002' out && grep -q '"fill": null' out || die "$(cat out)"
ok "$GHZ" compress -vf --rel 1e-4 --fill 1e20 m.f32
says '25 % of the values equal the fill value 1e+20'
ok "$GHZ" compress -f --rel 1e-4 --fill 5 m.f32 -o x.ghz
says 'no value equals the fill value 5'
[ "$("$GHZ" minmax --fill 1e20 m.f32)" = "$("$GHZ" minmax nan.f32 | sed 's/nan/m/')" ] || die "minmax --fill"
ok "$GHZ" tune --fill 1e20 m.f32 >out && ok "$GHZ" tune nan.f32 >want
[ "$(awk '{ print $2, $5 }' out | tail -n +3)" = "$(awk '{ print $2, $5 }' want | tail -n +3)" ] || die "tune --fill: $(cat out want)"
# In several frames, from a pipe, with others; through sums
ok "$GHZ" compress -f --rel 1e-4 --fill 1e20 --frame-values 16384 m.f32 -o frames.ghz
ok "$GHZ" decompress -q frames.ghz -o frames.f32 && ok "$GHZ" decompress -qf m.f32.ghz -o one.f32
same frames.f32 one.f32
cat m.f32 | ok "$GHZ" compress --rel 1e-4 --fill 1e20 --frame-values 16384 --type f32 >pipe.ghz
ok "$GHZ" decompress -q pipe.ghz -o pipe.f32
same pipe.f32 one.f32
mask far.f32 f 1e20 3 2
ok "$GHZ" compress -f --rel 1e-4 --fill 1e20 --together --sum-of 2 m.f32 far.f32
ok "$GHZ" add m.f32.ghz far.f32.ghz -o sum.f64
python3 - <<'P' || die "a sum"
import array, math
s = array.array("d")
s.fromfile(open("sum.f64", "rb"), 40000)
fill = array.array("f", [1e20])[0]
for i, x in enumerate(s):
    assert x == fill if i // 50 % 4 == 0 or i // 50 % 3 == 0 else abs(x - 3 * (280 + 20 * math.sin(i / 300))) < 0.0345
P
ok "$GHZ" compress -q --like m.f32.ghz far.f32 -o like.ghz
same like.ghz far.f32.ghz
fails 2 'fill value, tiles and frames of m.f32.ghz: leave --fill out' "$GHZ" compress --like m.f32.ghz --fill 1 far.f32 -o x
ok "$GHZ" compress -qf --abs 1e-3 --fill 1e20 m.f32 && ok "$GHZ" compress -qf --abs 1e-3 far.f32 && ok "$GHZ" compress -qf --abs 1e-3 --fill -999 nan.f32
fails 1 'far.f32.ghz: fill value none differs from 1e+20 in m.f32.ghz: compress both with the same --fill' \
  "$GHZ" add m.f32.ghz far.f32.ghz -o y.ghz
fails 1 'm.f32.ghz: fill value 1e+20 differs from -999 in nan.f32.ghz' "$GHZ" sub nan.f32.ghz m.f32.ghz -o y.ghz
# compare: fill values are missing, in numbers and pictures
ok "$GHZ" compare --fill 1e20 m.f32 m.f32 >out
grep -q '^PSNR  *inf' out || die "$(cat out)"
fails 1 'NaN or infinities differ' "$GHZ" compare --fill 1e20 m.f32 far.f32
if "$GHZ" compare m.f32 m.f32.ghz --dims 200x200 --png m.png >/dev/null 2>&1; then
  mask small.f32 f 280 4
  ok "$GHZ" compare nan.f32 nan.f32 --dims 200x200 --png n.png >/dev/null
  ok "$GHZ" compare --fill 1e20 m.f32 m.f32 --dims 200x200 --png p.png >/dev/null
  cmp -s n.png p.png && die "the caption says what is grey"
fi
# A bound that leaves little of most values (others: tests/library/test_fill.c)
ok "$GHZ" compress -f --abs 500 m.f32
says 'the bound 500 is larger than 100 % of the values other than 0, which come back as 0: their median magnitude is 28'
ok "$GHZ" compress -f --abs 1 --fill 1e20 m.f32
quiet
for v in nan inf -inf 1e999 x; do fails 2 "--fill $v: must be a finite number" "$GHZ" compress --abs 1 --fill $v m.f32; done
fails 1 'm.f32: --fill 1e+40 is too large for f32' "$GHZ" compress --abs 1 --fill 1e40 m.f32 -o x.ghz
# 1e20 is one fill value, in double and float
mask m.f64 d 1e20 4
ok "$GHZ" compress -q -f --abs 1e-3 --fill 1e20 m.f32
ok "$GHZ" compare --fill 1e20 m.f64 m.f32.ghz >/dev/null
fails 1 'm.f32.ghz: has the fill value 1e+20: leave out --fill' "$GHZ" compare --fill 5 m.f32 m.f32.ghz
