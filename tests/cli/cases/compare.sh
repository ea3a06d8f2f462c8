# Errors are measured exactly, violations are told by the exit code, pictures are drawn.
# SPDX-License-Identifier: BSD-3-Clause
. "$HELPERS"
"$TOOL" make wave 60000 f32 >a.f32
ok "$GHZ" compress -q --abs 1e-3 --frame-values 16384 a.f32
ok "$GHZ" decompress -q a.f32.ghz -o b.f32
ok "$GHZ" compare a.f32 a.f32.ghz >out
for word in 'values  *60000' 'max error' 'error / bound  *0' NRMSE 'PSNR .*dB' ratio; do
  grep -q "$word" out || die "no '$word' in: $(cat out)"
done
ok "$GHZ" compare a.f32 a.f32 >out
grep -q 'PSNR  *inf' out || die "equal files: $(cat out)"
ok "$GHZ" compare --abs 1e-3 a.f32 b.f32 >/dev/null
fails 1 'b.f32: the bound 1e-05 is violated' "$GHZ" compare --abs 1e-5 a.f32 b.f32
fails 1 'b.f32: the bound' "$GHZ" compare --rel 1e-6 a.f32 b.f32
"$GHZ" compare --json --abs 1e-5 a.f32 b.f32 >out 2>/dev/null
grep -q '"within_bound": false' out || die "$(cat out)"
! have jq || jq . out >/dev/null || die "JSON"
# An error that is above the bound by less than the rounding of doubles
printf '\0\0\0\0\0\0\360\077' >one.f64                       # 1
printf '\0\0\0\0\0\0\020\200' >tiny.f64                      # -2^-1022: |x - y| = 1 + 2^-1022
fails 1 'tiny.f64: the bound 1 is violated' "$GHZ" compare --abs 1 one.f64 tiny.f64
printf '\0\0\0\0\0\0\020\0' >tiny.f64
ok "$GHZ" compare --abs 1 one.f64 tiny.f64 >/dev/null
# NaN and infinities
"$TOOL" make special 1000 f32 >s.f32
"$TOOL" make wave 1000 f32 >w.f32
ok "$GHZ" compress --abs 1e-3 s.f32
ok "$GHZ" compare s.f32 s.f32.ghz >/dev/null
fails 1 'w.f32: NaN or infinities differ from s.f32' "$GHZ" compare s.f32 w.f32
fails 1 'NaN or infinities differ' "$GHZ" compare --abs 2 s.f32 w.f32
grep -q '^error / bound .*[0-9]$' "$SCRATCH/stdout" || die "not the bound is violated: $(cat "$SCRATCH/stdout")"
grep -q '^NaN and Inf  *differ at .* (violated)$' "$SCRATCH/stdout" || die "$(cat "$SCRATCH/stdout")"
# Without a range there is neither NRMSE nor PSNR.
"$TOOL" npy '(3, 0)' f64 >empty.npy
printf '\0\0\300\177\0\0\300\177' >nan.f32
for file in empty.npy nan.f32; do
  ok "$GHZ" compare $file $file >out
  [ "$(grep -c -e '^NRMSE  *-$' -e '^PSNR  *-$' out)" = 2 ] || die "$file: $(cat out)"
  ok "$GHZ" compare --json $file $file >out
  grep -q '"nrmse": null, "psnr": null' out || die "$file: $(cat out)"
done
fails 1 'w.f32: has only 1000 values, fewer than a.f32' "$GHZ" compare a.f32 w.f32
fails 1 'w.f32: has only 1000 values, fewer than a.f32' "$GHZ" compare w.f32 a.f32
# int64 that float64 does not tell apart: what is equal is equal, and the rest is not measured.
printf '\0\0\0\0\0\0\040\0' >wide.i64  # 2^53
printf '\1\0\0\0\0\0\040\0' >other.i64 # and 1
ok "$GHZ" compare wide.i64 wide.i64 >out
grep -q '^max error  *0 at 0$' out || die "$(cat out)"
fails 1 'wide.i64: has int64 of 2^53 and more' "$GHZ" compare wide.i64 other.i64
fails 2 '2 input files are needed' "$GHZ" compare a.f32
"$GHZ" compare a.f32 b.f32 --abs 1e-5 >both 2>&1
tail -n 1 both | grep -q '^ghz: b.f32: the bound' || die "the error is not behind the table: $(cat both)"
fails 1 'a.f32: --dims 10x10 needs 100 values, the file has 60000' "$GHZ" compare a.f32 b.f32 --dims 10x10
# Where the largest error is, its root mean square, and the bias: 5 values, of which number 13 (from
# 0) of 2x3x4 is too large by 3, and number 23 too small by 1
ramp() { for i in $(seq 0 23); do [ $i = 13 ] && printf "\\0\\0\\$1" || { [ $i = 23 ] && printf "\\0\\0\\$2" || printf '\0\0\200\077'; }; done; }
ramp '200\077' '200\077' >ones.f32          # 1 everywhere
ramp '200\100' '000\000' >off.f32           # 4 and 0
ok "$GHZ" compare ones.f32 off.f32 --dims 2x3x4 >out
for line in 'max error  *3 at 13 (1, 0, 1)$' 'rms error  *0.645497$' 'bias  *0.0833333$'; do
  grep -q "^$line" out || die "no '$line' in: $(cat out)"
