# What ghz mean, add and sub write takes the space of the first file's chunks: it is no larger than
# h5repack makes it, to within 5 %. All else in the file is there, references among it.
# SPDX-License-Identifier: BSD-3-Clause
. "$HELPERS"
. "$H5"
"$GHZ" --version | grep -q 'built with.*HDF5' || skip "this ghz was built without HDF5"
for tool in ncgen ncdump h5diff; do
  have "$tool" || skip "no $tool"
done
# A file of netCDF: two variables, coordinates, groups, attributes of several kinds.
for i in 1 2 3; do
  "$TOOL" make wave 270000 f32 $i | od -An -v -w4 -tf4 | awk '{ print $1 + 270 }' | paste -sd, >tas.txt
  {
    echo 'netcdf t { dimensions: time = UNLIMITED; lat = 180; lon = 300; variables: double time(time); double lat(lat);'
    echo 'float tas(time, lat, lon); tas:units = "K"; float pr(time, lat, lon); :title = "a"; string :names = "b", "c";'
    echo "data: time = 1, 2, 3, 4, 5; lat = $(seq -s, 180); tas = $(cat tas.txt); pr = $(cat tas.txt);"
    echo 'group: inner { variables: int n(time); data: n = 5, 4, 3, 2, 1; } }'
  } >t.cdl
  ncgen -4 -o plain.nc t.cdl || die "ncgen failed"
  $(repack --abs 1e-3 --var tas,pr) -l tas,pr:CHUNK=1x90x150 plain.nc $i.nc || die "h5repack failed"
done

# tight FILE: h5repack cannot make it much smaller.
tight() {
  h5repack "$1" repacked.nc || die "h5repack cannot read $1"
  local size least
  size=$(stat -c %s "$1") least=$(stat -c %s repacked.nc)
  [ $((size * 100)) -le $((least * 105)) ] || die "$1 has $size bytes, of which it uses $least"
}
rest() { ncdump -v "${2:-time,lat}" "$1" | sed '1d'; }
for verb in mean add; do
  ok "$GHZ" $verb -q 1.nc 2.nc 3.nc --var tas -o $verb.nc
  tight $verb.nc
  diff <(rest 1.nc) <(rest $verb.nc) || die "$verb.nc has other variables than 1.nc"
  h5diff 1.nc $verb.nc pr pr || die "$verb changed pr"
done

# Both variables at once. What little chunks leave of the first file's space stays, for h5repack.
ok "$GHZ" mean -q 1.nc 2.nc 3.nc -o both.nc
tight both.nc
"$GHZ" sub 1.nc 1.nc -o zero.nc 2>said || die "$(cat said)"
grep -q '[0-9] .* of zero.nc are unused: h5repack makes it smaller$' said || die "it said: $(cat said)"
[ "$(stat -c %s zero.nc)" -le "$(stat -c %s 1.nc)" ] || die "zero.nc has $(stat -c %s zero.nc) bytes"
diff <(rest 1.nc) <(rest zero.nc) || die "zero.nc has other variables than 1.nc"
h5values zero.nc tas zero.f32
[ "$(tr -d '\0' <zero.f32 | wc -c)" = 0 ] || die "a file less itself is not 0"

# References inside attributes: dimension scales find their variables.
h5dump -d tas -A mean.nc | grep -A20 DIMENSION_LIST | grep -q 'DATASET.*/time' || die "$(h5dump -d tas -A mean.nc)"
h5dump -d lat -A mean.nc | grep -A20 REFERENCE_LIST | grep -q 'DATASET.*/tas' || die "$(h5dump -d lat -A mean.nc)"

# Nothing is left beside the result, also after a failure.
before=$(ls -A)
! "$GHZ" mean -q 1.nc 2.nc --var tas -o /dev/full 2>/dev/null || die "a device was written"
! (ulimit -f 100 && "$GHZ" mean -q -f 1.nc 2.nc --var tas -o mean.nc) 2>/dev/null || die "a file of 100 KiB was enough"
[ "$(ls -A)" = "$before" ] || die "left behind: $(diff <(ls -A) <(echo "$before"))"
