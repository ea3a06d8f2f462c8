# Inputs that are no values: one line that names the file and the reason.
# SPDX-License-Identifier: BSD-3-Clause
. "$HELPERS"
: >empty.f32
printf 'abc' >short.f32
printf 'abcdefghi' >odd.f32
printf 'abcdefgh' >some.bin
printf 'abcdefgh' >a.f32
mkdir dir.f32
fails 1 'empty.f32: is empty' "$GHZ" compress --abs 1 empty.f32
fails 1 'short.f32: is shorter than one value' "$GHZ" compress --abs 1 short.f32
fails 1 'odd.f32: 9 bytes are not a whole number of f32' "$GHZ" compress --abs 1 odd.f32
fails 1 'some.bin: unknown type of values; use --type' "$GHZ" compress --abs 1 some.bin
printf 'PK\003\004rest' | tee z.npz >z.zip
fails 1 'z.npz: is a zip archive: extract the .npy' "$GHZ" compress --abs 1 z.npz
fails 1 'z.zip: is a zip archive: extract the .npy' "$GHZ" compress --abs 1 z.zip
fails 1 'none.f32: No such file' "$GHZ" compress --abs 1 none.f32
fails 1 'dir.f32: is a directory' "$GHZ" compress --abs 1 dir.f32
fails 1 "the name of the file is empty" "$GHZ" compress --abs 1 ''
fails 2 '--type f16: unknown type' "$GHZ" compress --abs 1 --type f16 a.f32
fails 1 'empty.f32: is empty' "$GHZ" compress --rel 1e-3 empty.f32
for verb in decompress test info minmax add; do
  fails 1 'empty.f32: is empty' "$GHZ" $verb empty.f32
  fails 1 'none.ghz: No such file' "$GHZ" $verb none.ghz
  fails 1 'dir.f32: is a directory' "$GHZ" $verb dir.f32
done
for verb in decompress test add 'minmax --min'; do fails 1 'odd.f32: not a .ghz file' "$GHZ" $verb odd.f32; done
for verb in info minmax; do fails 1 'odd.f32: 9 bytes are not a whole number of f32' "$GHZ" $verb odd.f32; done
ok "$GHZ" compress --abs 1 a.f32
cp a.f32.ghz plain
fails 1 'plain: the name does not end in .ghz' "$GHZ" decompress plain
cp a.f32.ghz a.bin
fails 1 'a.bin: is compressed already' "$GHZ" compress --abs 1 a.bin
"$TOOL" make wave 10 f64 >b.f64
ok "$GHZ" compress --abs 1e-3 b.f64
fails 1 'holds f64; it cannot be written as f32' "$GHZ" decompress b.f64.ghz -o b.f32
fails 1 'holds f64; it cannot be written as f32' "$GHZ" decompress --type f32 b.f64.ghz -o b
fails 1 'holds f64; it cannot be written as f32' "$GHZ" decompress --type f32 b.f64.ghz -o c.f64
# One bad file among good ones: the others are done, the exit code tells.
"$TOOL" make wave 10 f32 >1.f32
"$TOOL" make wave 10 f32 >2.f32
"$GHZ" compress -q --abs 1 1.f32 none.f32 2.f32 2>err
[ $? = 1 ] && [ -e 1.f32.ghz ] && [ -e 2.f32.ghz ] || die "several files"
fails 2 '-o takes one input file, 2 were given' "$GHZ" compress --abs 1 1.f32 2.f32 -o x.ghz
fails 2 '-o takes one input file, 2 were given' "$GHZ" decompress 1.f32.ghz 2.f32.ghz -o x
# Control characters in a name do not break the line.
fails 1 'a?b: No such file' "$GHZ" test $'a\nb'
