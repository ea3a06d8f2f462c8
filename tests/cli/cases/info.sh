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
  [ "$(jq '.[0] | .tiles == .empty + .raw + .constant + ([.orders[]] | add)' out)" = true ] || die "tiles do not add up"
fi
"$GHZ" info --json a.f32.ghz none.ghz >out 2>/dev/null
[ $? = 1 ] || die "exit code"
! have jq || [ "$(jq length out)" = 1 ] || die "JSON after an error"
fails 1 'standard output: No space left' bash -c '"$GHZ" info a.f32.ghz >/dev/full'
# An array of one value, 273.15, that no multiple of the step is: it comes back, and takes few bytes
for i in 1 2 3 4 5 6 7 8 9 10; do head -c 4000 /dev/zero | LC_ALL=C sed 's/\x00\x00\x00\x00/\x33\x93\x88\x43/g'; done >one.f32
ok "$GHZ" compress -q --abs 0.01 one.f32
ok "$GHZ" info -v one.f32.ghz >out
grep -q 'of one value  *10' out || die "no ten tiles of one value in: $(cat out)"
ok "$GHZ" decompress -q one.f32.ghz -o one_back.f32
cmp one.f32 one_back.f32 || die "one value came back as another one"
# Raw and .npy files
ok "$GHZ" info a.f32 >out
for word in '^a.f32$' 'type  *f32, not compressed' 'values  *40000' 'shape  *none' 'range  *-1\.[0-9]* to 1\.[0-9]*$' 'size  *156.2 KiB'; do
  grep -q "$word" out || die "no '$word' in: $(cat out)"
done
! grep -q 'not finite' out || die "$(cat out)"
"$TOOL" make special 210 f64 >s.f64
cat s.f64 | ok "$GHZ" info --type f64 - >out
grep -q 'standard input' out && grep -q 'not finite  *10 NaN, 20 infinities' out || die "$(cat out)"
{ "$TOOL" npy '(3, 0)' f64; } >none.npy
ok "$GHZ" info none.npy >out
grep -q 'shape  *3x0, from .npy' out && grep -q 'range  *no finite value' out || die "$(cat out)"
ok "$GHZ" info --json a.f32 a.f32.ghz 'quote".npy' s.f64 none.npy >out
if have jq; then
  [ "$(jq -c '[.[] | .compressed]' out)" = '[false,true,false,false,false]' ] || die "$(cat out)"
  [ "$(jq -c '.[2].shape' out)" = '[2,3]' ] || die "$(cat out)"
  [ "$(jq '.[3].nan + .[3].infinite' out)" = 30 ] || die "$(cat out)"
  [ "$(jq '.[0].min < -1 and .[0].bytes == 160000 and .[4].min == null' out)" = true ] || die "$(cat out)"
fi
fails 1 'raw: unknown type of values; use --type f32 or --type f64' bash -c 'cp a.f32 raw; "$GHZ" info raw; c=$?; rm raw; exit $c'
# Of a brick with coefficients, the order is that of what they leave.
{ "$TOOL" npy '(16, 32, 64)' f32; "$TOOL" make wave 32768 f32; } >b.npy
ok "$GHZ" compress -q --abs 1e-3 b.npy
ok "$GHZ" info -v b.npy.ghz >out
grep -q 'with transform  *[1-9]' out && grep -q 'orders .* (with transform: of what it leaves)' out || die "$(cat out)"
# What appending has left.
cp "$GOLDEN/files/appended_often.ghz" a.ghz
ok "$GHZ" info a.ghz >out
grep -q 'unused  *[1-9].* of appending' out || die "$(cat out)"
head -c -1 a.ghz >cut.ghz
ok "$GHZ" info cut.ghz >out
grep -q 'unused .*, with an append that is not finished' out || die "$(cat out)"
ok "$GHZ" info --json a.ghz a.f32.ghz >out
! have jq || [ "$(jq '.[0].unused_bytes > 0 and .[1].unused_bytes == 0' out)" = true ] || die "$(cat out)"
# As if the first bytes of the tail had not reached the disk.
cp a.ghz torn.ghz
head -c 9 /dev/zero | dd of=torn.ghz bs=1 seek=$(($(stat -c %s a.ghz) - 32)) conv=notrunc status=none
ok "$GHZ" info torn.ghz >out
grep -q 'values  *145' out && grep -q 'unused .*, with an append that is not finished' out || die "$(cat out)"
ok "$GHZ" test torn.ghz
grep -q 'an append that is not finished' "$SCRATCH/stderr" || die "$(cat "$SCRATCH/stderr")"
