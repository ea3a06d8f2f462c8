# Every list of examples, of --help and of the manual page, works from top to bottom in one folder.
# SPDX-License-Identifier: BSD-3-Clause
. "$HELPERS"
have jq && have zcat && "$GHZ" --version | grep -q '^built with:.* zstd' || skip "the examples use jq, zcat and zstd"
PATH=$(dirname "$GHZ"):$PATH
make_values() {
  "$TOOL" make wave 262144 f32 >wave.f32
  cp wave.f32 other.f32
  gzip -k wave.f32
  { "$TOOL" npy '(100, 100)' f32; "$TOOL" make wave 10000 f32; } >density.npy
  for name in a b c d; do "$TOOL" make wave 1000 f64 $RANDOM >$name.f64; done
}
# What the lists of the verbs but compress begin with, beside the values
make_compressed() {
  for name in a b c; do "$GHZ" compress -q --abs 1e-3 $name.f64 -o $name.ghz; done
  cp a.ghz after.ghz && cp b.ghz before.ghz && cp a.ghz day-1.ghz && cp b.ghz day-2.ghz
  "$GHZ" compress -q --abs 1e-3 wave.f32
  "$GHZ" pack -q a.ghz -o small.ghz && cp a.ghz run-1.ghz
  cp wave.f32.ghz run-1.f32.ghz && cp wave.f32.ghz run-2.f32.ghz
  "$GHZ" compress -q --abs 1e-3 density.npy -o density.ghz
}
make_netcdf() {
  have ncgen && "$GHZ" --version | grep -q '^built with:.* HDF5' &&
    ncgen -4 -o FILE.nc <<<'netcdf t { dimensions: x = 2; variables: float tas(x), pr(x), ta(x); data: tas = 1, 2; pr = 1, 2; ta = 1, 2; }'
}
# try NAME: runs the list that it reads.
total=0
try() {
  local line list="$SCRATCH/list"
  cat >"$list"
  [ -s "$list" ] || die "$1 has no examples"
  total=$((total + $(wc -l <"$list")))
  while read -r line; do
    (cd "$1" && bash -o pipefail -c "$line" </dev/null >"$SCRATCH/out" 2>"$SCRATCH/err") ||
      die "$1: '$line': $(cat "$SCRATCH/err")"
  done <"$list"
}
of_help() { sed -n '/^Examples:/,$p' | sed -n 's/^  //p'; }
mkdir values && (cd values && make_values)
cp -r values compressed && (cd compressed && make_compressed)
# In the page, examples stand between .EX and .EE; "\-" is a minus, "\e" a backslash.
cp -r values page
try page < <(sed -n '/^\.EX/,/^\.EE/p' "$SOURCE/docs/ghz.1" | grep -v '^\.' | sed 's/\\-/-/g; s/\\e/\\/g; s/\\(aq/'"'"'/g')
cp -r values compress
try compress < <("$GHZ" compress --help | of_help)
cp -r compressed ghz && rm ghz/wave.f32.ghz
try ghz < <("$GHZ" --help | of_help)
for verb in decompress add sub scale mean minmax info stats diff test compare tune pack unpack h5args; do
  cp -r compressed $verb
  [ $verb != pack ] || rm pack/small.ghz
  [ $verb != unpack ] || rm unpack/a.ghz
  [ $verb != h5args ] || (cd h5args && make_netcdf) || continue
  [ $verb != h5args ] || export ASAN_OPTIONS=detect_leaks=0 # of libraries that libhdf5 loads
  [ $verb != test ] || cp test/a.ghz test/sum.ghz
  try $verb < <("$GHZ" $verb --help | of_help)
done
[ $total -ge 30 ] || die "too few examples: $total"
