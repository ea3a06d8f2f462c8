# Integers and data on a grid of their own come back as they were, and are added and subtracted
# exactly: --lossless and --step. What cannot be is refused.
# SPDX-License-Identifier: BSD-3-Clause
. "$HELPERS"
. "$H5"
for tool in ncgen ncdump h5diff jq; do
  have "$tool" || skip "no $tool"
done

# Packed variables of every type; extents that chunks do not divide.
make() { # NAME FACTOR OFFSET
  {
    echo 'netcdf t { dimensions: lat = 50; lon = 70; variables: short s(lat, lon); s:scale_factor = 0.01; s:_FillValue = -32768s;'
    echo 'byte b(lat, lon); int i(lat, lon); ubyte ub(lat, lon); ushort us(lat, lon); uint ui(lat, lon); float grid(lat, lon);'
    echo "data:"
    for v in s b i ub us ui; do
      echo "$v = $(awk -v f="$2" -v o="$3" -v v=$v 'BEGIN { for (k = 0; k < 3500; k++) printf "%s%d", k ? "," : "", v == "s" && k % 97 == 0 ? -32768 : o + f * int(20 + 18 * sin(k / 40)) }');"
    done
    echo "grid = $(awk -v f="$2" 'BEGIN { for (k = 0; k < 3500; k++) printf "%s%.2f", k ? "," : "", f * int(500 + 400 * sin(k / 50)) / 4 }');"
    echo '}'
  } >t.cdl
  ncgen -4 -o plain.nc t.cdl || die "ncgen failed"
  $(repack --lossless --var s,b,i,ub,us,ui) -f grid:UD=479,0,"$("$GHZ" h5args --step 0.25 --var v | sed -n 's/.*UD=479,0,//p')" \
    -l s,b,i,ub,us,ui,grid:CHUNK=32x64 plain.nc "$1.nc" || die "h5repack failed"
  h5diff plain.nc "$1.nc" >diff.txt || die "values changed: $(h5diff plain.nc "$1.nc")"
  h5dump -pH "$1.nc" | grep -c 'FILTER_ID 479' | grep -qx 7 || die "not all are compressed"
  cp plain.nc "plain-$1.nc"
}
make one 1 0
make two 2 3
[ $(($(h5stored one.nc i) * 3)) -lt 14000 ] || die "int takes $(h5stored one.nc i) bytes"
[ $(($(h5stored one.nc grid) * 3)) -lt 14000 ] || die "grid takes $(h5stored one.nc grid) bytes"

"$GHZ" --version | grep -q 'built with.*HDF5' || exit 0
# values FILE VAR
values() { ncdump -p 9,17 -v "$2" "$1" | sed '1,/^ *'"$2"' =/d' | tr -d ' ;}\n' | tr , '\n' && echo; }
for verb in add sub; do
  ok "$GHZ" $verb -q two.nc one.nc -o $verb.nc
  for v in s b i ub us ui grid; do
    paste <(values plain-two.nc $v) <(values plain-one.nc $v) <(values $verb.nc $v) | awk -v verb=$verb '
      $1 == "_" || $2 == "_" { bad += $3 != "_"; next }
      $3 != (verb == "add" ? $1 + $2 : $1 - $2) { bad++ }
      END { exit bad > 0 || NR < 3500 }' || die "$verb of $v is wrong"
  done
done
"$GHZ" stats --json one.nc --var s | jq -e '.[0].count == 3463 and .[0].specials == 37' >/dev/null || die "$("$GHZ" stats one.nc --var s)"
"$GHZ" stats --json one.nc --var i >said || die "ghz stats failed"
sum=$(values plain-one.nc i | awk '{ s += $1 } END { print s }')
jq -e ".[0].count == 3500 and .[0].sum.value == $sum" said >/dev/null || die "$(cat said)"
"$GHZ" diff --json two.nc one.nc --var ub | jq -e '.count == 3500 and .max_difference.value == 40' >/dev/null || die "$("$GHZ" diff two.nc one.nc --var ub)"
"$GHZ" info one.nc --var us | grep -q 'type *u16' || die "$("$GHZ" info one.nc --var us)"

fails 1 "one.nc: i: is of integers, which a mean is not" "$GHZ" mean one.nc two.nc --var i -o no.nc
ok "$GHZ" mean -q one.nc two.nc --var grid -o mean.nc
fails 1 "sub.nc: b: the chunk at 0,0 would have integers that its type does not hold" \
  "$GHZ" add -f two.nc two.nc --var b -o sub.nc
fails 1 "no.nc: ub: the chunk at 0,0 would have integers that its type does not hold" "$GHZ" sub one.nc two.nc --var ub -o no.nc
fails 2 "give one bound only" "$GHZ" h5args --abs 1 --lossless
for type in abs rel; do
  ! $(repack --$type 1e-3 --var i) -l i:CHUNK=32x64 plain.nc refused.nc >said 2>&1 || true
  grep -q 'integers are compressed without loss alone' said || die "it said: $(cat said)"
done
