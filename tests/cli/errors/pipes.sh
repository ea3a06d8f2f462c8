# Standard input and output, with and without "-", give what files give.
# SPDX-License-Identifier: BSD-3-Clause
. "$HELPERS"
"$TOOL" make wave 100000 f32 >a.f32
ok "$GHZ" compress --rel 1e-4 --frame-values 16384 a.f32 -o file.ghz
cat a.f32 | ok "$GHZ" compress --rel 1e-4 --frame-values 16384 --type f32 >pipe.ghz
[ ! -s "$SCRATCH/stderr" ] || die "not quiet on a pipe"
same file.ghz pipe.ghz
cat a.f32 | ok "$GHZ" compress --psnr 60 --type f32 - -o - >pipe.ghz
ok "$GHZ" compress --psnr 60 a.f32 -c >file.ghz
same file.ghz pipe.ghz
psnr=$("$GHZ" compare a.f32 file.ghz --json | sed 's/.*"psnr": \([0-9]*\).*/\1/')
[ "$psnr" -ge 60 ] || die "PSNR $psnr is below 60"
"$GHZ" compress --abs 1e-4 --frame-values 16384 a.f32 -c | "$GHZ" decompress | "$TOOL" check a.f32 /dev/stdin f32 1e-4 || die "pipeline"
# Short reads do not change the frames.
for piece in 1 3 4099; do
  dd if=a.f32 bs=$piece count=9000 status=none >part.f32
  truncate -s $(($(wc -c <part.f32) / 4 * 4)) part.f32
  dd if=part.f32 bs=$piece status=none | ok "$GHZ" compress --abs 1e-4 --frame-values 16384 --type f32 >pipe.ghz
  cat part.f32 | ok "$GHZ" compress --abs 1e-4 --frame-values 16384 --type f32 >cat.ghz
  same pipe.ghz cat.ghz
  ok "$GHZ" test pipe.ghz
  cat pipe.ghz | ok "$GHZ" test -v
  cat pipe.ghz | ok "$GHZ" info >/dev/null
done
# Redirected files work from where the shell has read to.
{ head -c 400 >/dev/null; ok "$GHZ" compress --abs 1e-4 --type f32 -o rest.ghz; } <a.f32
ok "$GHZ" decompress rest.ghz -o rest.f32
tail -c +401 a.f32 >want.f32
within want.f32 rest.f32 f32 1e-4
# Operands from pipes.
ok "$GHZ" compress --abs 1e-4 a.f32
cat a.f32.ghz | ok "$GHZ" add a.f32.ghz - -o sum.ghz
ok "$GHZ" add a.f32.ghz a.f32.ghz -o want.ghz
same sum.ghz want.ghz
ok "$GHZ" add <(cat a.f32.ghz) <(cat a.f32.ghz) >sum.ghz
same sum.ghz want.ghz
fails 2 'can be read once only' "$GHZ" add - -
# A reader that goes away is told by the exit code alone.
"$TOOL" make noise 1000000 f32 | "$GHZ" compress --abs 1e-6 --type f32 >noise.ghz
set +o pipefail
"$GHZ" decompress noise.ghz -c 2>"$SCRATCH/err" | head -c 10 >/dev/null
[ "${PIPESTATUS[0]}" = 1 ] || die "EPIPE: exit code"
[ ! -s "$SCRATCH/err" ] || die "EPIPE: $(cat "$SCRATCH/err")"
for run in 'compress --abs 1e-6 a.f32 -c' 'info a.f32.ghz'; do
  { sleep 0.2; "$GHZ" $run 2>"$SCRATCH/err"; echo $? >"$SCRATCH/code"; } | true
  [ "$(cat "$SCRATCH/code")" = 1 ] && [ ! -s "$SCRATCH/err" ] || die "EPIPE of $run: $(cat "$SCRATCH/err")"
done
printf 'abc' >short
fails 1 'standard input: ends in the middle of a value' bash -c 'cat short | "$GHZ" compress --abs 1 --type f32 -o x.ghz'
fails 1 'standard input: is empty' bash -c '"$GHZ" compress --abs 1 --type f32 -o x.ghz </dev/null'
fails 1 'standard input: is empty' bash -c 'true | "$GHZ" compress --rel 1 --type f32 -o x.ghz'
fails 1 'standard input: unknown type' bash -c 'cat short | "$GHZ" compress --abs 1 -o x.ghz'
fails 1 'standard input: is empty' bash -c ': | "$GHZ" decompress -o x.f32'
fails 1 'No such file' env TMPDIR="$SCRATCH/nowhere" bash -c 'cat a.f32 | "$GHZ" compress --rel 1e-4 --type f32 -o x.ghz'
