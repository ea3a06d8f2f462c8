# ghz test finds every flipped bit; no other verb writes a file from damaged input.
# SPDX-License-Identifier: BSD-3-Clause
. "$HELPERS"
"$TOOL" make wave 40000 f32 >a.f32
ok "$GHZ" compress --abs 0.01 --frame-values 16384 a.f32
bits=$(($(wc -c <a.f32.ghz) * 8))
cp a.f32.ghz flip.ghz
k=$((bits / 300 + 1))
for ((bit = 0; bit < bits; bit += bit < 500 || bit > bits - 220 ? 1 : k)); do
  "$TOOL" flip flip.ghz $bit
  "$GHZ" test flip.ghz 2>"$SCRATCH/err"
  code=$?
  [ $code = 1 ] && [ "$(wc -l <"$SCRATCH/err")" = 1 ] || die "bit $bit: exit code $code, $(cat "$SCRATCH/err")"
  if [ $((bit % 7)) = 0 ]; then
    fails 1 'flip.ghz: ' "$GHZ" decompress flip.ghz
    fails 1 'flip.ghz: ' "$GHZ" add a.f32.ghz flip.ghz -o sum.ghz
    fails 1 'flip.ghz: ' "$GHZ" info flip.ghz
  fi
  "$TOOL" flip flip.ghz $bit
done
same a.f32.ghz flip.ghz
