# nccopy and ncdump, told by `ghz h5args`: fill values, unlimited dimensions, dimension scales.
# SPDX-License-Identifier: BSD-3-Clause
. "$HELPERS"
. "$H5"
for tool in ncgen nccopy ncdump; do
  have "$tool" || skip "no $tool"
done
"$TOOL" make wave 16200 f32 | od -An -v -w4 -tf4 | awk 'NR % 97 == 0 { print "_"; next } { print $1 + 270 }' >tas.txt
{
  echo 'netcdf t { dimensions: time = UNLIMITED; lat = 60; lon = 90; variables: double lat(lat); float tas(time, lat, lon);'
  echo 'tas:_FillValue = 1e20f; tas:units = "K"; int n(time); :title = "a test"; data: n = 1, 2, 3;'
  echo "lat = $(seq -s, 60); tas = $(paste -sd, tas.txt); }"
} >t.cdl
ncgen -4 -o t.nc t.cdl || die "ncgen failed"
$(nccopy_to --abs 1e-3 --fill 1e20 --var tas) -c tas:2,32,64 t.nc u.nc || die "nccopy failed"
h5dump -pH -d tas u.nc | grep -q 'FILTER_ID 479' || die "no filter"
[ $(($(h5stored u.nc tas) * 2)) -lt 64800 ] || die "it takes $(h5stored u.nc tas) bytes"

# values FILE: those of tas, one a line.
values() {
  ncdump -p 9,17 -v tas "$1" | sed '1,/^ *tas =/d' | tr -d ' ;}\n' | tr , '\n'
  echo
}
values t.nc >t.txt
values u.nc >u.txt
paste t.txt u.txt | awk '
  ($1 == "_") != ($2 == "_") { exit bad = 1 }
  $1 != "_" && ($1 - $2 > 1e-3 || $2 - $1 > 1e-3) { exit bad = 1 }
  $1 == "_" { fills++ }
  END { exit bad || NR < 16200 || fills != 167 }' || die "values or fills are not kept"
diff <(ncdump -h t.nc | sed 1d) <(ncdump -h u.nc | sed 1d) || die "the header changed"

# What writes a variable in fill mode tells the filter its fill value: h5repack keeps that.
$(repack --abs 1e-3 --var tas) t.nc v.nc || die "h5repack failed"
[[ $(h5params v.nc tas) == "1 512 "* ]] || die "the fill value was not found: $(h5params v.nc tas)"
values v.nc >v.txt
[ "$(grep -c _ v.txt)" = 167 ] || die "fills are lost"
ncdump -h v.nc | grep -q 'tas(time, lat, lon)' || die "dimensions are lost"

# A variable that the filter refuses.
! $(nccopy_to --abs 1e-3 --var n) t.nc all.nc 2>said || die "integers were taken"
grep -q 'HDF error' said || die "nccopy said: $(cat said)"

# nccopy keeps the compression of its input, and leaves the filter out; -d 0 first, and it is used.
nccopy -d 1 -s -c tas:2,32,64 t.nc deflated.nc
$(nccopy_to --abs 1e-3 --fill 1e20 --var tas) deflated.nc w.nc || die "nccopy failed"
! h5dump -pH -d tas w.nc | grep 'FILTER_ID 479' || die "docs/HDF5.md says that nccopy leaves the filter out"
nccopy -d 0 deflated.nc plain.nc
$(nccopy_to --abs 1e-3 --fill 1e20 --var tas) plain.nc w.nc || die "nccopy failed"
[[ $(h5params w.nc tas) == "1 256 "* ]] || die "no filter: $(h5params w.nc tas)"