done
ok "$GHZ" compare ones.f32 off.f32 >out
grep -q '^max error  *3 at 13$' out || die "$(cat out)"
{ "$TOOL" npy '(2, 3, 4)' f32; cat ones.f32; } >ones.npy
{ "$TOOL" npy '(2, 3, 4)' f32 | sed 's/False/True/;s/, }/,  }/' | head -c 128; cat ones.f32; } >fortran.npy
ok "$GHZ" compare ones.npy off.f32 --json >out
grep -q '"max_error_at": 13, "max_error_index": \[1, 0, 1\].*"rms": 0.6454972243.*"bias": 0.08333' out || die "$(cat out)"
ok "$GHZ" compare fortran.npy off.f32 >out
grep -q '^max error  *3 at 13 (1, 0, 2)$' out || die "Fortran: $(cat out)"
fails 1 'off.f32: the bound 1 is violated: error 3 at 13 (1, 0, 1)' "$GHZ" compare --abs 1 ones.npy off.f32
# Pearson's r, differences of neighbours along each axis in whatever order of the memory, and the
# data SSIM. (plugins/python/tests/test_quality.py has them of all kinds of arrays, by NumPy.)
head -c 48 ones.f32 >half.f32 && head -c 48 /dev/zero >>half.f32 # the error is 0 in the first plane and -1 in the second
ok "$GHZ" compare ones.npy half.f32 >out
grep -q '^correlation  *-$' out && grep -q '^neighbours  *1, 0, 0 (' out && grep -q '^data SSIM  *-$' out || die "$(cat out)"
ok "$GHZ" compare ones.npy half.f32 --json >out
grep -q '"neighbours": \[1, 0, 0\], "ssim": null, "ssim_mean": null, "ssim_planes": 0' out || die "$(cat out)"
{ "$TOOL" npy '(2, 3, 4)' f32 | sed 's/False/True/;s/, }/,  }/' | head -c 128; cat half.f32; } >half.npy # the last axis is the slowest
ok "$GHZ" compare fortran.npy half.npy >out
grep -q '^neighbours  *0, 0, 1 (' out || die "Fortran: $(cat out)"
"$TOOL" make wave 40000 f32 >ssim.f32
{ head -c 80000 ssim.f32; head -c 80000 /dev/zero; } >lost.f32 # the second of two planes
ok "$GHZ" compare --dims 2x100x200 ssim.f32 lost.f32 >out
grep -q '^data SSIM  *[-0-9.e]* in plane 1, mean of 2 0.[45][0-9]*$' out || die "$(cat out)"
# Pictures
"$GHZ" compare a.f32 b.f32 --png p.png --dims 200x300 2>err >/dev/null || { grep -q 'built without libpng' err && exit 0; die "$(cat err)"; }
[ "$(head -c 8 p.png | od -A n -t x1 | tr -d ' ')" = 89504e470d0a1a0a ] || die "not a PNG"
# Three columns of 340 pixels and margins, 1100 x 345; a small field is magnified to at least 300
# pixels.
size_of() { od -A n -t u1 -j 16 -N 8 "$1" | tr -s ' '; }
[ "$(size_of p.png)" = ' 0 0 4 76 0 0 1 89' ] || die "p.png: $(size_of p.png)"
ok "$GHZ" compare a.f32 b.f32 --png q.png --dims 100x20x30 >/dev/null
[ "$(size_of q.png)" = ' 0 0 4 76 0 0 1 89' ] || die "q.png: $(size_of q.png)"
# --slice picks the plane: of zeros, and of others in the middle
ok "$GHZ" compare a.f32 b.f32 --png middle.png --slice 50 --dims 100x20x30 >/dev/null
same q.png middle.png
ok "$GHZ" compare a.f32 b.f32 --png first.png --slice 0 --dims 100x20x30 >/dev/null
differ first.png middle.png
fails 1 'a.f32: --slice: 100 is not inside 0:100, the range of dimension 0' "$GHZ" compare a.f32 b.f32 --png r.png --slice 100 --dims 100x20x30
fails 1 'a.f32: --slice has 2 indices, and 1 dimensions are before the last two' "$GHZ" compare a.f32 b.f32 --png r.png --slice 1,2 --dims 100x20x30
fails 2 '--slice 1:2: must be I,J,...; not a range' "$GHZ" compare a.f32 b.f32 --png r.png --slice 1:2 --dims 100x20x30
fails 2 '--slice says what --png draws' "$GHZ" compare a.f32 b.f32 --slice 1
fails 1 'p.png: already exists' "$GHZ" compare a.f32 w.f32 --png p.png --dims 200x300 # before anything is measured
fails 1 'w.f32: has only 1000 values' "$GHZ" compare -f a.f32 w.f32 --png p.png --dims 200x300
ok "$GHZ" compare a.f32 b.f32 -f --png p.png --dims 200x300 >/dev/null
fails 1 'a.f32: --dims 3x2 needs 6 values, the file has 60000' "$GHZ" compare a.f32 b.f32 --png r.png --dims 3x2
fails 1 'a.f32: has no shape' "$GHZ" compare a.f32 b.f32 --png r.png
cp b.f32 own
fails 1 'own: is the input itself' "$GHZ" compare -f a.f32 own --type f32 --png own --dims 200x300
same b.f32 own
printf '\x93NUMPY\x01\x00\x76\x00%-117s\n' "{'descr': '<f4', 'fortran_order': False, 'shape': (0, 0), }" >nothing.npy
fails 1 'nothing.npy: has no values to draw' "$GHZ" compare nothing.npy nothing.npy --png r.png
fails 1 'No space left' "$GHZ" compare a.f32 b.f32 --png /dev/full --dims 200x300
fails 2 '--png: standard output has the numbers; name a file' "$GHZ" compare a.f32 b.f32 --png - --dims 200x300
fails 2 '--dims: --png needs two dimensions' "$GHZ" compare a.f32 b.f32 --png r.png --dims 60000
{ "$TOOL" npy '(20, 3000)' f32; cat a.f32; } >n.npy
ok "$GHZ" compare n.npy a.f32.ghz --png n.png >/dev/null
ok "$GHZ" compare n.npy a.f32.ghz --png m.png --dims 20x3000 >/dev/null
same m.png n.png
fails 1 'n.npy: --dims 3000x20 contradicts its shape, 20x3000' \
  "$GHZ" compare n.npy a.f32.ghz --png r.png --dims 3000x20
