# Help for everything, and wrong usage.
# SPDX-License-Identifier: BSD-3-Clause
. "$HELPERS"
ok "$GHZ" --help >out
ok "$GHZ" --version >version
# The version, what the build has, and what the machine has
[ "$(cut -d : -f 1 version | grep -v '^ghz [0-9]*\.[0-9]*\.[0-9]*$' | grep -v '^collectives$' | tr '\n' ,)" = \
  'built with,built without,instruction set,threads,' ] || die "$(cat version)"
for feature in OpenMP xxHash zstd libpng HDF5 CUDA MPI; do
  [ "$(grep '^built with' version | grep -c "[ ,]$feature\b")" = 1 ] || die "$feature: $(cat version)"
done
GHZ_ISA=scalar ok "$GHZ" --version >scalar
grep -q '^instruction set: scalar, of scalar' scalar || die "$(cat scalar)"
GHZ_ISA=none ok "$GHZ" --version >none
grep -q "^instruction set: none (GHZ_ISA is 'none', none of scalar" none || die "$(cat none)"
OMP_NUM_THREADS=3 ok "$GHZ" --version | grep -qx 'threads: 3' || die "threads"
for verb in compress decompress add sub scale mean minmax info stats diff test compare tune pack unpack h5args; do
  grep -q "^  ${verb}[ ,]" out || die "$verb is not in --help"
  ok "$GHZ" $verb --help >help
  grep -q "^Usage: ghz $verb" help && grep -q '^Examples:' help && grep -q -- '--help' help || die "help of $verb"
  ok "$GHZ" help $verb >again
  same help again
  ! grep -q '.\{101\}' help || die "$verb: a line of the help is longer than 100"
  fails 2 'unknown option --bogus' "$GHZ" $verb --bogus
  fails 2 'unknown option -Z (see' "$GHZ" $verb -Z
done
"$GHZ" decompress --help | grep -q -e '--type f32|f64 *type to write' || die "--type of decompress"
! "$GHZ" h5args --help | grep -e --psnr || die "h5args lists --psnr, which it refuses"
fails 2 'no verb given' "$GHZ"
fails 2 "unknown verb 'frobnicate'" "$GHZ" frobnicate
fails 2 "unknown verb '-v': options follow the verb" "$GHZ" -v info a.ghz
fails 2 "unknown verb 'frobnicate'" "$GHZ" help frobnicate
# Other names, and guesses
ok "$GHZ" sum --help >sum && ok "$GHZ" add --help >add
same sum add
while read -r wrong right; do
  fails 2 "unknown verb '$wrong'; did you mean '$right'?" "$GHZ" $wrong a.ghz
done <<'E'
compres compress
dcompress decompress
uncompress decompress
smu sum
ad add
cmp compare
tst test
dec decompress
E
fails 2 'unknown option --jsn; did you mean --json?' "$GHZ" info --jsn a.ghz
fails 2 'unknown option --ral; did you mean --rel?' "$GHZ" compress --ral=1 a.f32
fails 2 'ghz test: unknown option --ral (see' "$GHZ" test --ral a.ghz
fails 2 'ghz add: --rel does not apply here' "$GHZ" add --rel 1 a.ghz
fails 2 'ghz mean: unknown option --differ; did you mean --differing-places?' "$GHZ" mean --differ a.nc b.nc
for gone in --grid --gri=0.5; do
  fails 2 '--grid went: docs/CHOOSING_A_BOUND.md finds a quantum by NumPy, and --step takes it' "$GHZ" compress $gone a.f32
done
fails 2 'ghz compress: a level is a part of the option: --pack=1' "$GHZ" compress --abs 1 --pack 1 a.f32
fails 2 'ghz pack: unknown option -9: levels are 1 and 2, as in pack -2, or --pack=2' "$GHZ" pack -9 a.ghz
fails 2 'ghz test: unknown option -9 (see' "$GHZ" test -9 a.ghz # it has no levels
fails 2 'ghz h5args: --var: the name is empty' "$GHZ" h5args --abs 1 --var ''
for names in '--abs =1' '--abs a=1,=2' '--abs 1 --var ,' '--abs 1 --var a,,b' '--abs 1 --var ./'; do
  # shellcheck disable=SC2086 # words
  fails 2 'ghz h5args: the name of a variable is empty' "$GHZ" h5args $names
done
fails 2 '--json takes no value' "$GHZ" info --json=yes a.ghz
fails 2 '--output needs a value' "$GHZ" add a.ghz -o
fails 2 '-T x: the number of threads' "$GHZ" test -T x a.ghz
fails 2 '-T -1: the number of threads' "$GHZ" test -T -1 a.ghz
fails 2 '--order 4' "$GHZ" compress --order 4 --abs 1 a.f32
fails 2 '--order worst: must be 0, 1, 2, 3, lorenzo or best' "$GHZ" compress --order worst --abs 1 a.f32
for n in 0 1 16383 -16384 x 134217728; do
  fails 2 "--frame-values $n: must be a multiple of 16384" "$GHZ" compress --frame-values $n --abs 1 a.f32
done
"$TOOL" make wave 100 f32 >-a.f32
ok "$GHZ" compress --abs 1 -- -a.f32
ok "$GHZ" test -- -a.f32.ghz
