# The table and the JSON of ghz info.
# SPDX-License-Identifier: BSD-3-Clause
. "$HELPERS"
"$TOOL" make wave 40000 f32 >a.f32
{ "$TOOL" npy '(2, 3)' f64; "$TOOL" make wave 6 f64; } >'quote".npy'
ok "$GHZ" compress -q --abs 1e-3 --frame-values 16384 a.f32
ok "$GHZ" compress -q --abs 1e-3 'quote".npy'
ok "$GHZ" info a.f32.ghz >out
for word in 'type  *f32' 'values  *40000' 'shape  *none' 'bound  *0.001' 'terms  *1' 'frames  *3 of 16384' ratio; do
  grep -q "$word" out || die "no '$word' in: $(cat out)"
done
! grep -q 'orders' out || die "orders without -v"
ok "$GHZ" info -v a.f32.ghz >out
grep -q 'orders 0, 1, 2, 3' out || die "no orders with -v"
ok "$GHZ" info --json a.f32.ghz 'quote".npy.ghz' >out
if have jq; then
  [ "$(jq length out)" = 2 ] || die "not two objects"
  [ "$(jq '.[0].values' out)" = 40000 ] || die "values"
  [ "$(jq -c '.[1].shape' out)" = '[2,3]' ] || die "shape"
  [ "$(jq -r '.[1].file' out)" = 'quote".npy.ghz' ] || die "file"
  [ "$(jq '.[0] | .tiles == .empty + .raw + ([.orders[]] | add)' out)" = true ] || die "tiles do not add up"
fi
"$GHZ" info --json a.f32.ghz none.ghz >out 2>/dev/null
[ $? = 1 ] || die "exit code"
! have jq || [ "$(jq length out)" = 1 ] || die "JSON after an error"
fails 1 'standard output: No space left' bash -c '"$GHZ" info a.f32.ghz >/dev/full'
