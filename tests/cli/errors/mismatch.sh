# Operands that differ: the message says in what, and what to do.
# SPDX-License-Identifier: BSD-3-Clause
. "$HELPERS"
"$TOOL" make wave 40000 f32 >a.f32
"$TOOL" make wave 40000 f64 >a.f64
"$TOOL" make wave 39999 f32 >short.f32
c() { ok "$GHZ" compress -q "$@"; }
c --abs 1e-3 a.f32 -o a.ghz
c --abs 1e-3 a.f64 -o type.ghz
c --abs 1e-3 short.f32 -o count.ghz
c --abs 2e-3 a.f32 -o step.ghz
c --abs 1e-3 --frame-values 16384 a.f32 -o frames.ghz
for verb in add mean sub "minmax --min" "minmax --max"; do
  fails 1 'type.ghz: type f64 differs from f32 in a.ghz' "$GHZ" $verb a.ghz type.ghz -o x.ghz
  fails 1 'count.ghz: number of values 39999 differs from 40000 in a.ghz' "$GHZ" $verb a.ghz count.ghz -o x.ghz
  [ "$verb" = sub ] ||
    fails 1 'step.ghz: bound 0.002 differs from 0.001 in a.ghz: files to be combined must have the same bound' "$GHZ" $verb a.ghz step.ghz -o x.ghz
  fails 1 'frames.ghz: number of values per frame 16384 differs' "$GHZ" $verb a.ghz frames.ghz -o x.ghz
done
c --abs 1.7e-3 a.f32 -o odd.ghz
fails 1 'neither is the other divided by a whole number' "$GHZ" sub a.ghz odd.ghz -o x.ghz
ok "$GHZ" add a.ghz a.ghz a.ghz -o sum.ghz
ok "$GHZ" add a.ghz sum.ghz -o again.ghz
cat short.f32 | ok "$GHZ" compress --abs 1e-3 --type f32 >pipe.ghz
fails 1 'standard input: number of values differs from a.ghz' bash -c 'cat pipe.ghz | "$GHZ" add a.ghz - -o x.ghz'
# One of two alike was appended to: its frames end elsewhere. What the message says to do helps.
cp "$GOLDEN/files/appended.ghz" grown.ghz
ok "$GHZ" decompress -q grown.ghz -o grown.f32
c --abs 0.3 --frame-values 16384 grown.f32 -o whole.ghz
fails 1 'grown.ghz: one was appended to (decompress it and compress it again, to add them): places of frames differ from whole.ghz' \
  "$GHZ" add whole.ghz grown.ghz -o x.ghz
ok "$GHZ" add whole.ghz whole.ghz -o x.ghz
{ "$TOOL" npy '(200, 200)' f32; cat a.f32; } >s.npy
{ "$TOOL" npy '(400, 100)' f32; cat a.f32; } >t.npy
c --abs 1e-3 s.npy -o s.ghz
c --abs 1e-3 t.npy -o t.ghz
fails 1 't.ghz: shape 400x100 differs from 200x200 in s.ghz' "$GHZ" add s.ghz t.ghz -o x.ghz
{ head -c 128 s.npy | sed 's/False/True/;s/, }/,  }/' | head -c 128; cat a.f32; } >o.npy
c --abs 1e-3 o.npy -o o.ghz
fails 1 'o.ghz: shape 200x200 (Fortran order) differs from 200x200 in s.ghz' "$GHZ" add s.ghz o.ghz -o x.ghz
c --abs 1e-3 --flat s.npy -o s.flat.ghz
c --abs 1e-3 --flat t.npy -o t.flat.ghz
fails 1 't.flat.ghz: shape 400x100 differs from 200x200 in s.flat.ghz' \
  "$GHZ" add a.ghz s.flat.ghz t.flat.ghz -o x.ghz
fails 1 's.ghz: bricks of 1x32x32, unlike a.ghz, which is flat' "$GHZ" add a.ghz s.ghz -o x.ghz
c --abs 1e-3 --flat s.npy -o flat.ghz
fails 1 'flat.ghz: flat, unlike s.ghz, which is bricks of 1x32x32' "$GHZ" add s.ghz flat.ghz -o x.ghz
ok "$GHZ" add a.ghz flat.ghz -o shaped.ghz
ok "$GHZ" info shaped.ghz >info
grep -q 'shape .*200x200' info || die "a sum with a shape on one side lost it"
ok "$GHZ" scale 2 a.ghz -o twice.ghz
fails 1 'twice.ghz: bound 0.002 differs from 0.001 in a.ghz' "$GHZ" add a.ghz twice.ghz -o x.ghz
fails 2 '2 input files are needed' "$GHZ" sub a.ghz
fails 2 'one operand too many' "$GHZ" sub a.ghz a.ghz a.ghz
