# Packed files are smaller, hold the same streams, and are read by every verb; packing and unpacking
# in place loses nothing, whatever fails.
# SPDX-License-Identifier: BSD-3-Clause
. "$HELPERS"
"$GHZ" --version | grep -q '^built with:.* zstd' || {
  cp "$GOLDEN/packed/frames.ghz" .
  "$TOOL" make wave 1000 f32 >a.f32
  fails 1 'without zstd' "$GHZ" compress --pack --abs 1 a.f32
  fails 1 'frames.ghz: ' "$GHZ" test frames.ghz
  fails 1 'zstd' "$GHZ" unpack frames.ghz
  exit 0
}
size() { stat -c %s "$1"; }
is_packed() { # FILE FRAMES: so many frames are packed, of as many
  "$GHZ" info "$1" | grep -q "^  packed  *$2 of $2 frames; unpacked, the streams have" || die "$1: $("$GHZ" info "$1")"
}
is_plain() {
  ! "$GHZ" info "$1" | grep '^  packed' || die "$1 is packed"
}

# ---- The same streams, in fewer bytes ----
{ "$TOOL" npy '(60, 40, 64)' f32 && "$TOOL" make wave 153600 f32; } >a.npy
{ "$TOOL" npy '(60, 40, 64)' f32 && "$TOOL" make wave 153600 f32 7; } >b.npy
for name in a b; do ok "$GHZ" compress --abs 1e-3 --frame-values 32768 $name.npy -o $name.ghz; done
ok "$GHZ" compress --abs 1e-3 --frame-values 32768 --pack a.npy -o packed.ghz
grep -q 'KiB packed (' "$SCRATCH/stderr" || die "compress does not say that it packed: $(cat "$SCRATCH/stderr")"
frames=$("$GHZ" info a.ghz | sed -n 's/^  frames *\([0-9]*\) .*/\1/p')
[ "$frames" -gt 2 ] || die "$frames frames"
is_packed packed.ghz "$frames"
is_plain a.ghz
[ "$(size packed.ghz)" -lt $(($(size a.ghz) * 19 / 20)) ] || die "packed: $(size packed.ghz) of $(size a.ghz) bytes"
within <(tail -c +129 a.npy) <("$GHZ" decompress packed.ghz -o - | tail -c +129) f32 1e-3
cp a.ghz c.ghz
ok "$GHZ" pack c.ghz
grep -q 'c.ghz: .* -> c.ghz: ' "$SCRATCH/stderr" || die "no line about the result"
same c.ghz packed.ghz
for threads in 1 3; do
  ok "$GHZ" pack -T $threads a.ghz -f -o d.ghz
  same d.ghz packed.ghz
done
ok "$GHZ" compress --abs 1e-3 --frame-values 32768 --pack=19 a.npy -o best.ghz
ok "$GHZ" pack --level 19 a.ghz -f -o d.ghz
same d.ghz best.ghz
differ best.ghz packed.ghz
for file in c best; do
  ok "$GHZ" unpack $file.ghz
  same $file.ghz a.ghz
done
ok "$GHZ" pack <a.ghz >piped.ghz
ok "$GHZ" unpack <piped.ghz >back.ghz
is_packed piped.ghz "$frames"
same back.ghz a.ghz
"$TOOL" npy '(0, 3)' f32 | ok "$GHZ" compress --abs 1 --pack >empty.ghz
ok "$GHZ" test empty.ghz
[ "$("$GHZ" decompress <empty.ghz | wc -c)" = 128 ] || die "an array without values has some"

# ---- Every verb reads them ----
ok "$GHZ" pack b.ghz -o b_packed.ghz
ok "$GHZ" test packed.ghz b_packed.ghz
for part in '' '--range 1000:50000' '--box 10:50,:,3:9'; do
  "$GHZ" decompress $part a.ghz -o - >plain.npy || die "$part of a.ghz"
  "$GHZ" decompress $part packed.ghz -o - >part.npy || die "$part of packed.ghz"
  same part.npy plain.npy
done
for verb in stats diff minmax; do
  if [ $verb = diff ]; then plain='a.ghz b.ghz' other='packed.ghz b_packed.ghz'; else plain=a.ghz other=packed.ghz; fi
  "$GHZ" $verb $plain >plain_says && "$GHZ" $verb $other | sed 's/b_packed/b/; s/packed/a/' >says || die "$verb"
  same says plain_says
