# Wrong or missing bounds are wrong usage, whatever the file.
# SPDX-License-Identifier: BSD-3-Clause
. "$HELPERS"
"$TOOL" make wave 1000 f32 >a.f32
fails 2 'a.f32: no bound given; use --abs E, --rel E, --psnr DB, --step Q or --like FILE.ghz' "$GHZ" compress a.f32
for bound in --abs --rel --psnr; do
  for value in 0 -1 nan inf -inf 1e999 -0 1e-999 abc 1e-3x '' '1 2'; do
    fails 2 "$bound $value: the bound must be a positive, finite number" "$GHZ" compress $bound "$value" a.f32
  done
  fails 2 "$bound needs a value" "$GHZ" compress a.f32 $bound
done
fails 2 'one bound only' "$GHZ" compress --abs 1 --rel 1 a.f32
ok "$GHZ" compress --abs 1e-300 a.f32 -o raw.ghz
grep -q 'too small for f32' "$SCRATCH/stderr" || die "no word about raw values"
ok "$GHZ" decompress raw.ghz -o raw.f32
same a.f32 raw.f32
