# Files whose sums can be taken: --together, --like, --sum-of, and what is said where they cannot.
# SPDX-License-Identifier: BSD-3-Clause
. "$HELPERS"
for i in 1 2 3; do "$TOOL" make wave 40000 f32 $i >$i.f32; done
"$TOOL" make huge 40000 f32 >far.f32
c() { ok "$GHZ" compress "$@"; }
bound_of() { "$GHZ" info "$1" | sed -n 's/^  bound per term  *//p'; }
# Relative bounds differ: compress says so in one line, and add what to do.
head -c 80000 2.f32 >half.f32
c --rel 1e-3 1.f32 far.f32
[ "$(grep -c 'they cannot be added: --together' "$SCRATCH/stderr")" = 1 ] || die "$(cat "$SCRATCH/stderr")"
fails 1 'in 1.f32.ghz: files to be combined must have the same bound; compress them with --together, or one --like the other' \
  "$GHZ" add 1.f32.ghz far.f32.ghz -o x.ghz
grep -q "far.f32.ghz: bound .* differs from .* in 1.f32.ghz" "$SCRATCH/stderr" || die "$(cat "$SCRATCH/stderr")"
c --abs 1e-3 -f 1.f32 far.f32
! grep -q 'cannot be added' "$SCRATCH/stderr" || die "a note about absolute bounds"
c --rel 1e-3 -f 1.f32
! grep -q 'cannot be added' "$SCRATCH/stderr" || die "a note about one file"
# --together: one range for all, that of the largest
rm ./*.ghz
c --rel 1e-3 --together 1.f32 far.f32 3.f32
! grep -q 'cannot be added' "$SCRATCH/stderr" || die "a note in spite of --together"
c --rel 1e-3 far.f32 -o alone.ghz
[ "$(bound_of 1.f32.ghz)" = "$(bound_of far.f32.ghz)" ] && [ "$(bound_of 3.f32.ghz)" = "$(bound_of alone.ghz)" ] ||
  die "bounds: $(bound_of 1.f32.ghz) $(bound_of far.f32.ghz) $(bound_of alone.ghz)"
ok "$GHZ" sum 1.f32.ghz far.f32.ghz 3.f32.ghz -o all.f64
"$TOOL" sum f32 1.f32 far.f32 3.f32 >want.f64
within want.f64 all.f64 f64 3.1e27
rm ./*.ghz
cat 2.f32 | c --psnr 60 --together --type f32 1.f32 - far.f32 >two.ghz
[ "$(bound_of two.ghz)" = "$(bound_of 1.f32.ghz)" ] || die "standard input among files"
ok "$GHZ" compare 2.f32 two.ghz >/dev/null
rm ./*.ghz
fails 1 'd.f64: type f64 differs from f32 in 1.f32: --together needs files of one type' \
  bash -c '"$TOOL" make wave 10 f64 >d.f64; "$GHZ" compress --rel 1e-3 --together 1.f32 d.f64; c=$?; rm d.f64; exit $c'
fails 1 'none.f32: No such file' "$GHZ" compress --rel 1e-3 --together 1.f32 none.f32
# More files than may be open before the command asks for more
mkdir many && for i in $(seq 300); do cp 1.f32 many/$i.f32; done
(ulimit -Sn 64 && "$GHZ" compress -q --rel 1e-3 --together many/*.f32) || die "300 files"
ok "$GHZ" sum -q many/*.ghz -o many/all.ghz
rm -r many
# --sum-of: the bound is that of the sum
c -q --abs 1e-3 --sum-of 3 1.f32 2.f32 3.f32
ok "$GHZ" add 1.f32.ghz 2.f32.ghz 3.f32.ghz -o sum.ghz
ok "$GHZ" info --json sum.ghz >info
! have jq || jq -e '.[0].bound <= 1e-3 and .[0].bound > 0.0009' info >/dev/null || die "bound: $(cat info)"
"$TOOL" sum f32 1.f32 2.f32 3.f32 >want.f64
ok "$GHZ" decompress -q sum.ghz -o sum.f64
within want.f64 sum.f64 f64 1e-3
c -qf --rel 1e-3 --together --sum-of 3 1.f32 2.f32 3.f32
ok "$GHZ" add 1.f32.ghz 2.f32.ghz 3.f32.ghz -o sum.ghz -f
within want.f64 <("$GHZ" decompress -c sum.ghz -o - --type f64) f64 3e-3
for p in 40 60.5; do
  c -qf --psnr $p --sum-of 4 1.f32 -o a.ghz && c -qf --psnr $p 1.f32 -o b.ghz
  awk -v a="$(bound_of a.ghz)" -v b="$(bound_of b.ghz)" 'BEGIN { exit !(a * 4 < b * 1.0001 && a * 4 > b * 0.9999) }' || die "--psnr --sum-of"
done
# --like: a file that comes later, with the bound, type, shape and tiles of one that is there
c -qf --rel 1e-3 --dims 200x200 --frame-values 16384 far.f32 -o model.ghz
c -q --like model.ghz 1.f32 -o one.ghz
ok "$GHZ" add model.ghz one.ghz -o sum.ghz -f
cp 2.f32 plain
c -q --like model.ghz plain
cat 3.f32 | c --like model.ghz >three.ghz
ok "$GHZ" add model.ghz plain.ghz three.ghz -o sum.ghz -f
ok "$GHZ" info sum.ghz >info
grep -q 'shape  *200x200$' info && grep -q 'terms  *3$' info || die "$(cat info)"
c -qf --rel 1e-3 --flat --dims 200x200 far.f32 -o flat.ghz
c -q --like flat.ghz 1.f32 -o one.flat.ghz
ok "$GHZ" add flat.ghz one.flat.ghz -o sum.ghz -f
ok "$GHZ" add flat.ghz one.flat.ghz -o sum2.ghz
c -q --like sum2.ghz 1.f32 -o again.ghz
ok "$GHZ" add sum2.ghz again.ghz -o sum3.ghz
c -q --like model.ghz half.f32
c -qf --like model.ghz --dims 200x200 1.f32 -o again.ghz
same again.ghz one.ghz
fails 1 'model.ghz: --dims 400x100 contradicts its shape, 200x200; leave --dims out' "$GHZ" compress --like model.ghz --dims 400x100 2.f32
fails 1 'd.f64: type f64 differs from f32 in model.ghz' \
  bash -c '"$TOOL" make wave 10 f64 >d.f64; "$GHZ" compress --like model.ghz d.f64; c=$?; rm d.f64; exit $c'
fails 1 '1.f32: not a .ghz file' "$GHZ" compress --like 1.f32 2.f32
fails 1 'none.ghz: No such file' "$GHZ" compress --like none.ghz 2.f32
for taken in --abs\ 1 --together --sum-of\ 2 --flat --frame-values\ 16384; do # what is made with one of these cannot be added
  fails 2 '--like takes bound, fill value, tiles and frames of model.ghz: leave '"${taken% *}" "$GHZ" compress --like model.ghz $taken 2.f32
done
fails 2 'no bound given; use --abs E, --rel E, --psnr DB, --step Q or --like FILE.ghz' "$GHZ" compress --together 2.f32
for k in 0 -1 x 8388608; do fails 2 "--sum-of $k: the number of files must be 1 to 8388607" "$GHZ" compress --abs 1 --sum-of $k 1.f32; done
# -v: how a file was coded, and why; --json
says() { grep -q "$1" "$SCRATCH/stderr" || die "no '$1' in: $(cat "$SCRATCH/stderr")"; }
c -vf --abs 1e-3 1.f32
says 'flat (no shape is known; --dims gives it), .* bits per value, step .*, bound 0.001, 1 frame of'
c -vf --abs 1e-3 --dims 200x200 1.f32
says 'shape 200x200, bricks of 1x32x32, '
c -vf --abs 1e-3 --dims 200x200 --flat 1.f32
says 'flat (--flat)'
c -vf --abs 1e-3 --dims 4000x10 1.f32
says 'flat (its dimensions are too small for bricks)'
c -vf --abs 1e-3 --dims 40000 1.f32
says 'flat (one dimension)'
c -f --json --abs 1e-3 --dims 20x40x50 1.f32 2.f32 >out
have jq || exit 0
[ "$(jq length out)" = 2 ] && [ "$(jq -r '.[1] | .file + .output + (.dims | tostring) + .tiles + .reason' out)" = \
  '2.f322.f32.ghz3bricks of 8x8x16' ] || die "$(cat out)"
[ "$(jq -c '.[0].shape' out)" = '[20,40,50]' ] && jq -e '.[0] | (.ratio * .bytes / 160000 - 1 | fabs) < 1e-5' out >/dev/null ||
  die "$(cat out)"
"$GHZ" compress -f --json --abs 1e-3 none.f32 2.f32 >out 2>/dev/null
[ $? = 1 ] && [ "$(jq length out)" = 1 ] || die "JSON after an error: $(cat out)"
fails 2 '--json prints to standard output; name the output' "$GHZ" compress --json --abs 1 - --type f32
fails 2 '--json prints to standard output; name the output' "$GHZ" compress --json --abs 1 1.f32 -c
