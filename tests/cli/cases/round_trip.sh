# Raw files of both types come back within the bound, with one frame and with several. Every length
# and kind of values: the suites codec and files.
# SPDX-License-Identifier: BSD-3-Clause
. "$HELPERS"
for type in f32 f64; do
  for n in 1 50000; do
    for kind in wave special huge; do
      "$TOOL" make $kind $n $type >in.$type
      ok "$GHZ" compress -f --abs 1e-3 --frame-values 16384 in.$type
      ok "$GHZ" test in.$type.ghz
      ok "$GHZ" decompress in.$type.ghz -f -o out.$type
      within in.$type out.$type $type 1e-3
    done
  done
done
"$TOOL" make wave 100000 f32 >in.f32
for order in 0 1 2 best; do
  ok "$GHZ" compress -f --abs 1e-4 --order $order in.f32 -o order.ghz
  ok "$GHZ" decompress -f order.ghz -o out.f32
  within in.f32 out.f32 f32 1e-4
done
rm in.f32.ghz
ok "$GHZ" compress -q --rel 1e-4 in.f32
[ ! -s "$SCRATCH/stderr" ] || die "-q is not quiet"
mv in.f32 original.f32
ok "$GHZ" decompress in.f32.ghz
grep -q 'in.f32.ghz: .* -> in.f32: ' "$SCRATCH/stderr" || die "no line about the result"
ok "$GHZ" compare original.f32 in.f32 --rel 1e-4 >/dev/null
ok "$GHZ" compress --psnr 80 original.f32 -o psnr.ghz
ok "$GHZ" compare original.f32 psnr.ghz --json >psnr.json
grep -q '"within_bound": true' psnr.json || die "--psnr: bound violated"
psnr=$(sed 's/.*"psnr": \([0-9]*\).*/\1/' psnr.json)
[ "$psnr" -ge 80 ] || die "PSNR $psnr is below 80"
ok "$GHZ" decompress psnr.ghz -o wide.f64
[ "$(wc -c <wide.f64)" = 800000 ] || die "f32 was not decompressed to f64"
"$TOOL" make wave 2000 f64 >a.d64
ok "$GHZ" compress --abs 1e-5 a.d64
ok "$GHZ" decompress a.d64.ghz -o b.d64
within a.d64 b.d64 f64 1e-5
