# Least and greatest values, and extremes value by value.
# SPDX-License-Identifier: BSD-3-Clause
. "$HELPERS"
"$TOOL" make constant 40000 f32 >c.f32
"$TOOL" make wave 40000 f32 1 >a.f32
"$TOOL" make wave 40000 f32 900 >b.f32
ok "$GHZ" compress -q --abs 1e-4 --frame-values 16384 a.f32 b.f32 c.f32
ok "$GHZ" minmax c.f32.ghz a.f32.ghz >out
[ "$(wc -l <out)" = 2 ] && grep -q '^c.f32.ghz: 3.2[45]' out || die "$(cat out)"
ok "$GHZ" minmax --min a.f32.ghz b.f32.ghz c.f32.ghz -o lo.ghz
ok "$GHZ" minmax --max a.f32.ghz b.f32.ghz c.f32.ghz -o hi.ghz
ok "$GHZ" decompress hi.ghz -o hi.f32
within c.f32 hi.f32 f32 1e-4
for name in lo a.f32 b.f32; do ok "$GHZ" decompress $name.ghz -o $name.f64; done
"$TOOL" sum f64 lo.f64 >/dev/null
ok "$GHZ" minmax --max a.f32.ghz b.f32.ghz -o top.ghz
ok "$GHZ" minmax --min a.f32.ghz b.f32.ghz -o bottom.ghz
ok "$GHZ" add top.ghz bottom.ghz -o s1.ghz
ok "$GHZ" add a.f32.ghz b.f32.ghz -o s2.ghz
ok "$GHZ" decompress s1.ghz -o s1.f64
ok "$GHZ" decompress s2.ghz -o s2.f64
within s1.f64 s2.f64 f64 0
ok "$GHZ" info hi.ghz >info
grep -q 'terms  *1$' info || die "an extreme has more than one term"
fails 2 '-o needs --min or --max' "$GHZ" minmax a.f32.ghz -o x
fails 2 'not both' "$GHZ" minmax --min --max a.f32.ghz -o x
"$TOOL" make special 4 f32 | tail -c 4 >nan.f32
ok "$GHZ" compress --abs 1 nan.f32
ok "$GHZ" minmax nan.f32.ghz >out
grep -q 'nan.f32.ghz: no finite value' out || die "$(cat out)"
# Raw and .npy files, and JSON
{ "$TOOL" npy '(100, 400)' f32; cat a.f32; } >a.npy
ok "$GHZ" minmax a.f32 a.npy c.f32 nan.f32 >out
[ "$(sed -n 's/a.f32: //p' out)" = "$(sed -n 's/a.npy: //p' out)" ] && grep -q '^c.f32: 3.25 3.25$' out &&
  grep -q '^nan.f32: no finite value' out || die "$(cat out)"
cat a.f32 | ok "$GHZ" minmax --type f32 >pipe
[ "$(sed 's/standard input/a.f32/' pipe)" = "$(head -n 1 out)" ] || die "$(cat pipe)"
ok "$GHZ" minmax --json c.f32 nan.f32 c.f32.ghz >out
grep -q '"file": "c.f32", "min": 3.25, "max": 3.25' out && grep -q '"nan.f32", "min": null' out || die "$(cat out)"
! have jq || [ "$(jq length out)" = 3 ] || die "JSON"
fails 2 '--json does not apply with --min and --max' "$GHZ" minmax --json --min a.f32.ghz -o x
fails 1 'a.f32: not a .ghz file' "$GHZ" minmax --min a.f32 b.f32 -o x.ghz