done
ok "$GHZ" compare a.npy packed.ghz >/dev/null
ok "$GHZ" compress --like packed.ghz b.npy -f -o like.ghz
same like.ghz b.ghz
for verb in add sub mean 'scale -2' 'minmax --max'; do
  operands='a.ghz b.ghz' mixed='packed.ghz b.ghz'
  [ "$verb" != 'scale -2' ] || operands=a.ghz mixed=packed.ghz
  if [ "$verb" = 'minmax --max' ]; then
    for name in a b; do ok "$GHZ" compress --abs 1e-3 --order lorenzo --frame-values 32768 $name.npy -o l$name.ghz; done
    operands='la.ghz lb.ghz' mixed='lpacked.ghz lb.ghz'
    ok "$GHZ" pack la.ghz -o lpacked.ghz
  fi
  ok "$GHZ" $verb $operands -f -o plain.ghz
  ok "$GHZ" $verb $mixed -f -o mixed.ghz
  same mixed.ghz plain.ghz
  ok "$GHZ" $verb --pack $mixed -f -o mixed.ghz
  is_packed mixed.ghz "$frames"
  ok "$GHZ" unpack mixed.ghz
  same mixed.ghz plain.ghz
done
if have jq; then
  ok "$GHZ" info --json packed.ghz a.ghz >info.json
  [ "$(jq -c '[.[].packed_frames]' info.json)" = "[$frames,0]" ] || die "$(cat info.json)"
  [ "$(jq '.[0].stream_bytes == .[1].stream_bytes and .[0].bytes < .[0].stream_bytes' info.json)" = true ] || die "sizes"
fi

# ---- In place ----
cp a.ghz one.ghz && cp b.ghz two.ghz && ln -s two.ghz link.ghz && chmod 600 one.ghz
ok "$GHZ" pack one.ghz link.ghz
same one.ghz packed.ghz
same two.ghz b_packed.ghz
[ -L link.ghz ] && [ "$(stat -c %a one.ghz)" = 600 ] || die "a link or a mode is lost"
head -c 20000 packed.ghz >cut.ghz
fails 1 'cut.ghz' "$GHZ" unpack cut.ghz
fails 1 'cut.ghz' "$GHZ" pack cut.ghz
fails 1 'already exists; use -f' "$GHZ" pack a.ghz -o b.ghz
fails 1 'a.ghz' "$GHZ" pack a.ghz -f -o a.ghz
fails 1 'give compressed output a name that ends in .ghz' "$GHZ" pack a.ghz -o a.f32
fails 2 '-o takes one input file, 2 were given' "$GHZ" unpack a.ghz b.ghz -o c.ghz
fails 1 'none.ghz' "$GHZ" pack none.ghz
for level in 0 20 -1 x 1x ''; do
  fails 2 'the level must be 1 to 19' "$GHZ" pack --level "$level" a.ghz
  fails 2 'the level must be 1 to 19' "$GHZ" compress "--pack=$level" --abs 1 a.npy
done
fails 1 '--pack needs a compressed output' "$GHZ" add --pack a.ghz b.ghz -o sum.npy
fails 2 'does not apply here' "$GHZ" decompress --pack a.ghz
mkfifo pipe.ghz
cat a.ghz >pipe.ghz &
fails 1 'pipe.ghz: is not a regular file' "$GHZ" pack pipe.ghz
wait

# ---- Kept files ----
cp "$GOLDEN/packed/frames.ghz" golden.ghz
is_packed golden.ghz 3
ok "$GHZ" unpack golden.ghz
same golden.ghz "$GOLDEN/files/frames_f32.ghz"

# ---- Another reader, which knows the formats from their texts, and zstd's by the command zstd ----
have python3 && have zstd || exit 0
"$GHZ" pack a.ghz -f -o d.ghz 2>/dev/null
for name in golden d; do
  [ $name != golden ] || cp "$GOLDEN/packed/frames.ghz" golden.ghz
  PYTHONDONTWRITEBYTECODE=1 python3 "$SOURCE/tests/format/container.py" $name.ghz read.f32 || die "$name.ghz"
  "$GHZ" decompress $name.ghz -f -o own.f32 2>/dev/null || die "$name.ghz"
  same read.f32 own.f32
done
