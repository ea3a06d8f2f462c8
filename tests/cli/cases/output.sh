# Outputs: what exists is kept, names are checked before work, nothing is half-written.
# SPDX-License-Identifier: BSD-3-Clause
. "$HELPERS"
"$TOOL" make wave 1000 f32 >a.f32
ok "$GHZ" compress --abs 1e-3 a.f32
fails 1 'a.f32.ghz: already exists; use -f' "$GHZ" compress --abs 1e-2 a.f32
fails 1 'a.f32: already exists; use -f' "$GHZ" decompress a.f32.ghz
echo keep >sum.ghz
fails 1 'sum.ghz: already exists; use -f' "$GHZ" add a.f32.ghz a.f32.ghz -o sum.ghz
ok "$GHZ" add -f a.f32.ghz a.f32.ghz -o sum.ghz
ok "$GHZ" test sum.ghz
fails 1 'a.f32.ghz: is the input itself' "$GHZ" add -f a.f32.ghz sum.ghz -o a.f32.ghz
ln a.f32 hard
fails 1 'hard: is the input itself' "$GHZ" compress -f --abs 1 --type f32 hard -o hard
fails 1 'hard: is the input itself' "$GHZ" compress -f --abs 1 a.f32 -o hard
fails 1 'hard: is the input itself' bash -c '"$GHZ" compress -f --abs 1 --type f32 -o hard <a.f32'
fails 1 "'': the name of the file is empty" "$GHZ" compress --abs 1 a.f32 -o ''
mkdir d
fails 1 'none/x.ghz: cannot be created: No such file' "$GHZ" compress --abs 1 a.f32 -o none/x.ghz
ok "$GHZ" compress --abs 1 a.f32 -o d/x.ghz
[ "$(ls -A d)" = x.ghz ] || die "$(ls -A d)"
# A file that appears while we work is not overwritten.
mkfifo pipe
cat pipe | "$GHZ" compress --abs 1 --type f32 --frame-values 16384 -o late.ghz 2>"$SCRATCH/err" &
exec 3>pipe
"$TOOL" make wave 40000 f32 >&3
for ((i = 0; i < 200; i++)); do
  [ -z "$(unfinished $!)" ] || break
  sleep 0.05
done
[ -n "$(unfinished $!)" ] || die "no unfinished file appeared"
echo mine >late.ghz
exec 3>&-
wait $! && die "overwrote a file that appeared"
grep -q 'late.ghz: already exists' "$SCRATCH/err" && [ "$(cat late.ghz)" = mine ] || die "$(cat "$SCRATCH/err")"
[ -z "$(find . -name '.ghz-*')" ] || die "left a temporary file"
# What is made of one file has its mode, as with gzip; failure keeps the old file even with -f.
for mode in 600 640 664; do
  cp a.f32 own.f32 && chmod $mode own.f32
  rm -f own.f32.ghz
  ok "$GHZ" compress -q --abs 1 own.f32
  for verb in decompress pack unpack "scale 2"; do
    rm -f made
    ok "$GHZ" $verb own.f32.ghz -o made
    [ "$(stat -c %a own.f32.ghz) $(stat -c %a made)" = "$mode $mode" ] || die "$verb: $mode became $(stat -c %a own.f32.ghz made)"
  done
done
head -c 100 a.f32.ghz >cut.ghz
fails 1 'cut.ghz: truncated' "$GHZ" decompress -f cut.ghz -o a.f32
ok "$GHZ" compress --abs 1 a.f32 -o /dev/null
# A file that is being appended to, which the lock tells, is not replaced, in its place or by name.
# (tests/library/test_files_appended.c has the library's ways.)
{ "$TOOL" npy '(200, 200)' f32 && "$TOOL" make wave 40000 f32; } >n.npy
ok "$GHZ" compress -q --abs 1 n.npy -o n.ghz
ln -s held.ghz held_link
for words in 'compress --abs 1 n.npy -o' 'decompress n.ghz -o' 'add n.ghz n.ghz -o' 'compare n.npy n.ghz --png' pack; do
  verb=${words%% *} rest=${words#"${words%% *}"}
  [ $verb != compare ] || "$GHZ" --version | grep -q '^built with:.* libpng' || continue
  cp n.ghz held.ghz
  fails 1 "held_link: is being appended to by another writer" flock held.ghz "$GHZ" $verb -f $rest held_link
  flock -s held.ghz "$GHZ" $verb -q -f $rest held_link || die "$words: no writer, and refused"
done
