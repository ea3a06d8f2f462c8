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
