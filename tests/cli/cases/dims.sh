# Arrays with a shape: from .npy and --dims, in bricks and flat, in several frames. (Dimensions that
# are joined: tests/library/test_files.c.)
# SPDX-License-Identifier: BSD-3-Clause
. "$HELPERS"
"$TOOL" make wave 262144 f32 >a.f32
{ "$TOOL" npy '(64, 64, 64)' f32; cat a.f32; } >a.npy
c() { ok "$GHZ" compress -q --abs 1e-3 "$@"; }
shows() { ok "$GHZ" info "$1" >info && grep -q "$2" info || die "no '$2' in: $(cat info)"; }
c --dims 64x64x64 a.f32 -o raw.ghz
c a.npy -o npy.ghz
c --flat a.npy -o flat.ghz
c a.f32 -o plain.ghz
shows raw.ghz 'shape  *64x64x64$'
shows raw.ghz 'tiles  *bricks of 8x8x16, transform$'
shows npy.ghz 'shape  *64x64x64, from .npy'
shows flat.ghz 'shape  *64x64x64, from .npy'
shows flat.ghz 'tiles  *flat$'
shows plain.ghz 'shape  *none'
cmp -s <(tail -c +81 raw.ghz | head -c 1000) <(tail -c +81 npy.ghz | head -c 1000) || die "--dims and .npy give other streams"
cmp -s <(tail -c +100 flat.ghz | head -c 1000) <(tail -c +76 plain.ghz | head -c 1000) || die "--flat is not what a row is"
for name in raw npy flat; do
  ok "$GHZ" decompress -q $name.ghz -f -o back.f32
  within a.f32 back.f32 f32 1e-3
  ok "$GHZ" compare a.npy $name.ghz >/dev/null
done
ok "$GHZ" decompress -q raw.ghz -o back.npy
cmp -n 128 a.npy back.npy || die "a raw file with --dims has another header as .npy"
ok "$GHZ" info --json raw.ghz >out
grep -q '"shape": \[64, 64, 64\].*"dims": 3, "transform": true' out || die "$(cat out)"
# Any number of dimensions; too small ones are flat
for dims in 2x4x32x32x32=8x8x16 262144=flat 4x64x1024=1x32x32 512x512=1x32x32 32768x8=flat \
  64x64x1x64=8x8x16 512x512x1=1x32x32 1x262144x1=flat 64x16x64x4=8x8x16 128x512x4=1x32x32 64x4x1024=1x32x32 4x65536x1=flat; do
  c -f --dims ${dims%=*} a.f32 -o d.ghz
  shows d.ghz "shape  *${dims%=*}\$"
  shows d.ghz "tiles .*${dims#*=}"
  ok "$GHZ" decompress -qf d.ghz -o back.f32
  within a.f32 back.f32 f32 1e-3
