# Boxes: what --box gives is what NumPy's slicing gives, of bricks, flat streams and several frames.
# (More arrays: tests/library/test_files.c, tests/laws/test_boxes.c.)
# SPDX-License-Identifier: BSD-3-Clause
. "$HELPERS"
"$TOOL" make wave 60000 f32 >a.f32
c() { ok "$GHZ" compress -qf --abs 1e-3 "$@"; }
have python3 || skip "no python3 to cut boxes"
# values FILE NZ NY NX Z0 Z1 Y0 Y1 X0 X1: a box of an array.
values() {
  python3 -c 'import sys
x, n = open(sys.argv[1], "rb").read(), [int(v) for v in sys.argv[2:]]
for at in (4 * (z * n[1] + y) * n[2] for z in range(n[3], n[4]) for y in range(n[5], n[6])):
    sys.stdout.buffer.write(x[at + 4 * n[7]:at + 4 * n[8]])' "$@"
}
for options in '' '--flat --frame-values 16384'; do
  c $options --dims 30x40x50 a.f32 -o a.ghz
  ok "$GHZ" decompress -qf a.ghz -o all.f32
  for box in 0:30,0:40,0:50 9:11,7:33,15:17 29:30,39:40,49:50; do
    IFS=:, read -ra ends <<<"$box"
    values all.f32 30 40 50 "${ends[@]}" >want.f32
    ok "$GHZ" decompress --box $box a.ghz -f -o part.f32
    same want.f32 part.f32
    cat a.ghz | ok "$GHZ" decompress --box $box >part.f32
    same want.f32 part.f32
  done
  values all.f32 30 40 50 5 30 0 40 0 7 >want.f32
  ok "$GHZ" decompress --box 5:,:,:7 a.ghz -c >part.f32
  same want.f32 part.f32
  c $options --dims 5x6x40x50 a.f32 -o d.ghz
  ok "$GHZ" decompress -qf d.ghz -o all.f32
  { values all.f32 30 40 50 7 9 3 5 2 40; values all.f32 30 40 50 13 15 3 5 2 40; } >want.f32
  ok "$GHZ" decompress --box 1:3,1:3,3:5,2:40 d.ghz -c >part.f32
  same want.f32 part.f32
done
ok "$GHZ" decompress --box 1:3,1:3,3:5,2:40 d.ghz -o part.npy
grep -qa "'shape': (2, 2, 2, 38)" part.npy || die "shape of a box"
ok "$GHZ" decompress --box 1:3,1:3,3:5,2:40 d.ghz -o part.f64
[ "$(wc -c <part.f64)" = $((8 * 304)) ] || die "f64 of a box"
# A row is an array, too; Fortran order
{ "$TOOL" npy '(60000,)' f32; cat a.f32; } >row.npy
c row.npy -o row.ghz
ok "$GHZ" decompress -f --range 100:20 row.ghz -o want.f32
ok "$GHZ" decompress -f --box 100:120 row.ghz -o part.f32
cmp want.f32 part.f32 || die "a box of a row"
{ "$TOOL" npy '(40, 30, 50)' f32 | sed 's/False/True /'; cat a.f32; } >f.npy
c f.npy -o f.ghz
ok "$GHZ" decompress -qf f.ghz -o all.f32
values all.f32 50 30 40 5 9 3 20 10 30 >want.f32
ok "$GHZ" decompress -f --box 10:30,3:20,5:9 f.ghz -o part.f32
same want.f32 part.f32
ok "$GHZ" decompress -f --box 10:30,3:20,5:9 f.ghz -o part.npy
grep -qa "'fortran_order': True, 'shape': (20, 17, 4)" part.npy || die "header of a box in Fortran order"
# As in NumPy an index leaves no dimension, a range of one leaves it, and what is left out is whole.
c --dims 30x40x50 a.f32 -f -o a.ghz
ok "$GHZ" decompress -qf a.ghz -o all.f32
while IFS='|' read -r box shape ends; do
  ok "$GHZ" decompress -f --box "$box" a.ghz -o part.npy
  grep -qa "'shape': ($shape), }" part.npy || die "--box $box: $(head -c 128 part.npy)"
  ok "$GHZ" decompress -f --box "$box" a.ghz -o part.f32
  values all.f32 30 40 50 $ends >want.f32
  same want.f32 part.f32
done <<'E'
7|40, 50|7 8 0 40 0 50
29,39|50,|29 30 39 40 0 50
0,0:2|2, 50|0 1 0 2 0 50
:,5|30, 50|0 30 5 6 0 50
:,:,49|30, 40|0 30 0 40 49 50
3:4,:,6|1, 40|3 4 0 40 6 7
2:5|3, 40, 50|2 5 0 40 0 50
4,5,6||4 5 5 6 6 7
E
ok "$GHZ" decompress -f --box :,2,5:7 f.ghz -o part.npy
grep -qa "'fortran_order': True, 'shape': (40, 2)" part.npy || die "header of a plane in Fortran order"
ok "$GHZ" decompress -f --box 0:40,2:3,5:7 f.ghz -o want.f32
ok "$GHZ" decompress -f --box :,2,5:7 f.ghz -o part.f32
same want.f32 part.f32
# Frames before the box are not read.
c --frame-values 16384 --dims 30x40x50 a.f32 -o a.ghz
"$TOOL" flip a.ghz 2000
ok "$GHZ" decompress -f --box 20:21,0:1,0:9 a.ghz -o part.f32
fails 1 'a.ghz: damaged' "$GHZ" decompress --box 0:1,0:1,0:9 a.ghz -o x.f32
# What is wrong
fails 2 '--box needs -o FILE or -c' "$GHZ" decompress --box 0:1,0:1,0:1 a.ghz
fails 2 'give --range or --box, not both' "$GHZ" decompress --box 0:1 --range 0:1 a.ghz -c
while IFS='|' read -r box why; do
  fails 2 "--box $box: must be A:B,C,...; $why" "$GHZ" decompress --box "$box" a.ghz -c
done <<'E'
|each dimension needs an index, as 5, or a range, as 2:7 or : for all of it
a:b|each dimension needs an index
1:2,|each dimension needs an index
,1:2|each dimension needs an index
-1:2|each dimension needs an index
5,-1|each dimension needs an index
1 2|ranges must be separated by commas
3:3|the first number of a range must be smaller than the second
4:3|the first number of a range must be smaller
1:2:3|ranges must be separated by commas
1:2x3:4|ranges must be separated by commas
99999999999999999999:|a number is too large
99999999999999999999|a number is too large
E
fails 1 'a.ghz: --box has 4 dimensions, the shape 30x40x50 has 3' "$GHZ" decompress --box 0,0,0,0 a.ghz -c
for index in 40 18446744073709551614 18446744073709551615; do
  fails 1 "a.ghz: --box: $index is not inside 0:40, the range of dimension 1 (from 0) of shape 30x40x50" \
    "$GHZ" decompress --box 0:1,$index a.ghz -c
done
fails 1 'a.ghz: --box: 0:41 is not inside 0:40, the range of dimension 1 (from 0) of shape 30x40x50' \
  "$GHZ" decompress --box 0:1,0:41,: a.ghz -c
fails 1 'a.ghz: --box: 50:50 is not inside 0:50, the range of dimension 2' "$GHZ" decompress --box :,:,50: a.ghz -c
c a.f32
fails 1 'a.f32.ghz: has no shape; use --range, or compress it with --dims' "$GHZ" decompress --box 0:1 a.f32.ghz -c
