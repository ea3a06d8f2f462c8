# Members of an ensemble differ in scalar coordinates, times and history: what ghz mean, add and sub
# write has the first file's. What values mean, and their places, must agree.
# SPDX-License-Identifier: BSD-3-Clause
. "$HELPERS"
. "$H5"
"$GHZ" --version | grep -q 'built with.*HDF5' || skip "this ghz was built without HDF5"
for tool in ncgen ncdump; do
  have "$tool" || skip "no $tool"
done

# member NUMBER NAME [UNITS [FILL]]: NAME.nc, of one time, and in netCDF's words.
member() {
  {
    echo 'netcdf t { dimensions: time = UNLIMITED; lat = 60; lon = 90; variables: double time(time); time:units = "days";'
    echo 'double lat(lat); int realization; string name; float pr(time, lat); float mask(lat);'
    echo "float tas(time, lat, lon); tas:units = \"${3:-K}\"; tas:_FillValue = ${4:-1e20}f; tas:cell = \"of $1\";"
    echo "mask:valid = $1; :history = \"run $1 of many$(printf '!%.0s' $(seq "$1"))\"; :title = \"ensemble\";"
    echo "data: time = $1; lat = $(seq -s, 60); realization = $1; name = \"member $1\"; mask = $(seq -s, 60);"
    echo "pr = $(yes "$1" | head -n 60 | paste -sd,);"
    echo "tas = $("$TOOL" make wave 5400 f32 "$1" | od -An -v -w4 -tf4 | awk '{ print $1 }' | paste -sd,); }"
  } >t.cdl
  ncgen -4 -o plain.nc t.cdl || die "ncgen failed"
  $(repack --abs 1e-3 --var tas) -l tas:CHUNK=1x30x45 plain.nc "$2.nc" || die "h5repack failed"
}
for i in 1 2 3; do
  member $i $i
done

"$GHZ" mean 1.nc 2.nc 3.nc -o mean.nc 2>said || die "$(cat said)"
grep -q '^the files differ in it, and that of 1.nc is taken: time$' said || die "it said: $(cat said)"
grep -q '^all else in mean.nc is that of 1.nc$' said || die "it said: $(cat said)"
rest() { ncdump -v time,lat,realization,name,pr,mask "$1" | sed 1d; }
diff <(rest 1.nc) <(rest mean.nc) || die "mean.nc has not what 1.nc has"

# Refused.
for gone in "--differing first" --differing=error; do
  # shellcheck disable=SC2086 # two words
  fails 2 "--differing went: all but the variables is that of the first file, and --differing-places " "$GHZ" mean 1.nc 2.nc $gone -o no.nc
done
member 2 celsius degC
member 2 other K -999.
for verb in mean add sub; do
  fails 1 "celsius.nc: tas: has another attribute units than in 1.nc" "$GHZ" $verb 1.nc celsius.nc -o no.nc
  fails 1 "other.nc: tas: has another attribute _FillValue than in 1.nc" "$GHZ" $verb 1.nc other.nc -o no.nc
done

# A member less the mean is an anomaly: its own coordinates and history stay.
"$GHZ" sub 2.nc mean.nc -o anomaly.nc 2>said || die "$(cat said)"
grep -q '^sub of tas in 2 files -> anomaly.nc: .*, bound 0.0020*' said || die "it said: $(cat said)"
diff <(ncdump -v realization,time 2.nc | sed 1d) <(ncdump -v realization,time anomaly.nc | sed 1d) || die "not as 2.nc"
h5values anomaly.nc tas back.f32
for i in 1 2 3; do "$TOOL" make wave 5400 f32 $i >$i.f32; done
python3 - <<'PROGRAM'
import array
members = [array.array("f", open(f"{i}.f32", "rb").read()) for i in (1, 2, 3)]
open("wanted.f32", "wb").write(array.array("f", (v[1] - sum(v) / 3 for v in zip(*members))).tobytes())
PROGRAM
within wanted.f32 back.f32 f32 2.001e-3
# The anomalies of all members add up to 0, exactly.
for i in 1 2 3; do
  ok "$GHZ" sub -q $i.nc mean.nc -o anomaly-$i.nc
