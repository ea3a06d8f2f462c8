# Symbolic links: an output that is one is followed, also to a file that is not there yet; the link
# stays.
# SPDX-License-Identifier: BSD-3-Clause
. "$HELPERS"
"$TOOL" make wave 1000 f32 >a.f32
ok "$GHZ" compress --abs 1e-3 a.f32 -o want.ghz
mkdir near far
# replaced LINK FILE: writing to the link makes the file, and nothing else.
replaced() {
  ok "$GHZ" compress -q -f --abs 1e-3 a.f32 -o "$1"
  [ -L "$1" ] || die "the link $1 was replaced"
  same "$2" want.ghz
  rm "$2"
  [ -z "$(find . -name '.ghz-*')" ] || die "left a temporary file"
}
for there in yes no; do # whether the file exists
  make() { [ $there = no ] || echo old >"$1"; }
  ln -sf ../far/relative.ghz near/relative && make far/relative.ghz && replaced near/relative far/relative.ghz
  ln -sf "$PWD/far/absolute.ghz" near/absolute && make far/absolute.ghz && replaced near/absolute far/absolute.ghz
  ln -sf near/relative chain && make far/relative.ghz && replaced chain far/relative.ghz
  ln -sf plain.ghz here && make plain.ghz && replaced here plain.ghz
done
ln -s ../near far/folder # ".." in a link is that of the folder which the link is in
ln -s far/folder/../relative.ghz up && replaced up relative.ghz
# Without -f a link is in the way, wherever it leads.
fails 1 'here: already exists' "$GHZ" compress --abs 1e-3 a.f32 -o here
ln -s loop loop
fails 1 'loop: already exists' "$GHZ" compress --abs 1e-3 a.f32 -o loop
fails 1 'loop: cannot be created: Too many levels' "$GHZ" compress -f --abs 1e-3 a.f32 -o loop
ln -s none/x.ghz astray
fails 1 'astray: cannot be created: No such file' "$GHZ" compress -f --abs 1e-3 a.f32 -o astray
ln -s near folder
fails 1 'folder: is a directory' "$GHZ" compress --abs 1e-3 a.f32 -o folder
fails 1 'folder: is a directory' "$GHZ" compress -f --abs 1e-3 a.f32 -o folder
ln -s /dev/null void
ok "$GHZ" compress --abs 1e-3 a.f32 -o void
[ -c /dev/null ] && [ -L void ] || die "a device was replaced"
# What a link leads to survives a failure.
echo old >plain.ghz
head -c 100 want.ghz >cut.ghz
fails 1 'cut.ghz: truncated' "$GHZ" scale -f 2 cut.ghz -o here
# Inputs: FILE.ghz is made beside the link; an input is never overwritten through one.
mkdir data && mv a.f32 data && ln -s data/a.f32 a.f32
ok "$GHZ" compress --abs 1e-3 a.f32
[ -f a.f32.ghz ] && [ ! -e data/a.f32.ghz ] || die "the output is not beside the link"
same a.f32.ghz want.ghz
ln -s a.f32 again
fails 1 'again: is the input itself' "$GHZ" compress -f --abs 1e-3 a.f32 -o again
mv data/a.f32 data/a && ln -sf data/a a.f32
fails 1 'data/a: is the input itself' "$GHZ" compress -f --abs 1e-3 a.f32 -o data/a
rm data/a
fails 1 'a.f32: No such file' "$GHZ" compress -f --abs 1e-3 a.f32
fails 1 'loop: Too many levels' "$GHZ" compress --abs 1e-3 loop
