# ghz h5args FILE: what it reads of a netCDF file, and that both lines that it prints, as a shell
# reads them, compress what they are to, under its bound, with gaps that stay gaps.
# SPDX-License-Identifier: BSD-3-Clause
. "$HELPERS"
. "$H5"
for tool in ncgen ncdump nccopy; do
  have "$tool" || skip "no $tool"
done
"$GHZ" --version | grep -q 'built with.*HDF5' || skip "this ghz was built without HDF5"

# numbers FACTOR [TYPE]: 3 x 20 x 30 of them, each seventh missing.
numbers() { awk -v f="$1" -v g="$2" 'BEGIN { for (i = 0; i < 1800; i++) printf "%s%s", i ? "," : "", i % 7 ? f * (280 + 20 * sin(i / 60)) : g }'; }
{
  echo 'netcdf t { dimensions: time = UNLIMITED; lat = 20; lon = 30; bnds = 2; variables:'
  echo 'double time(time); time:units = "days since 2000-01-01"; time:bounds = "time_bnds"; double time_bnds(time, bnds);'
  echo 'float lat(lat); float lon(lon); float xlat(lat, lon); float area(lat, lon); area:units = "degrees_north"; double height;'
  echo 'float tas(time, lat, lon); tas:_FillValue = 1e20f; tas:missing_value = 1e20; tas:coordinates = "xlat height";'
  echo 'float old(time, lat, lon); old:missing_value = -9999.f; old:valid_range = 0.f, 300.003f;'
  echo 'float both(time, lat, lon); both:_FillValue = 1e20f; both:missing_value = -9999.f;'
  echo 'short \2t(time, lat, lon); \2t:scale_factor = 0.01; \2t:add_offset = 273.; \2t:_FillValue = -32768s;'
  echo 'float dew\ point(time, lat, lon); string label(time); int64 big(time); int count(time); data:'
  echo "time = 1, 2, 3; time_bnds = 0, 1, 1, 2, 2, 3; lat = $(seq -s, 20); lon = $(seq -s, 30); xlat = $(seq -s, 600); area = $(seq -s, 600); height = 2;"
  echo "tas = $(numbers 1 1e20f); old = $(numbers 1 -9999); both = $(numbers 1 1e20f); \\2t = $(numbers 10 -32768 | sed 's/\.[0-9]*//g');"
  echo "dew\\ point = $(numbers 1 270); label = \"a\", \"b\", \"c\"; big = 1, 2, 3; count = 1, 2, 3; }"
} >t.cdl
ncgen -4 -o t.nc t.cdl || die "ncgen failed"

# lines ARGUMENT...: what h5args prints, in `repack` and `copy`, and says.
lines() {
  "$GHZ" h5args "$@" >printed 2>said || die "h5args $*: $(cat said)"
  grep '^h5repack' printed >repack
  grep '^nccopy' printed >copy
}
compressed() { h5dump -pH "$1" | awk '/DATASET/ { name = $0 } /FILTER_ID 479/ { gsub(/.*DATASET "|" {.*/, "", name); print name }' | sort | paste -sd'|'; }
values() { ncdump -p 9,17 -v "$2" "$1" | sed "1,/^ *$2 =/d" | tr -d ' ;}\n' | tr , '\n' && echo; }
# kept FILE VARIABLE BOUND: of t.nc
kept() {
  paste <(values t.nc "$2") <(values "$1" "$2") | awk -v e="$3" '
    $1 == "_" || $1 == -9999 { if ($1 != $2) exit bad = 1; next }
    { d = $1 - $2; if (d > e || d < -e) exit bad = 1 }
    END { exit bad || NR < 1800 }' || die "$2 in $1 is not what it was"
}

# A bound for all: data alone; integers that are packed; one value for what is missing.
fails 1 "t.nc: both: its missing_value is -9999, another than 1e+20, and the filter keeps one of them: give --fill" "$GHZ" h5args --abs 0.01 t.nc
lines --abs 0.01 --fill 1e20 t.nc
grep -q 'both: its missing_value, -9999, is not --fill' said || die "it said: $(cat said)"
[ "$(wc -l <printed)" = 2 ] || die "it printed: $(cat printed)"
sed 's/2t:_FillValue = -32768s/2t:missing_value = -99999.f/' t.cdl >far.cdl
ncgen -4 -o far.nc far.cdl
for file in t far; do # what no value of a type can be is not missing there
  lines --abs 0.01 --fill 1e20 $file.nc
  eval "$(cat repack) $file.nc made.nc" && h5diff $file.nc made.nc 2t || die "$(cat repack)"
done
# Each its own, of two kinds.
lines --abs ./old=0.01,/tas=0.02,2t=1 --rel 'dew point=1e-4' t.nc
grep -q 'old: values at the end of its valid_range, 300.003, may pass it by the bound' said || die "it said: $(cat said)"
for kind in repack copy; do
  rm -f made.nc
  eval "$(cat $kind) t.nc made.nc" || die "$(cat $kind)"
  [ "$(compressed made.nc)" = '2t|dew point|old|tas' ] || die "$kind compressed $(compressed made.nc)"
  diff <(ncdump -h t.nc) <(ncdump -h made.nc | sed 's/made/t/') || die "$kind changed the header"
  kept made.nc tas 0.0200001
  kept made.nc old 0.0100001
  for name in 2t time_bnds xlat area height both big count; do
    h5diff t.nc made.nc $name || die "$kind changed $name"
  done
  cmp <(ncdump -v time,lat,lon t.nc | sed 1d) <(ncdump -v time,lat,lon made.nc | sed 1d) || die "$kind changed coordinates"
