# Grids: --step is exact; integers of .npy and raw files; what is refused.
# SPDX-License-Identifier: BSD-3-Clause
. "$HELPERS"
have python3 || skip "the files are made by python3"
# make NAME CODE EXPRESSION: 20000 values of a type of the module array; i counts
make() {
  python3 - "$@" <<'P'
import array, math, struct, sys
name, code, expression = sys.argv[1:4]
single = lambda v: struct.unpack("f", struct.pack("f", v))[0]
array.array(code, [eval(expression) for i in range(20000)]).tofile(open(name, "wb"))
P
}
walk='int(27315 + 900 * math.sin(i / 700) + i * 7919 % 5)'
make packed.f32 f "$walk * single(0.01)"
make rounded.f32 f "$walk / 100"
make power.f64 d "$walk / 128"
make noise.f32 f '(i * 2654435761 % 4294967296) / 3e5'
make mask.f32 f "1e20 if i % 100 > 80 else $walk / 100"
make counts.i16 h "$walk - 30000"
# The quantum gives every value back; info says it
for name in packed.f32=0.0099999997764825821 rounded.f32=0.01 power.f64=0.0078125 counts.i16=1; do
  step=${name#*=} name=${name%=*}
  ok "$GHZ" compress --step $step $name
  ok "$GHZ" decompress $name.ghz -o back.${name#*.}
  cmp $name back.${name#*.} || die "$name came back otherwise"
  "$GHZ" info $name.ghz | grep -q '^  bound  *grid of .*: every value exact$' || die "info of $name: $("$GHZ" info $name.ghz)"
  rm back.*
done
"$GHZ" info rounded.f32.ghz | grep -q 'grid of 0.01:' || die "not 0.01"
# Masked data, whose fill is no multiple
ok "$GHZ" compress --step 0.01 --fill 1e20 mask.f32
ok "$GHZ" decompress mask.f32.ghz -o back.f32
cmp mask.f32 back.f32 || die "masked"
# A step that the values are not multiples of changes nothing
"$GHZ" compress --step 0.01 noise.f32 2>said || die "$(cat said)"
grep -q "of [0-9]* values are no multiples of 0.01: tiles (1024 values) with one are stored as they are" said || die "$(cat said)"
for _ in 1 2 3 4; do printf '\0\0\300?'; done >halves.f32
"$GHZ" compress --step 1e5 halves.f32 2>said || die "$(cat said)"
grep -q "halves.f32: no value is on the grid of 100000: all are stored as they are" said || die "$(cat said)"
ok "$GHZ" decompress noise.f32.ghz -o back2.f32
cmp noise.f32 back2.f32 || die "noise"
# Sums, also beyond the type; means
mapfile -t ten < <(yes counts.i16.ghz | head -n 10)
ok "$GHZ" add "${ten[@]}" -o sum.ghz
"$GHZ" info sum.ghz | grep -q 'grid of 1: sums of its multiples are exact' || die "info of a sum"
fails 1 'which is no int16' "$GHZ" decompress sum.ghz -o sum.i16
ok "$GHZ" decompress sum.ghz -o sum.i32
make wanted.i32 i "10 * ($walk - 30000)"
cmp sum.i32 wanted.i32 || die "sum"
ok "$GHZ" mean counts.i16.ghz counts.i16.ghz counts.i16.ghz -o mean.ghz
grep -q -- '-> mean.ghz: .*, grid of 0.333333*: sums of its multiples are exact, ' "$SCRATCH/stderr" || die "mean: $(cat "$SCRATCH/stderr")"
ok "$GHZ" decompress mean.ghz -o mean.f64
fails 1 'means of integers' "$GHZ" decompress mean.ghz -o mean.i16
ok "$GHZ" mean counts.i16.ghz counts.i16.ghz counts.i16.ghz -o mean.npy # as float64
ok "$GHZ" decompress mean.ghz -o want.npy
same mean.npy want.npy
ok "$GHZ" scale 0.5 counts.i16.ghz -o half.npy
# .npy of integers, in either order of bytes; --type
{ printf '\x93NUMPY\x01\x00\x76\x00%-117s\n' "{'descr': '<i2', 'fortran_order': False, 'shape': (100, 200), }"; cat counts.i16; } >a.npy
ok "$GHZ" compress --step 1 a.npy
ok "$GHZ" decompress a.npy.ghz -o b.npy
cmp a.npy b.npy || die ".npy"
ok "$GHZ" compress --step 1 --type int16 -o pipe.ghz - <counts.i16
ok "$GHZ" decompress pipe.ghz -o pipe.i16
cmp counts.i16 pipe.i16 || die "pipe"
ok "$GHZ" compare counts.i16 counts.i16.ghz >compared
grep -q '^max error  *0 ' compared || die "compare: $(cat compared)"
grep -q '^bound  *0$' compared || die "no bound of exact values: $(cat compared)"
ok "$GHZ" compare --rel 1e-3 counts.i16 counts.i16.ghz >compared
grep -q '^bound  *[0-9.]*$' compared || die "a bound relative to the range of integers: $(cat compared)"
fails 1 'rounded.f32.ghz: the bound 0 is violated' "$GHZ" compare packed.f32 rounded.f32.ghz
# Values of every type are the numbers that they are.
for type in "i8 b -100" "u8 B 200" "i16 h -30000" "u16 H 60000" "i32 i -2000000000" "u32 I 4000000000" "i64 q -4000000000000"; do
  read -r name code from <<<"$type"
  make low.$name "$code" "$from + i % 50" && make low.f64 d "$from + i % 50"
  ok "$GHZ" compare low.f64 low.$name >compared
  grep -q '^max error  *0 at 0$' compared || die "$name: $(cat compared)"
done
# Wrong usage
fails 2 '--grid went: docs/CHOOSING_A_BOUND.md finds a quantum by NumPy, and --step takes it' "$GHZ" compress --grid auto packed.f32
fails 2 'give one bound only' "$GHZ" compress --abs 1 --step 1 packed.f32
fails 2 '--step 0: the bound must be a positive' "$GHZ" compress --step 0 packed.f32
fails 2 '--sum-of divides a bound' "$GHZ" compress --step 0.01 --sum-of 3 packed.f32
fails 1 'counts.i16: holds integers, which are compressed exactly: use --lossless' "$GHZ" compress -f --abs 1 counts.i16
fails 1 'counts.i16: holds integers' "$GHZ" compress -f --rel 1e-3 --together counts.i16
fails 1 'counts.i16: holds integers' "$GHZ" compress -f --step 2 counts.i16
