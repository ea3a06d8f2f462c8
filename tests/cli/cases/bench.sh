# ghz bench measures and checks.
# SPDX-License-Identifier: BSD-3-Clause
. "$HELPERS"
"$TOOL" make wave 100000 f32 >a.f32
"$TOOL" make noise 50000 f64 >b.f64
ok "$GHZ" bench -T 1 a.f32 >out
for word in memcpy compress decompress add 'max error / bound 0'; do
  grep -q "$word" out || die "no '$word' in: $(cat out)"
done
ok "$GHZ" bench --abs 1e-3 -T 1 a.f32 b.f64 >out
[ "$(wc -l <out)" = 12 ] || die "$(cat out)"
fails 1 'none.f32: No such file' "$GHZ" bench none.f32