done
# For all, by the bound: coordinates, bounds and what they are for stay as they are.
lines --abs 0.5 --var 'tas,dew point' t.nc
[ "$(tr -cd '\n' <printed | wc -c)" = 2 ] && grep -q "'dew point:UD=" repack && grep -q "'dew\\\\ point," copy || die "$(cat printed)"
sed 's/float both.*missing_value = -9999.f;//; s/both = [^;]*;//; s/string label(time);//; s/label = [^;]*;//' t.cdl >one.cdl
ncgen -4 -o one.nc one.cdl && lines --abs 0.5 one.nc
eval "$(cat repack) one.nc made.nc"
[ "$(compressed made.nc)" = '2t|dew point|old|tas' ] || die "a bound for all compressed $(compressed made.nc)"
# As without a file, names that a shell and ncdump take for something else.
lines --abs 1e-3 --var "it's,2t,g/x y,q:1"
grep -qF "nccopy -F 'it\\'\\''s,479,1," copy && grep -qF " -F '\\2t,479," copy && grep -qF " -F 'g/x\\ y,479," copy || die "$(cat printed)"
grep -qF "h5repack --enable-error-stack -f 'it'\\''s:UD=479,0,4," repack && ! grep -q 'q:1:UD' repack || die "$(cat printed)"
grep -q 'q:1: h5repack takes no name with a comma or a colon' said || die "it said: $(cat said)"

# Of what is compressed already nccopy makes nothing: mean's advice leads to a file that it takes.
nccopy -d 1 -s one.nc deflated.nc
fails 1 "the h5repack line that \`ghz h5args --abs NAME=E FILE\` prints" "$GHZ" mean deflated.nc deflated.nc --var tas -o no.nc
lines --abs tas=0.01 deflated.nc
[ ! -s copy ] && grep -q 'tas: is compressed already .*: nccopy would leave the filter out, take h5repack' said || die "$(cat printed said)"
eval "$(cat repack) deflated.nc small.nc"
# nccopy keeps the compression of its input, and leaves the filter out; -d 0 first, and it is used.
$(nccopy_to --abs 0.01 --fill 1e20 --var tas) deflated.nc made.nc || die "nccopy failed"
[ -z "$(compressed made.nc)" ] || die "docs/HDF5.md says that nccopy leaves the filter out"
nccopy -d 0 deflated.nc plain.nc
$(nccopy_to --abs 0.01 --fill 1e20 --var tas) plain.nc made.nc || die "nccopy failed"
[ "$(compressed made.nc)" = tas ] || die "no filter: $(compressed made.nc)"
# Integers are refused, and nccopy says so.
! $(nccopy_to --abs 1e-3 --var count) t.nc all.nc 2>said || die "integers were taken"
grep -q 'HDF error' said || die "nccopy said: $(cat said)"
ok "$GHZ" mean -q small.nc small.nc --var tas -o mean.nc

# A bound is for what readers see; nccopy takes groups' names as they are; quality is beside data.
ncgen -4 -o more.nc <<<"netcdf t { dimensions: x = 1800; variables: float twice(x); twice:scale_factor = -2.f; twice:ancillary_variables = \"twice_qc\"; float twice_qc(x); data: twice = $(numbers 1 0); twice_qc = $(numbers 1 0); group: g\\ 1 { variables: float x\\ y(x); data: x\\ y = $(numbers 1 0); } }" || die "ncgen failed"
lines --abs 0.01 more.nc
for kind in repack copy; do
  rm -f made.nc
  eval "$(cat $kind) more.nc made.nc" || die "$(cat $kind)"
  [ "$(compressed made.nc)" = 'twice|x y' ] || die "$kind compressed $(compressed made.nc)"
  ok h5diff -d 0.00500001 more.nc made.nc twice
done

# Refused.
for both in "tas=1,/tas=2" "tas=1 --rel tas=1e-3"; do
  # shellcheck disable=SC2086 # words
  fails 1 "tas: has more than one bound" "$GHZ" h5args --abs $both t.nc
done
fails 1 "t.nc: no data set pr" "$GHZ" h5args --abs tas=1,pr=1 t.nc
fails 1 "t.nc: label: is of a type or shape that the filter does not take" "$GHZ" h5args --abs label=1 t.nc
fails 1 "t.nc: height: is of a type or shape" "$GHZ" h5args --abs height=1 t.nc
for wrong in tas=0 tas=x tas=1,pr =1,tas tas=-1; do
  fails 2 "$wrong: a list of bounds must be NAME=E,NAME=E..., each above 0" "$GHZ" h5args --abs $wrong t.nc
done
fails 2 "no bound given" "$GHZ" h5args --abs tas=1 --var pr t.nc
fails 1 "x.f32: cannot be opened as HDF5" bash -c 'echo >x.f32; "$GHZ" h5args --abs 1 x.f32; code=$?; rm x.f32; exit $code'
ncgen -4 -o none.nc <<<'netcdf none { dimensions: x = 3; variables: float x(x); data: x = 1, 2, 3; }' || die "ncgen failed"
fails 1 "none.nc: has no data set that the bound is for" "$GHZ" h5args --abs 1 none.nc
