# A thousand files in one pass, with few file descriptors before it asks for more; the same bytes in
# any order and grouping.
# SPDX-License-Identifier: BSD-3-Clause
. "$HELPERS"
"$TOOL" make wave 20000 f32 1 >a.f32
"$TOOL" make wave 20000 f32 2 >b.f32
"$TOOL" make noise 20000 f32 3 >c.f32
ok "$GHZ" compress -q --abs 1e-4 --frame-values 16384 a.f32 b.f32 c.f32
many=()
for ((i = 0; i < 333; i++)); do
  ln a.f32.ghz a$i.ghz && ln b.f32.ghz b$i.ghz && ln c.f32.ghz c$i.ghz
  many+=(a$i.ghz b$i.ghz c$i.ghz)
done
(ulimit -n 40 && fails 1 'Too many open files' "$GHZ" add "${many[@]}" -o no.ghz) || exit 1
(ulimit -Sn 40 && ok "$GHZ" add "${many[@]}" a.f32.ghz -o sum.ghz) || exit 1
# 333 (a + b + c) + a by doubling
ok "$GHZ" add a.f32.ghz b.f32.ghz c.f32.ghz -o 1.ghz
cp 1.ghz total.ghz
for ((p = 1; p < 256; p *= 2)); do
  ok "$GHZ" add $p.ghz $p.ghz -o $((p * 2)).ghz
done
ok "$GHZ" add 256.ghz 64.ghz 8.ghz 4.ghz 1.ghz a.f32.ghz -o other.ghz
same sum.ghz other.ghz
readarray -t mixed < <(printf '%s\n' "${many[@]}" a.f32.ghz | sort)
ok "$GHZ" add "${mixed[@]}" -o mixed.ghz
same sum.ghz mixed.ghz
ok "$GHZ" decompress sum.ghz -o sum.f64
"$TOOL" sum f32 a.f32 b.f32 c.f32 >three.f64
ok "$GHZ" mean "${many[@]}" -o mean.ghz
ok "$GHZ" decompress mean.ghz -o mean.f64
ok "$GHZ" scale 3 mean.ghz -o mean3.ghz
ok "$GHZ" decompress mean3.ghz -o mean3.f64
within three.f64 mean3.f64 f64 3.000001e-4
ok "$GHZ" info sum.ghz >info
grep -q 'terms  *1000' info || die "terms are not 1000"
