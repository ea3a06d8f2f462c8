# The commands of docs/HDF5.md work, from top to bottom in one folder. plugins/python/tests runs its
# Python.
# SPDX-License-Identifier: BSD-3-Clause
. "$HELPERS"
. "$H5"
for tool in ncgen nccopy ncdump; do
  have "$tool" || skip "no $tool"
done
"$GHZ" --version | grep -q 'built with.*HDF5' || skip "this ghz was built without HDF5"
PATH=$(dirname "$GHZ"):$PATH

# The files that the page begins with.
"$TOOL" make wave 129600 f32 | od -An -v -w4 -tf4 | awk '{ print $1 + 270 }' >tas.txt
for i in 0 1 2; do
  {
    echo 'netcdf t { dimensions: time = 3; lat = 180; lon = 240; variables: float tas(time, lat, lon); float pr(time);'
    echo "tas:_FillValue = 1e20f; data: pr = 1, 2, $i; tas = $(paste -sd, tas.txt); }"
  } >t.cdl
  ncgen -4 -o tas.nc t.cdl || die "ncgen failed"
  $(nccopy_to --abs 1e-3 --fill 1e20 --var tas) -c tas:1,90,120 tas.nc member-$i.nc
done
cp tas.nc tas.h5

total=0
while read -r line; do
  case $line in
  "h5repack --enable"* | "nccopy -F"*) # what the command before it printed
    grep -qxF "$line" out || die "'$line' is not what is printed"
    ;;
  export*) ;; # the tests have their own
  *)
    bash -o pipefail -c "$line" </dev/null >out 2>err || die "'$line': $(cat err)"
    [ ! -s err ] || grep -q '^mean of\|^add of\|^sub of\|: has no _FillValue: ' err || die "'$line' said: $(cat err)"
    total=$((total + 1))
    ;;
  esac
done < <(sed '/^```/,/^```/d' "$SOURCE/docs/HDF5.md" | sed -n 's/^    //p')
[ $total -ge 13 ] || die "only $total commands"
h5dump -pH -d tas small.h5 | grep -q 'COMMENT ghz; see https://' || die "small.h5 is not compressed"
h5dump -pH -d tas small.nc | grep -q 'COMMENT ghz' || die "small.nc is not compressed"
