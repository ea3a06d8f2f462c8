# Files of other kinds, and files made to harm.
# SPDX-License-Identifier: BSD-3-Clause
. "$HELPERS"
"$TOOL" make noise 5000 f32 >noise.ghz
echo 'hello, this is text and not compressed data at all' >text.ghz
head -c 3 /dev/zero >three.ghz
printf 'GHZF' >four.ghz
printf 'GHZF\4\0\0\0' >eight.ghz
printf 'GHZF\5\0\0\0' >newer.ghz
{ printf 'GHZF\4\0\377\0'; head -c 400 /dev/zero; } >dims.ghz
{ printf 'GHZF\4\0\0\0'; head -c 400 /dev/urandom; } >random.ghz
{ "$TOOL" npy '(100,)' f32; "$TOOL" make wave 100 f32; } >npy.ghz
have gzip && gzip -c text.ghz >gzip.ghz || cp text.ghz gzip.ghz
for verb in test info minmax "decompress -o x.f32" "add -o x.ghz" "mean -o x.ghz" "scale 2 -o x.ghz"; do
  for name in noise text three npy gzip; do
    fails 1 "$name.ghz: not a .ghz file" "$GHZ" $verb $name.ghz
  done
  fails 1 'four.ghz: truncated' "$GHZ" $verb four.ghz
  fails 1 'eight.ghz: truncated' "$GHZ" $verb eight.ghz
  fails 1 'newer.ghz: version 5' "$GHZ" $verb newer.ghz
  fails 1 'dims.ghz: damaged' "$GHZ" $verb dims.ghz
  fails 1 'random.ghz: damaged' "$GHZ" $verb random.ghz
done
# An impossible length of a frame is refused before memory is asked for.
"$TOOL" make wave 100 f32 >a.f32
ok "$GHZ" compress --abs 0.1 a.f32 -o good.ghz
{ head -c 56 good.ghz; printf '\377\377\377\377\377\377\377\17'; tail -c +65 good.ghz; } >length.ghz
fails 1 'length.ghz: damaged: frame 0: an impossible length' "$GHZ" test length.ghz
fails 1 'standard input: damaged: frame 0: an impossible length' bash -c 'cat length.ghz | "$GHZ" test'
{ head -c 56 good.ghz; printf '\0\0\0\4\0\0\0\0'; tail -c +65 good.ghz; } >length.ghz
fails 1 'length.ghz: truncated' "$GHZ" test length.ghz
export LIMIT=:
(ulimit -v 1000000 && "$GHZ" --version) >/dev/null 2>&1 && LIMIT='ulimit -v 1000000' # a sanitizer needs more
fails 1 'standard input: truncated' bash -c '$LIMIT; cat length.ghz | "$GHZ" test -T 1'
