# The commands of the README work from top to bottom in one folder.
# SPDX-License-Identifier: BSD-3-Clause
. "$HELPERS"
PATH=$(dirname "$GHZ"):$PATH
"$TOOL" make wave 4096 f32 >pressure.f32
for name in a b; do { "$TOOL" npy '(64, 64)' f32; "$TOOL" make wave 4096 f32; } >$name.npy; done
"$GHZ" compare --png probe.png --dims 64x64 pressure.f32 pressure.f32 >probe 2>&1 || skip "built without libpng"
sed -n '/^## On files/,/^## In C/s/^    \(ghz .*\)/\1/p' "$SOURCE/README.md" >list
[ "$(wc -l <list)" -ge 8 ] || die "the README has too few commands"
while read -r line; do
  bash -c "$line" </dev/null >out 2>err || die "'$line': $(cat err)"
done <list
[ -s p.png ] && [ -s a.png ] && [ -s back.f32 ] && [ -s sum.ghz ] && [ -s mean.ghz ] || die "a result is missing"
