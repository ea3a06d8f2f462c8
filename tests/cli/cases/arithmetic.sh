# Sums, differences, multiples and means are what they should be, within their bounds.
# SPDX-License-Identifier: BSD-3-Clause
. "$HELPERS"
for type in f32 f64; do
  "$TOOL" make wave 40000 $type 1 >a.$type
  "$TOOL" make wave 40000 $type 2 >b.$type
  "$TOOL" make noise 40000 $type 3 >c.$type
  ok "$GHZ" compress -q --abs 1e-4 --frame-values 16384 a.$type b.$type c.$type
  ok "$GHZ" add a.$type.ghz b.$type.ghz c.$type.ghz -o sum.$type.ghz
  ok "$GHZ" decompress sum.$type.ghz -o sum-$type.f64
  "$TOOL" sum $type a.$type b.$type c.$type >want.f64
  within want.f64 sum-$type.f64 f64 3.0000001e-4
  ok "$GHZ" test sum.$type.ghz
  ok "$GHZ" add b.$type.ghz c.$type.ghz -o bc.ghz
  ok "$GHZ" add bc.ghz a.$type.ghz -o other.ghz
  same sum.$type.ghz other.ghz
  ok "$GHZ" sub sum.$type.ghz bc.ghz -o back.ghz
  ok "$GHZ" decompress back.ghz -o back.f64
  ok "$GHZ" decompress a.$type.ghz -o exact.f64
  within exact.f64 back.f64 f64 0
  ok "$GHZ" scale -2.5 a.$type.ghz -o scaled.ghz
  ok "$GHZ" scale -o positive.ghz -- 2.5 a.$type.ghz
  ok "$GHZ" decompress scaled.ghz -o scaled.f64
  ok "$GHZ" decompress positive.ghz -o positive.f64
  "$TOOL" sum f64 scaled.f64 positive.f64 >zero.f64
  "$TOOL" make zero 40000 f64 >zeros.f64
  same zero.f64 zeros.f64
  ok "$GHZ" mean a.$type.ghz b.$type.ghz c.$type.ghz -o mean.ghz
  # What is compressed like a mean is so on what that was divided from.
  ok "$GHZ" compress -q --like mean.ghz a.$type -o like.ghz
  ok "$GHZ" sub like.ghz mean.ghz -o anomaly.ghz
  ok "$GHZ" decompress like.ghz -o like.f64
  "$TOOL" sum $type a.$type >mine.f64
  within mine.f64 like.f64 f64 1.0000001e-4
  # Anomalies are exact. (Those of all members: tests/hdf5/cases/differing.sh.)
  ok "$GHZ" sub a.$type.ghz mean.ghz -o off-a.ghz
  ok "$GHZ" sub mean.ghz a.$type.ghz -o minus.ghz
  ok "$GHZ" add off-a.ghz minus.ghz -o none.ghz
  ok "$GHZ" decompress none.ghz -o none.f64
  same none.f64 zeros.f64
  ok "$GHZ" mean a.$type.ghz b.$type.ghz -o half.ghz
  fails 1 "neither is the other divided by a whole number" "$GHZ" sub mean.ghz half.ghz -o no.ghz
  ok "$GHZ" scale 3 mean.ghz -o three.ghz
  ok "$GHZ" decompress three.ghz -o three.f64
  within want.f64 three.f64 f64 3.0000001e-4
  ok "$GHZ" add a.$type.ghz >one.ghz
  ok "$GHZ" decompress one.ghz -o one.f64
  same one.f64 exact.f64
  ok "$GHZ" test scaled.ghz mean.ghz back.ghz
  rm -f *.ghz *.f64 a.* b.* c.*
done
"$TOOL" make wave 100 f32 >a.f32
ok "$GHZ" compress --abs 1e-3 a.f32
for factor in 0 nan inf -inf -0 1e999 x; do
  fails 2 "$factor: the factor must be" "$GHZ" scale "$factor" a.f32.ghz -o x.ghz
done
fails 2 'no factor given' "$GHZ" scale -o x.ghz
# Values beyond the lattice have no bound when summed, and the command says so.
"$TOOL" make huge 2000 f32 >h.f32
ok "$GHZ" compress --abs 1e-3 h.f32
ok "$GHZ" add h.f32.ghz h.f32.ghz -o h2.ghz
grep -q 'no bound: values outside the lattice' "$SCRATCH/stderr" || die "$(cat "$SCRATCH/stderr")"
ok "$GHZ" info h2.ghz >info
grep -q 'bound  *none' info || die "$(cat info)"
ok "$GHZ" info --json h2.ghz >info
grep -q '"inexact": true, "bound": null' info || die "$(cat info)"
