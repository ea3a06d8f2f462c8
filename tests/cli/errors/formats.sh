# What an output holds is what its name says, and options are for the kind of the operands: else
# nothing is begun, and the message names what is wrong before all else.
# SPDX-License-Identifier: BSD-3-Clause
. "$HELPERS"
{ "$TOOL" npy '(64, 64)' f32; "$TOOL" make wave 4096 f32; } >a.npy
ok "$GHZ" compress -q --abs 1e-3 --order lorenzo a.npy -o a.ghz
cp a.ghz b.ghz && : >b.nc
# refused NAMES ENDINGS COMMAND...: under any of these names. Its operands are not read.
refused() {
  local name
  for name in $1; do
    fails 2 "$name: another format is written than its extension says: let it end in $2 (see" "$GHZ" "${@:3}" -o "$name"
  done
}
others='x.nc X.NC x.nc4 x.h5 x.hdf5 x.he5 x.png x.npz x.zarr x.txt x.csv x.jpg x.pdf x.gz'
for command in 'compress --abs 1' 'compress --pack --abs 1' pack unpack; do
  # shellcheck disable=SC2086 # words
  refused "$others x.npy x.f32 x.d64 x.i16" .ghz $command b.ghz
done
refused "$others x.ghz" '.npy, .f32 or .f64' decompress b.ghz
for command in add 'sub b.ghz' mean 'scale 2' 'minmax --min'; do
  # shellcheck disable=SC2086
  refused "$others" '.ghz, .npy or .f32' $command b.ghz
  # shellcheck disable=SC2086
  refused 'x.npy x.f64' '.ghz (--pack)' $command b.ghz --pack
done
for command in add 'sub b.nc' mean; do
  # shellcheck disable=SC2086
  refused 'x.ghz x.npy x.f32 x.png x.npz' '.nc or .h5' $command b.nc
done
# What is wrong with an operand comes before its name.
fails 1 'none.ghz: No such file' "$GHZ" mean none.ghz -o x.nc
fails 1 'b.nc: ' "$GHZ" compress --abs 1 b.nc -o x.nc
for name in x.ghz x.npy x.nc x.txt x.jpg; do
  fails 2 "$name: another format is written than its extension says: let it end in .png" "$GHZ" compare a.npy a.ghz --png $name
done
# Names that say nothing, and those that say it, hold anything.
mkdir d.nc
for name in x x.dat x.bin x.raw .nc .npy x.nc.ghz d.nc/x x.nc~; do
  for command in 'compress --abs 1 a.npy' 'pack a.ghz' 'unpack a.ghz' 'mean a.ghz' 'scale 2 a.ghz' 'minmax --max a.ghz'; do
    # shellcheck disable=SC2086
    ok "$GHZ" $command -q -f -o $name
    ok "$GHZ" test $name
  done
done
for name in x x.dat x.bin x.raw x.f32 x.npy d.nc/x; do ok "$GHZ" decompress -q -f a.ghz -o $name; done
# A name that decompress makes says values, too.
"$TOOL" make wave 100 f32 >r.f32 && ok "$GHZ" compress -q --abs 1 r.f32 -o tas.nc.ghz
ok "$GHZ" decompress -q tas.nc.ghz
[ ! -e tas.nc ] && [ -e tas.nc.f32 ] || die "raw values: $(ls tas*)"
ok "$GHZ" decompress -q --type f64 -f tas.nc.ghz
[ -e tas.nc.f64 ] || die "f64: $(ls tas*)"
head -c 2000 /dev/zero >c.i16 && ok "$GHZ" compress -q --lossless c.i16
ok "$GHZ" mean -q c.i16.ghz c.i16.ghz c.i16.ghz -o mean.nc.ghz
ok "$GHZ" decompress -q mean.nc.ghz && [ -e mean.nc.f64 ] || die "a mean of integers: $(ls mean*)"
cp a.ghz grown.ghz.ghz && ok "$GHZ" decompress -q grown.ghz.ghz && [ -e grown.ghz.npy ] || die "$(ls grown*)"
# Options of HDF5 are for HDF5, which one operand is at least.
for verb in add sub mean diff; do
  fails 2 'ghz '$verb': --var is for HDF5 and netCDF files, and a.ghz is none (see' "$GHZ" $verb --var tas a.ghz a.ghz
  fails 2 '--differing-places is for HDF5 and netCDF files, and a.ghz is none' "$GHZ" $verb a.ghz a.ghz --differing-places
done
fails 2 '--var is for HDF5 and netCDF files, and a.ghz is none' "$GHZ" mean --var tas a.ghz a.ghz -o q.ghz
fails 2 '--var is for HDF5 and netCDF files, and - is none' "$GHZ" mean --var tas - -o q.nc
for verb in info stats tune 'compare a.npy'; do
  # shellcheck disable=SC2086
  fails 2 '--var is for HDF5 and netCDF files, and a.' "$GHZ" $verb --var tas a.ghz
done
