# The order of bytes: --big-endian, .npy files of that order, a word where it looks wrong; --type,
# which has more weight than the ending of a name.
# SPDX-License-Identifier: BSD-3-Clause
. "$HELPERS"
have python3 || skip 'no python3, which turns the bytes of values round'
turn() { # FILE TYPE
  python3 -c 'import array, sys; x = array.array(sys.argv[2], open(sys.argv[1], "rb").read()); x.byteswap(); x.tofile(sys.stdout.buffer)' \
    "$1" "$([ "$2" = f32 ] && echo f || echo d)"
}
turned='by their exponents, the bytes of its values are turned round'
says() { grep -qF -e "$1" "$SCRATCH/stderr" || die "no '$1' in: $(cat "$SCRATCH/stderr")"; }
no_word() { ! grep -q 'turned round' "$SCRATCH/stderr" || die "$1: $(cat "$SCRATCH/stderr")"; }
for type in f32 f64; do
  "$TOOL" make wave 2000 $type >a.$type
  turn a.$type $type >b.$type
  ok "$GHZ" compress --abs 1e-3 a.$type -o a.ghz -qf
  ok "$GHZ" compress --abs 1e-3 --big-endian b.$type -o b.ghz -qf
  same a.ghz b.ghz
  cat b.$type | ok "$GHZ" compress --rel 1e-3 --big-endian --type $type >pipe.ghz
  ok "$GHZ" compare --type $type a.$type pipe.ghz >/dev/null
  # and back
  ok "$GHZ" decompress a.ghz -qf -o values.$type
  turn values.$type $type >want.$type
  ok "$GHZ" decompress --big-endian a.ghz -qf -o got.$type
  same want.$type got.$type
  ok "$GHZ" decompress --big-endian --range 500:9 a.ghz -f -o part.$type
  tail -c +$((500 * ${type#f} / 8 + 1)) want.$type | head -c $((9 * ${type#f} / 8)) | cmp - part.$type || die "a range"
  # What reads raw values reads these.
  for what in 'minmax' 'info --json'; do
    ok "$GHZ" $what a.$type >want
    ok "$GHZ" $what --big-endian b.$type | sed "s/b\.$type/a.$type/" >got
    same want got
  done
  ok "$GHZ" compare --big-endian b.$type got.$type --abs 1e-3 >/dev/null
  # .npy files say their order, and are written in another only if that is asked for.
  { "$TOOL" npy '(20, 100)' $type | sed 's/</>/'; cat b.$type; } >b.npy
  { "$TOOL" npy '(20, 100)' $type; cat a.$type; } >a.npy
  for name in a b; do ok "$GHZ" compress --abs 1e-3 -f $name.npy; done
  no_word .npy
  same a.npy.ghz b.npy.ghz
  ok "$GHZ" decompress --big-endian b.npy.ghz -f -o back.npy
  grep -qaF "'>f$((${type#f} / 8))'" back.npy || die "the header of a big-endian .npy file"
  ok "$GHZ" compare --abs 1e-3 a.npy back.npy >/dev/null
  # A word where the exponents are those of the other order, in compress and tune
  for verb in 'compress --abs 1 -f -o x.ghz' tune; do
    ok "$GHZ" $verb b.$type >/dev/null
    says "b.$type: $turned. Use --big-endian, or another --type"
    ok "$GHZ" $verb --big-endian a.$type >/dev/null
    says "a.$type: $turned. Leave --big-endian out"
    ok "$GHZ" $verb a.$type >/dev/null
    no_word "$verb"
    ok "$GHZ" $verb --big-endian b.$type >/dev/null
    no_word "$verb --big-endian"
  done
  { "$TOOL" npy '(2000,)' $type; cat b.$type; } >wrong.npy
  ok "$GHZ" compress --abs 1 -f wrong.npy
  says "wrong.npy: $turned, though its header"
done
# No word for values that only look odd: steps, noise, NaN, zeros, random bits.
for kind in steps noise special constant; do
  "$TOOL" make $kind 5000 f32 >odd.f32
  ok "$GHZ" compress --abs 1e-3 -f odd.f32
  no_word $kind
done
for file in /dev/zero /dev/urandom; do
  head -c 40000 $file >odd.f32
  ok "$GHZ" compress --abs 1e-3 -f odd.f32
  no_word $file
done
# Halves of whole numbers, whose low bytes are 0: turned round they are next to 0.
"$TOOL" make steps 5000 f32 >steps.f32
turn steps.f32 f32 >small.f32
ok "$GHZ" compress --abs 1e-3 -f small.f32
says "small.f32: $turned"
# Half of the values are missing.
python3 -c 'import array, sys; x = array.array("f", [9.969209968386869e36, 288.3, float("nan"), 291.7] * 2000); x.byteswap(); x.tofile(sys.stdout.buffer)' >sea.f32
ok "$GHZ" compress --abs 1e-3 sea.f32
says "sea.f32: $turned"
# --type has more weight than the ending, which a note says.
cp a.f64 doubles.f32
ok "$GHZ" compress --abs 1e-3 --type f64 doubles.f32 -o doubles.ghz
says 'doubles.f32: read as f64, as --type says, not as its extension says'
ok "$GHZ" compress -q --abs 1e-3 a.f64 -f -o a.ghz
same a.ghz doubles.ghz
ok "$GHZ" info --type f64 doubles.f32 >out
grep -q 'values  *2000' out || die "$(cat out)"
ok "$GHZ" compress -q --abs 1e-3 --type f64 doubles.f32 -f -o doubles.ghz
[ ! -s "$SCRATCH/stderr" ] || die "not quiet: $(cat "$SCRATCH/stderr")"
ok "$GHZ" minmax --type f32 a.f32 >/dev/null
[ ! -s "$SCRATCH/stderr" ] || die "they agree: $(cat "$SCRATCH/stderr")"
cp a.f32 raw.npy
ok "$GHZ" compress --abs 1e-3 --type f32 raw.npy -o raw.ghz
says 'raw.npy: is no .npy file; read as f32, as --type says'
ok "$GHZ" compress -q --abs 1e-3 a.f32 -f -o a.ghz
same a.ghz raw.ghz
ok "$GHZ" decompress --type f64 a.ghz -o wide.f32
says 'wide.f32: written as f64, as --type says, not as its extension says'
[ "$(wc -c <wide.f32)" = 16000 ] || die "not f64"
fails 1 'a.npy: holds f64, not f32 as --type says' "$GHZ" compress --abs 1 --type f32 a.npy -o x.ghz
fails 2 '--big-endian does not apply here' "$GHZ" add --big-endian a.ghz a.ghz
fails 2 '--big-endian does not apply with --min and --max' "$GHZ" minmax --min --big-endian a.ghz a.ghz -o x.ghz
