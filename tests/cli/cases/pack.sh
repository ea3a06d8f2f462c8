# Packed files are smaller, hold the same streams, and are read by every verb; packing and unpacking
# in place loses nothing, whatever fails.
# SPDX-License-Identifier: BSD-3-Clause
. "$HELPERS"
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
is_plain a.ghz
frames=$("$GHZ" info a.ghz | sed -n 's/^  frames *\([0-9]*\) .*/\1/p')
[ "$frames" -gt 2 ] || die "$frames frames"
levels='1 2'
"$GHZ" --version | grep -q '^built with:.* zstd' || { # level 2 is all there is
  levels=2
  cp "$GOLDEN/packed/frames.ghz" .
  fails 1 'built without zstd' "$GHZ" compress --pack=1 --abs 1e-3 a.npy -o packed1.ghz
  fails 1 'built without zstd' "$GHZ" pack -1 a.ghz
  for verb in info test unpack 'pack -2' 'decompress -c' stats; do fails 1 'zstd' "$GHZ" $verb frames.ghz; done
}
option() { # LEVEL: its name
  [ "$1" = 1 ] && echo --fast || echo --best
}
before=$(size a.ghz)
for level in $levels; do
  packed=packed$level.ghz
  ok "$GHZ" compress --abs 1e-3 --frame-values 32768 --pack=$level a.npy -o $packed
  grep -q 'KiB packed (' "$SCRATCH/stderr" || die "compress does not say that it packed: $(cat "$SCRATCH/stderr")"
  is_packed $packed "$frames"
  [ "$(size $packed)" -lt $((before * 19 / 20)) ] || die "level $level: $(size $packed) bytes, before $before"
  within <(tail -c +129 a.npy) <("$GHZ" decompress $packed -o - | tail -c +129) f32 1e-3
  cp a.ghz c.ghz
  ok "$GHZ" pack -$level c.ghz
  grep -q 'c.ghz: .* -> c.ghz: ' "$SCRATCH/stderr" || die "no line about the result"
  same c.ghz $packed
  for words in "-T 1 --level $level" "-T 3 --level=$level" "$(option $level)" "-$((3 - level))$level"; do # the last one counts
    ok "$GHZ" pack $words a.ghz -f -o d.ghz
    same d.ghz $packed
  done
  ok "$GHZ" pack --level $level <a.ghz >piped.ghz
  ok "$GHZ" unpack <piped.ghz >back.ghz
  is_packed piped.ghz "$frames"
  same back.ghz a.ghz
  ok "$GHZ" unpack c.ghz
  same c.ghz a.ghz
  "$TOOL" npy '(0, 3)' f32 | ok "$GHZ" compress --abs 1 --pack=$level >empty.ghz
  ok "$GHZ" test empty.ghz
  [ "$("$GHZ" decompress <empty.ghz | wc -c)" = 128 ] || die "an array without values has some"
  before=$(size $packed) # level 2 is smaller than 1
done
if [ "$levels" = '1 2' ]; then
  cp packed1.ghz c.ghz # packed again at another level
  ok "$GHZ" pack -2 c.ghz
  same c.ghz packed2.ghz
fi
level=$("$GHZ" pack --help | sed -n 's/.*--level .*default: \(.\).*/\1/p')
[[ $level = [12] ]] || die "no default in the help"
if [[ $levels = *$level* ]]; then
  ok "$GHZ" pack a.ghz -f -o d.ghz
  same d.ghz "packed$level.ghz"
  ok "$GHZ" compress --abs 1e-3 --frame-values 32768 --pack a.npy -f -o d.ghz
  same d.ghz "packed$level.ghz"
fi

