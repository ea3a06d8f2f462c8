# No room for the output, or for the temporary file of --rel on a pipe.
# SPDX-License-Identifier: BSD-3-Clause
. "$HELPERS"
"$TOOL" make noise 300000 f32 >a.f32
ok "$GHZ" compress --abs 1e-6 a.f32 -o a.ghz
if [ -w /dev/full ]; then
  fails 1 '/dev/full: No space left on device' "$GHZ" compress --abs 1e-3 a.f32 -o /dev/full
  fails 1 'standard output: No space left on device' bash -c '"$GHZ" compress --abs 1e-3 a.f32 -c >/dev/full'
fi
fails 1 'x.ghz: File too large' bash -c 'ulimit -f 100; "$GHZ" compress --abs 1e-6 a.f32 -o x.ghz'
fails 1 'x.f32: File too large' bash -c 'ulimit -f 100; "$GHZ" decompress a.ghz -o x.f32'
fails 1 'standard input: temporary file in' bash -c \
  'ulimit -f 100; cat a.f32 | "$GHZ" compress --rel 1e-6 --type f32 -o x.ghz'