done
# Several frames: the same values, whatever they are cut into; sums, scales, tests
for dims in 64x64x64 4096x64 3x200x400; do
  n=$((${dims//x/*}))
  head -c $((4 * n)) a.f32 >part.f32
  c -f --dims $dims part.f32 -o one.ghz
  c -f --dims $dims --frame-values 16384 part.f32 -o many.ghz
  cat part.f32 | ok "$GHZ" compress --abs 1e-3 --dims $dims --frame-values 16384 --type f32 >pipe.ghz
  same many.ghz pipe.ghz
  ok "$GHZ" test one.ghz many.ghz
  for name in one many; do
    ok "$GHZ" add $name.ghz $name.ghz $name.ghz >sum.ghz
    ok "$GHZ" scale -0.5 sum.ghz >half.ghz
    ok "$GHZ" mean half.ghz half.ghz >mean.ghz
    ok "$GHZ" decompress mean.ghz -c >$name.f32
    ok "$GHZ" info mean.ghz | grep -q "shape  *$dims\$" || die "a mean lost the shape"
  done
  same one.f32 many.f32
  fails 1 "many.ghz: number of values per frame" "$GHZ" add one.ghz many.ghz -o x.ghz
  ok "$GHZ" info many.ghz >info
  ! grep -q 'frames  *1 of' info || die "one frame of $dims: $(cat info)"
done
# Each order makes other bytes, and the best of them the fewest.
for order in 0 1 2 best; do c --order $order a.f32 -o order$order.ghz; done
for order in 0 1 2; do
  within a.f32 <("$GHZ" decompress order$order.ghz -c) f32 1e-3
  differ order$order.ghz order$(((order + 1) % 3)).ghz
  [ "$(stat -c %s orderbest.ghz)" -le "$(stat -c %s order$order.ghz)" ] || die "order $order takes less than the best"
done
# An order that bricks alone have; a relative bound from a pipe
c -f --order 3 a.npy -o order.ghz
ok "$GHZ" compare --abs 1e-3 a.npy order.ghz >/dev/null
cat a.f32 | ok "$GHZ" compress --rel 1e-4 --dims 64x64x64 --type f32 >pipe.ghz
ok "$GHZ" compress -q --rel 1e-4 --dims 64x64x64 a.f32 -o file.ghz
same pipe.ghz file.ghz
ok "$GHZ" tune --dims 64x64x64 a.f32 >/dev/null
# Extremes need streams without the transform.
c --order lorenzo a.npy -o l.ghz
ok "$GHZ" minmax --max l.ghz l.ghz -o top.ghz
ok "$GHZ" compare --abs 1e-3 a.npy top.ghz >/dev/null
fails 1 'npy.ghz: is compressed with the transform, so its extremes are not known: compress with --order lorenzo' \
  "$GHZ" minmax --min npy.ghz npy.ghz -o x.ghz
ok "$GHZ" minmax npy.ghz >/dev/null
# What contradicts
fails 1 'a.f32: --dims 2x3 needs 6 values, the file has 262144 of f32' "$GHZ" compress --abs 1 --dims 2x3 a.f32 -o x.ghz
fails 1 'standard input: --dims 2x3 needs 6 values, the file has 262144 of f32' \
  bash -c 'cat a.f32 | "$GHZ" compress --rel 1 --dims 2x3 --type f32 -o x.ghz'
fails 1 'standard input: more bytes follow' bash -c 'cat a.f32 | "$GHZ" compress --abs 1 --dims 2x3 --type f32 -o x.ghz'
fails 1 'standard input: truncated: ends after 262144 of 300000 values' \
  bash -c 'cat a.f32 | "$GHZ" compress --abs 1 --dims 300x1000 --type f32 -o x.ghz'
cp a.f32 plain
fails 1 'plain: --dims 131072 needs 131072 values, the file has 262144 of f32; it fits f64' \
  "$GHZ" compress --abs 1 --type f32 --dims 131072 plain -o x.ghz
fails 1 'plain: --dims 512x512 needs 262144 values, the file has 131072 of f64; it fits f32' \
  "$GHZ" compress --abs 1 --type f64 --dims 512x512 plain -o x.ghz
c -f --dims 64,64,64 a.f32 -o same.ghz
same same.ghz raw.ghz
fails 2 '--dims 64;64: must be NYxNX or NZxNYxNX: numbers separated by x or commas' "$GHZ" compress --abs 1 --dims '64;64' a.f32
fails 2 '--dims ?64,64,64: give one order; ghz tune ' "$GHZ" compress --abs 1 --dims '?64,64,64' a.f32
fails 1 'a.npy: --dims 64x4096 contradicts its shape, 64x64x64' "$GHZ" compress --abs 1 --dims 64x4096 a.npy -o x.ghz
c -f --dims 64x64x64 a.npy -o same.ghz
same same.ghz npy.ghz
fails 1 'a.f32: --order 3 needs bricks of 8x8x16' "$GHZ" compress --abs 1 --order 3 a.f32 -o x.ghz
fails 2 '--dims 0x5: a dimension is 0' "$GHZ" compress --abs 1 --dims 0x5 a.f32
for dims in 99999999999999999999x2 4294967296x4294967296 1152921504606846976x2; do
  fails 2 "--dims $dims: too many values" "$GHZ" compress --abs 1 --dims $dims a.f32
done
fails 2 'too many dimensions' "$GHZ" compress --abs 1 --dims 1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1 a.f32
fails 2 '--dims 5x: must be NYxNX' "$GHZ" compress --abs 1 --dims 5x a.f32
c --dims 32x64x128 a.f32 -o other.ghz
fails 1 'other.ghz: shape 32x64x128 differs from 64x64x64 in raw.ghz' "$GHZ" add raw.ghz other.ghz -o x.ghz
# Where 8 planes have more values than a frame may have, -v says why the bricks are flat ones.
truncate -s $((4 * 8 * 2900 * 2900)) big.f32
ok "$GHZ" compress -v --abs 1 --dims 8x2900x2900 big.f32 -o big.ghz
grep -q 'bricks of 1x32x32 (8 planes have more than 2^26 values)' "$SCRATCH/stderr" || die "$(cat "$SCRATCH/stderr")"
rm big.f32 big.ghz
# A file of version 0.1
printf 'GHZF\1\0\0\0' >old.ghz
fails 1 'old.ghz: version 1 of the file format, of version 0.1 of ghz; this version of ghz reads 4' "$GHZ" test old.ghz