# ---- Every verb reads them ----
for level in $levels; do
  cp packed$level.ghz packed.ghz
  ok "$GHZ" pack -$level b.ghz -f -o b_packed.ghz
  ok "$GHZ" test packed.ghz b_packed.ghz
  for part in '' '--range 1000:50000' '--box 10:50,:,3:9'; do
    "$GHZ" decompress $part a.ghz -o - >plain.npy || die "$part of a.ghz"
    "$GHZ" decompress $part packed.ghz -o - >part.npy || die "$part of packed.ghz"
    same part.npy plain.npy
  done
  "$GHZ" diff a.ghz b.ghz >plain_says && "$GHZ" diff packed.ghz b_packed.ghz | sed 's/b_packed/b/; s/packed/a/' >says || die diff
  same says plain_says
  ok "$GHZ" compare a.npy packed.ghz >/dev/null
  ok "$GHZ" compress --like packed.ghz b.npy -f -o like.ghz
  same like.ghz b.ghz
  ok "$GHZ" add a.ghz b.ghz -f -o plain.ghz
  ok "$GHZ" add packed.ghz b.ghz -f -o mixed.ghz
  same mixed.ghz plain.ghz
  ok "$GHZ" add --pack=$level packed.ghz b.ghz -f -o mixed.ghz
  is_packed mixed.ghz "$frames"
  ok "$GHZ" unpack mixed.ghz
  same mixed.ghz plain.ghz
  if have jq; then
    ok "$GHZ" info --json packed.ghz a.ghz >info.json
    [ "$(jq -c '[.[].packed_frames]' info.json)" = "[$frames,0]" ] || die "$(cat info.json)"
    [ "$(jq '.[0].stream_bytes == .[1].stream_bytes and .[0].bytes < .[0].stream_bytes' info.json)" = true ] || die "sizes"
  fi
done

# ---- In place ----
cp a.ghz one.ghz && cp b.ghz two.ghz && ln -s two.ghz link.ghz && chmod 600 one.ghz
ok "$GHZ" pack -2 one.ghz link.ghz
same one.ghz packed.ghz
same two.ghz b_packed.ghz
[ -L link.ghz ] && [ "$(stat -c %a one.ghz)" = 600 ] || die "a link or a mode is lost"
head -c 20000 packed.ghz >cut.ghz
fails 1 'cut.ghz' "$GHZ" unpack cut.ghz
fails 1 'cut.ghz' "$GHZ" pack cut.ghz
fails 1 'already exists; use -f' "$GHZ" pack a.ghz -o b.ghz
fails 1 'a.ghz' "$GHZ" pack a.ghz -f -o a.ghz
fails 2 '-o takes one input file, 2 were given' "$GHZ" unpack a.ghz b.ghz -o c.ghz
fails 1 'none.ghz' "$GHZ" pack none.ghz
for level in 0 3 9 19 -1 x 1x ''; do
  fails 2 "--level $level: the level must be 1 (by zstd) or 2 (smaller)" "$GHZ" pack --level "$level" a.ghz
  fails 2 "--pack $level: the level must be 1 (by zstd) or 2 (smaller)" "$GHZ" compress "--pack=$level" --abs 1 a.npy
done
fails 2 'unknown option -9' "$GHZ" pack -9 a.ghz
fails 2 'does not apply here' "$GHZ" unpack -2 a.ghz
fails 2 '--best takes no value' "$GHZ" pack --best=2 a.ghz
fails 2 'does not apply here' "$GHZ" decompress --pack a.ghz
mkfifo pipe.ghz
cat a.ghz >pipe.ghz &
fails 1 'pipe.ghz: is not a regular file' "$GHZ" pack pipe.ghz
wait

# ---- What is appended before the file is locked, and another file of the name, stay ----
if [ -n "${FAULTS:-}" ]; then
  for call in tmpfile write; do
    cp a.ghz c.ghz
    LD_PRELOAD="$FAULTS" GHZ_FAULT=$call:1:1:stop "$GHZ" pack c.ghz 2>"$SCRATCH/err" &
    for ((i = 0; i < 400; i++)); do
      ! grep -q '^State:.T' /proc/$!/status || break
      sleep 0.05
    done
    if [ $call = tmpfile ]; then
      echo more >>c.ghz
      cp c.ghz d.ghz
    else
      cp b.ghz d.ghz
      cp b.ghz e.ghz && mv e.ghz c.ghz
    fi
    kill -CONT $!
    ! wait $! || die "replaced what was changed at the first $call"
    grep -q 'c.ghz: was changed or replaced' "$SCRATCH/err" || die "$(cat "$SCRATCH/err")"
    same c.ghz d.ghz
  done
fi

# ---- Kept files ----
[ "$levels" = '1 2' ] || exit 0
cp "$GOLDEN/packed/frames.ghz" golden.ghz
is_packed golden.ghz 3
ok "$GHZ" unpack golden.ghz
same golden.ghz "$GOLDEN/files/frames_f32.ghz"
