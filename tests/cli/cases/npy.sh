# The shape of .npy files is kept and restored; .npy and raw turn into each other.
# SPDX-License-Identifier: BSD-3-Clause
. "$HELPERS"
{ "$TOOL" npy '(40, 50, 10)' f32; "$TOOL" make wave 20000 f32; } >a.npy
ok "$GHZ" compress --rel 1e-3 a.npy --frame-values 16384
mv a.npy original.npy
ok "$GHZ" decompress a.npy.ghz
cmp -n 128 a.npy original.npy || die "another header"
ok "$GHZ" compare original.npy a.npy --rel 1e-3 >/dev/null
ok "$GHZ" info a.npy.ghz >info
grep -q '40x50x10' info || die "no shape in info"
ok "$GHZ" decompress a.npy.ghz -o raw.f32
tail -c +129 a.npy | cmp - raw.f32 || die "-o raw.f32 is not raw"
ok "$GHZ" compress --rel 1e-3 raw.f32
ok "$GHZ" decompress raw.f32.ghz -o flat.npy
head -c 128 flat.npy | grep -qa "'shape': (20000,)" || die "flat.npy has another shape"
ok "$GHZ" compress --abs 1e-3 --type f32 -o pipe.ghz - <raw.f32
cat raw.f32 | ok "$GHZ" compress --abs 1e-3 --type f32 -f -o pipe.ghz
cat pipe.ghz | ok "$GHZ" decompress -o late.npy
head -c 128 late.npy | grep -qa "'shape': (20000,)" || die "late.npy has another shape"
cat original.npy | ok "$GHZ" compress --rel 1e-3 --frame-values 16384 -o piped.ghz
same piped.ghz a.npy.ghz
cat original.npy | ok "$GHZ" compress --abs 1e-3 >abs.ghz
ok "$GHZ" decompress abs.ghz -o - >abs.npy
cmp -n 128 abs.npy original.npy || die "another header after pipes"
# Scalars and arrays without values are arrays, too.
{ "$TOOL" npy '()' f64; "$TOOL" make wave 1 f64; } >scalar.npy
"$TOOL" npy '(3, 0)' f64 >none.npy
for name in scalar none; do
  ok "$GHZ" compress --abs 1e-3 $name.npy
  ok "$GHZ" test $name.npy.ghz
  ok "$GHZ" decompress $name.npy.ghz -o $name.back.npy
  cmp -n 128 $name.npy $name.back.npy || die "$name: another header"
  ok "$GHZ" add $name.npy.ghz $name.npy.ghz -o $name.sum.ghz
  ok "$GHZ" scale 3 $name.npy.ghz -o $name.scaled.ghz
  ok "$GHZ" info --json $name.sum.ghz >/dev/null
done
# The name of the output, where the input has one that does not say its form
ok "$GHZ" scale 1 a.npy.ghz -o sum.ghz
ok "$GHZ" decompress sum.ghz
same sum.npy a.npy
grep -q '^sum.ghz: .* -> sum.npy: ' "$SCRATCH/stderr" || die "the line does not name the output"
fails 1 'sum.npy: already exists' "$GHZ" decompress sum.ghz
cp sum.ghz sum.f32.ghz
ok "$GHZ" decompress sum.f32.ghz
same sum.f32 raw.f32
# Raw values whose name has no extension get the one of their type; others keep theirs.
cp raw.f32 plain && ok "$GHZ" compress -q --abs 1e-3 --type f32 plain && rm plain
ok "$GHZ" compress -q --abs 1e-3 --type f32 raw.f32 -o some.dir.ghz
mkdir with.dot && cp plain.ghz with.dot/
ok "$GHZ" decompress plain.ghz some.dir.ghz with.dot/plain.ghz
[ -e plain.f32 ] && [ -e some.dir ] && [ -e with.dot/plain.f32 ] || die "extensions: $(ls . with.dot)"
fails 1 'plain.f32: already exists' "$GHZ" decompress plain.ghz
"$TOOL" make wave 10 f64 >wide && ok "$GHZ" compress -q --abs 1 --type f64 wide && ok "$GHZ" decompress -q wide.ghz
[ -e wide.f64 ] || die "no wide.f64"
# Files that are not what they should be.
cp original.npy x.npy && truncate -s -4 x.npy
fails 1 'x.npy: truncated' "$GHZ" compress --abs 1 x.npy
cp original.npy x.npy && echo >>x.npy
fails 1 'x.npy: 1 bytes follow the array' "$GHZ" compress --abs 1 x.npy
fails 1 'standard input: more bytes follow' bash -c 'cat x.npy | "$GHZ" compress --abs 1 -o y.ghz'
head -c 100 original.npy >x.npy
fails 1 'x.npy: truncated' "$GHZ" compress --abs 1 x.npy
head -c 5 original.npy >x.npy
fails 1 'x.npy: not a NumPy' "$GHZ" compress --abs 1 x.npy
sed 's/<f4/<c8/' original.npy >x.npy
fails 1 'x.npy: unknown type <c8' "$GHZ" compress --abs 1 x.npy
sed 's/(40/(-4/' original.npy >x.npy
fails 1 'x.npy: damaged .npy header' "$GHZ" compress --abs 1 x.npy
sed 's/NUMPY./NUMPY\x09/' original.npy >x.npy
fails 1 'x.npy: unknown version 9' "$GHZ" compress --abs 1 x.npy
{ "$TOOL" npy '(4294967296, 4294967296, 4294967296)' f32; } >x.npy
fails 1 'x.npy: damaged .npy header: the shape is too large' "$GHZ" compress --abs 1 x.npy
fails 1 'original.npy: holds f32, not f64' "$GHZ" compress --abs 1 --type f64 original.npy
# What NumPy itself writes and reads.
have python3 && python3 -c 'import numpy' 2>/dev/null || exit 0
python3 - <<'P'
import numpy as np
a = np.sin(np.arange(6000)).reshape(10, 20, 30)
np.save("c.npy", a.astype("<f4")), np.save("f.npy", np.asfortranarray(a))
with open("v2.npy", "wb") as f: np.lib.format.write_array(f, a, version=(2, 0))
P
for name in c f v2; do
  ok "$GHZ" compress --abs 1e-3 $name.npy
  ok "$GHZ" decompress $name.npy.ghz -o $name.back.npy
  ok "$GHZ" compare --abs 1e-3 $name.npy $name.back.npy >/dev/null
  python3 - $name <<'P' || die "$name: NumPy disagrees"
import sys, numpy as np
a, b = np.load(sys.argv[1] + ".npy"), np.load(sys.argv[1] + ".back.npy")
assert a.shape == b.shape and a.dtype == b.dtype and np.isfortran(a) == np.isfortran(b)
assert abs(a.astype("f8") - b).max() <= 1e-3
P
done
fails 1 'differs from 10x20x30' "$GHZ" compare c.npy f.npy
