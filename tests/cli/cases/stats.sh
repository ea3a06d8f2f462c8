# Sums, means and norms of compressed files, and how far two are apart: exact, with intervals.
# SPDX-License-Identifier: BSD-3-Clause
. "$HELPERS"
"$TOOL" make wave 40000 f32 1 >a.f32
"$TOOL" make wave 40000 f32 2 >b.f32
ok "$GHZ" compress -q --abs 1e-4 --frame-values 16384 a.f32 b.f32
ok "$GHZ" stats a.f32.ghz b.f32.ghz >out
[ "$(grep -c '^  values  *40000$' out)" = 2 ] || die "$(cat out)"
for word in 'min, max' sum mean variance deviation 'L2 norm'; do
  [ "$(grep -c "^  $word " out)" = 2 ] || die "no '$word' in: $(cat out)"
done
# Frames make no difference to sums, nor do threads or instruction sets.
ok "$GHZ" compress -q --abs 1e-4 a.f32 -o whole.ghz
numbers() { sed -n 's/^  \(sum\|mean\|variance\|deviation\|L2 norm\) //p' "$1"; }
ok "$GHZ" stats --threads 3 whole.ghz >whole
GHZ_ISA=scalar ok "$GHZ" stats whole.ghz >scalar
ok "$GHZ" stats a.f32.ghz >frames
numbers whole >first && numbers scalar >second && numbers frames >third
[ -s first ] && same first second && same first third
# Four values that are on the lattice: the numbers are those of the file.
printf '\0\0\200\077\0\0\0\100\0\0\100\100\0\0\200\100' >four.f32 # 1 2 3 4
ok "$GHZ" compress -q --abs 1e-30 four.f32
ok "$GHZ" stats four.f32.ghz >out
for line in 'min, max          1, 4' 'sum  *10  *in \[10, 10\]' 'mean  *2.5  *in \[2.5, 2.5\]' 'variance  *1.25  *in \[1.25, 1.25\]' \
  'deviation  *1.118033988749895 ' 'L2 norm  *5.477225575051661 '; do
  grep -q "^  $line" out || die "no '$line' in: $(cat out)"
done
# The interval holds the numbers of the original, which are those of values that are stored as they
# are.
ok "$GHZ" compress -q --abs 1e-40 a.f32 -o exact.ghz
if have jq; then
  ok "$GHZ" stats --json exact.ghz a.f32.ghz >out
  jq -e '.[0] as $x | .[1] as $y | [$x.count == $y.count, ("sum", "mean", "variance", "deviation", "norm") as $k |
    $y[$k].low <= $x[$k].value and $x[$k].value <= $y[$k].high and $y[$k].low < $y[$k].high] | all' out >/dev/null || die "$(cat out)"
  jq -e '(.[1].sum.high - .[1].sum.low) / 8 | . > 0.99 and . < 1.01' out >/dev/null || die "not 2 * 40000 * 1e-4: $(cat out)"
fi
# NaN and infinities are left out and counted; of nothing there is a sum and no mean.
"$TOOL" make special 1000 f32 >s.f32
ok "$GHZ" compress -q --abs 1e-3 s.f32
ok "$GHZ" stats s.f32.ghz >out
grep -q '^  left out  *143 (fill values, NaN, infinities)$' out && grep -q '^  values  *857$' out || die "$(cat out)"
printf '\0\0\300\177\0\0\300\177' >nan.f32
ok "$GHZ" compress -q --abs 1e-3 nan.f32
ok "$GHZ" stats nan.f32.ghz >out
grep -q '^  sum  *0 ' out && grep -q '^  mean  *-$' out && ! grep -q 'min, max' out || die "$(cat out)"
ok "$GHZ" stats --json nan.f32.ghz >out
grep -q '"min": null.*"mean": {"value": null, "low": null, "high": null}' out || die "$(cat out)"
# Two files: 24 values, of which number 13 of 2x3x4 differs by 3 and number 23 by 1
ramp() { for i in $(seq 0 23); do [ $i = 13 ] && printf "\\0\\0\\$1" || { [ $i = 23 ] && printf "\\0\\0\\$2" || printf '\0\0\200\077'; }; done; }
{ "$TOOL" npy '(2, 3, 4)' f32; ramp '200\077' '200\077'; } >ones.npy # 1 everywhere
{ "$TOOL" npy '(2, 3, 4)' f32; ramp '200\100' '000\000'; } >off.npy  # 4 and 0
ok "$GHZ" compress -q --abs 1e-30 ones.npy off.npy
ok "$GHZ" diff ones.npy.ghz off.npy.ghz >out
for line in 'pairs             24' 'dot product  *26 ' 'mean difference  *-0.08333333333333333 ' 'rms difference  *0.6454972243679028 ' \
  'largest  *3  *in \[3, 3\]' 'largest at        13 (1, 0, 1)$'; do
  grep -q "^  $line" out || die "no '$line' in: $(cat out)"
done
ok "$GHZ" diff --json ones.npy.ghz off.npy.ghz >out
grep -q '"max_difference_at": 13, "max_difference_index": \[1, 0, 1\]}' out || die "$(cat out)"
! have jq || jq . out >/dev/null || die "JSON"
ok "$GHZ" diff a.f32.ghz a.f32.ghz >out
grep -q '^  largest  *0 ' out && grep -q '^  largest at  *0$' out || die "$(cat out)"
ok "$GHZ" diff nan.f32.ghz nan.f32.ghz >out
grep -q '^  left out  *2 (fill values, NaN, infinities), 0 of them in one file alone$' out || die "$(cat out)"
ok "$GHZ" diff --json nan.f32.ghz nan.f32.ghz >out
grep -q '"max_difference_at": null}' out || die "$(cat out)"
# What does not fit together, or is no such file
ok "$GHZ" compress -q --abs 1e-3 --frame-values 16384 b.f32 -o other.ghz
fails 1 'other.ghz: bound 0.001 differs from 0.0001 in a.f32.ghz' "$GHZ" diff a.f32.ghz other.ghz
fails 1 'whole.ghz: number of values per frame' "$GHZ" diff a.f32.ghz whole.ghz
fails 1 'number of values 2 differs' "$GHZ" diff s.f32.ghz nan.f32.ghz
fails 1 'a.f32: not a .ghz file' "$GHZ" stats a.f32
fails 2 '2 input files are needed' "$GHZ" diff a.f32.ghz
head -c 3000 a.f32.ghz >cut.ghz
fails 1 'cut.ghz: ' "$GHZ" stats cut.ghz
fails 1 'cut.ghz: ' "$GHZ" diff a.f32.ghz cut.ghz
# Where the decimal point is a comma: the same numbers, read and written.
for locale in C de_DE.UTF-8; do
  LC_ALL=$locale ok "$GHZ" compress -q --abs 0.015 a.f32 -o $locale.ghz
  (LC_ALL=$locale ok "$GHZ" stats --json - && LC_ALL=$locale ok "$GHZ" info -) <$locale.ghz >$locale.out
done
same C.ghz de_DE.UTF-8.ghz && same C.out de_DE.UTF-8.out
