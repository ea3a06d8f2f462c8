# Outputs whose names say values hold values: those that decompressing the result would give.
# SPDX-License-Identifier: BSD-3-Clause
. "$HELPERS"
for i in 1 2 3; do { "$TOOL" npy '(40, 1000)' f32; "$TOOL" make wave 40000 f32 $i; } >$i.npy; done
ok "$GHZ" compress -q --abs 1e-3 --order lorenzo --frame-values 16384 1.npy 2.npy 3.npy
for what in add sum sub mean 'scale -0.5' 'minmax --min' 'minmax --max'; do
  files='1.npy.ghz 2.npy.ghz'
  [ "$what" != 'scale -0.5' ] || files=1.npy.ghz
  ok "$GHZ" $what $files -o r.ghz -f -q
  for form in npy f32 f64 d64; do
    ok "$GHZ" $what $files -o r.$form
    ok "$GHZ" decompress -q r.ghz -o want.$form
    same r.$form want.$form
    fails 1 "r.$form: already exists" "$GHZ" $what $files -o r.$form
  done
  grep -aq "'shape': (40, 1000)" r.npy || die "$what: no shape"
  rm r.* want.*
done
# Pipes, many files, types, arrays without values
cat 1.npy.ghz | ok "$GHZ" add - 2.npy.ghz 3.npy.ghz -o s.f32
ok "$GHZ" add 3.npy.ghz 2.npy.ghz 1.npy.ghz | ok "$GHZ" decompress -o t.f32
same s.f32 t.f32
tail -c +129 1.npy >1.f32
cat 1.f32 | ok "$GHZ" compress --abs 1e-3 --type f32 >row.ghz
cat row.ghz | ok "$GHZ" add - -o row.npy
grep -aq "'shape': (40000,)" row.npy || die "no shape at the end"
"$TOOL" make wave 100 f64 >d.f64
ok "$GHZ" compress -q --abs 1e-3 d.f64
fails 1 'd.f64.ghz: holds f64; it cannot be written as f32' "$GHZ" add d.f64.ghz d.f64.ghz -o x.f32
"$TOOL" npy '(3, 0)' f64 >none.npy
ok "$GHZ" compress -q --abs 1e-3 none.npy
ok "$GHZ" add -q none.npy.ghz none.npy.ghz -o none.sum.npy
same none.npy none.sum.npy