done
ok "$GHZ" add -q anomaly-[123].nc -o zero.nc
h5values zero.nc tas zero.f32
[ "$(tr -d '\0' <zero.f32 | wc -c)" = 0 ] || die "the sum of the anomalies is not 0"
# Where no lattice is a multiple of the other.
h5repack -l tas:CHUNK=1x30x45 -f tas:NONE 1.nc plain.nc
$(repack --abs 7e-4 --var tas) -l tas:CHUNK=1x30x45 plain.nc odd.nc
fails 1 "odd.nc: tas: the chunk at 0,0,0 " "$GHZ" sub 1.nc odd.nc --var tas -o no.nc

# Coordinates of the variable's dimensions are places: only values of the same ones are combined.
# Times may differ; a line says so.
# placed NAME SED...: 1.nc with other coordinates.
ncdump 1.nc | sed 's/^netcdf .*/netcdf t {/; s/double lat(lat)/double lat(lat); double plev; float xlat(lat, lon)/
  s/tas:cell = .*/tas:coordinates = "xlat realization" ;/; s/^data:/data: plev = 85000; xlat = '"$(seq -s, 5400)"';/
  /^ name/,/;/d; /string name/d' >placed.cdl
placed() {
  local name=$1
  shift
  sed "$@" placed.cdl >t.cdl
  ncgen -4 -o plain.nc t.cdl || die "ncgen failed: $(cat t.cdl | head -n 40)"
  $(repack --abs 1e-3 --var tas) -l tas:CHUNK=1x30x45 plain.nc "$name.nc" || die "h5repack failed"
}
placed a -e s/a/a/
placed turned -e "s/^ lat = 1, 2, /lat = 60, 59, /"
placed level -e "s/plev = 85000/plev = 50000/"
placed curved -e "s/xlat = 1,/xlat = 1.5,/"
placed rounded -e "s/double lat(lat)/float lat(lat)/; s/^ lat = 1, 2/lat = 1, 2.0000001/"
placed times -e "s/^ time = 1/time = 31/; s/realization = 1/realization = 9/"
placed calendar -e 's/time:units = "days"/time:units = "days"; time:calendar = "noleap"/'
# Fill values do not hide what differs, nor do places that are texts.
placed gaps -e "s/xlat = 1,/xlat = 9.9e36,/"
placed gap -e "s/xlat = 1,2,/xlat = 9.9e36,3,/"
fails 1 "gap.nc: xlat: is 3 at 1, but 2 in gaps.nc" "$GHZ" mean gaps.nc gap.nc -o no.nc
for order in "a b" "b a"; do
  named=$(seq 60 | sed "1s/.*/${order% *}/; 2s/.*/${order#* }/; s/.*/\"&\"/" | paste -sd,)
  placed "${order% *}-first" -e "s/double lat(lat)/string lat(lat)/; /^ lat = /,/;/c\ lat = $named ;"
done
ok "$GHZ" mean -q a-first.nc a-first.nc -o out.nc
fails 1 "b-first.nc: lat: differs from that in a-first.nc: only values of the same places" "$GHZ" mean -f a-first.nc b-first.nc -o out.nc
for verb in mean add sub diff; do
  to="-o no.nc"
  [ "$verb" != diff ] || to=
  # shellcheck disable=SC2086 # no word where there is no output
  {
    fails 1 "turned.nc: lat: is 60 at 0, but 1 in a.nc: only values of the same places can be combined; --differing-places" "$GHZ" $verb a.nc turned.nc $to
    fails 1 "level.nc: plev: is 50000 at 0, but 85000 in a.nc" "$GHZ" $verb a.nc level.nc $to
    fails 1 "curved.nc: xlat: is 1.5 at 0, but 1 in a.nc" "$GHZ" $verb a.nc curved.nc --var /tas $to
    for other in times calendar rounded turned; do
      options=-f
      [ -n "$to" ] || options=
      [ $other != turned ] || options="$options --differing-places"
      "$GHZ" $verb $options a.nc $other.nc ${to:+-o out.nc} >out.txt 2>said || die "$verb $other: $(cat said)"
      if [ $other = rounded ]; then
        ! grep 'differ in it' said || die "$verb $other: it said: $(cat said)"
      else
        grep -q "the files differ in it.*: \(.*, \)*$(echo $other | sed 's/turned/lat/; s/times\|calendar/time/')\(,\|$\)" said || die "$verb $other: it said: $(cat said)"
      fi
    done
  }