fails 1 'n.npy: --dims 3000x20 contradicts its shape, 20x3000' \
  "$GHZ" compare a.f32 n.npy --png r.png --dims 3000x20
{ "$TOOL" npy '(2, 500)' f32; "$TOOL" make special 1000 f32; } >s.npy
ok "$GHZ" compare s.npy s.f32.ghz --png s.png >/dev/null
# A long caption takes two lines.
{ "$TOOL" npy '(2, 100, 300)' f32; "$TOOL" make special 60000 f32; } >long.npy
ok "$GHZ" compress -q --abs 1.2345e-5 long.npy -o long.ghz
ok "$GHZ" compare long.npy long.ghz --png long.png >/dev/null
[ "$(size_of long.png)" = ' 0 0 4 76 0 0 1 25' ] || die "long.png: $(size_of long.png)"
# The same slice is drawn whatever the order of the memory: an array of 3x5x4, once more in Fortran
# order.
have python3 || exit 0
for name in v w; do
  kind=wave
  [ $name = v ] || kind=noise
  "$TOOL" make $kind 60 f32 >$name.f32
  { "$TOOL" npy '(3, 5, 4)' f32; cat $name.f32; } >$name.c.npy
  "$TOOL" npy '(3, 5, 4)' f32 | sed 's/False/True/;s/, }/,  }/' | head -c 128 >$name.f.npy
  python3 -c 'import sys; x = open(sys.argv[1], "rb").read()
for i in (20 * z + 4 * y + k for k in range(4) for y in range(5) for z in range(3)): sys.stdout.buffer.write(x[4 * i:4 * i + 4])' $name.f32 >>$name.f.npy
done
"$GHZ" compare v.c.npy w.c.npy --png c.png >out
"$GHZ" compare v.f.npy w.f.npy --png f.png >/dev/null
same c.png f.png