done
# Also in a file behind one that has no such coordinate.
placed bare -e 's/double plev;//; s/plev = 85000;//'
fails 1 "level.nc: plev: is 50000 at 0, but 85000 in a.nc" "$GHZ" mean a.nc bare.nc level.nc -o no.nc
"$GHZ" sub -f a.nc bare.nc -o out.nc 2>said || die "$(cat said)"
grep -q 'the files differ in it, and that of a.nc is taken: plev$' said || die "it said: $(cat said)"
"$GHZ" sub -f bare.nc a.nc -o out.nc 2>said || die "$(cat said)"
grep -q 'the files differ in it, and that of bare.nc is taken: plev$' said || die "it said: $(cat said)"
# Units, steps of a grid that are small beside its numbers, and names of places.
placed radians -e 's/double lat(lat);/double lat(lat); lat:units = "radian";/'
placed degrees -e 's/double lat(lat);/double lat(lat); lat:units = "degrees_north";/'
placed degree -e 's/double lat(lat);/double lat(lat); lat:units = "degree_north";/'
placed metres -e "/^ lat = /,/;/c\ lat = $(seq -s, 5000000 5000059) ;"
placed shifted -e "/^ lat = /,/;/c\ lat = $(seq -s, 5000001 5000060) ;"
for order in "a b" "b a"; do
  sites=$(seq 60 | sed "1s/.*/${order% *}/; 2s/.*/${order#* }/; s/.*/\"&\"/" | paste -sd,)
  placed "${order% *}-sites" -e 's/"xlat realization"/"site model"/; s/double plev/string site(lat), model; double plev/' -e "s/^data:/data: model = \"$order\"; site = $sites;/"
done
fails 1 "radians.nc: lat: has other units than in degrees.nc: only values of the same places" "$GHZ" mean degrees.nc radians.nc -o no.nc
ok "$GHZ" mean -q -f degrees.nc degree.nc -o out.nc
fails 1 "shifted.nc: lat: is 5000001 at 0, but 5e+06 in metres.nc" "$GHZ" sub metres.nc shifted.nc -o no.nc
fails 1 "b-sites.nc: site: differs from that in a-sites.nc: only values of the same places" "$GHZ" diff a-sites.nc b-sites.nc
"$GHZ" mean -f a-sites.nc b-sites.nc --differing-places -o out.nc 2>said || die "$(cat said)"
grep -q 'is taken: site, model$' said || die "it said: $(cat said)"
# A grid as wide as high that is turned.
for order in lat,lon lon,lat; do
  ncgen -4 -o plain.nc <<<"netcdf s { dimensions: lat = 4; lon = 4; variables: float lat(lat), lon(lon), tas($order); data: lat = 1, 2, 3, 4; lon = 5, 6, 7, 8; tas = $(seq -s, 16); }"
  $(repack --abs 1e-3 --var tas) -l tas:CHUNK=4x4 plain.nc "$order.nc"
done
fails 1 "lon,lat.nc: tas: has its dimensions in another order than in lat,lon.nc: only values" "$GHZ" sub lat,lon.nc lon,lat.nc -o no.nc

# What means the same in another form is the same: 1e20 as a double, a text of any length.
placed forms -e 's/tas:_FillValue = 1.e+20f/tas:_FillValue = 1.e+20f; tas:missing_value = 1.e+20f/'
placed other -e 's/tas:_FillValue = 1.e+20f/tas:_FillValue = 1.e+20f; tas:missing_value = 1.e+20/; s/tas:units/string tas:units/'
"$GHZ" mean -q -f forms.nc other.nc -o out.nc 2>said || die "$(cat said)"
