# ghz stats, info, diff and compare of HDF5 files: numbers of the values inside the extents, of all
# kinds of chunks; every variable that ghz compressed, or the one that --var names.
# SPDX-License-Identifier: BSD-3-Clause
. "$HELPERS"
. "$H5"
"$GHZ" --version | grep -q 'built with.*HDF5' || skip "this ghz was built without HDF5"
have jq || skip "no jq"

# Chunks that reach beyond the extents, and some that are stored as they are.
for i in 1 2; do
  "$TOOL" make wave 30000 f64 $i >$i.raw
  "$TOOL" make huge 30000 f64 $i >huge.f64
  head -c 120000 $i.raw >$i.f64 && tail -c +120001 $i.raw >>$i.f64
  h5make $i.f64 plain-$i.h5 group/tas 20 30 50
  $(repack --abs 1e-3 --var group/tas) -l group/tas:CHUNK=7x16x40 plain-$i.h5 $i.h5
  h5values $i.h5 group/tas $i.back.f64
done
python3 - <<'PROGRAM' || die "the numbers are wrong"
import array, json, math, os, subprocess
ghz = os.environ["GHZ"]
def values(name):
    return array.array("d", open(name, "rb").read())
def near(a, b, eps=1e-9):
    return abs(a - b) <= eps * max(1, abs(a), abs(b))
def run(*words):
    return json.loads(subprocess.run([ghz, *words], check=True, capture_output=True).stdout)
one, two = values("1.back.f64"), values("2.back.f64")
original, other = values("1.f64"), values("2.f64")

[s] = run("stats", "--json", "1.h5")
assert s["file"] == "1.h5: group/tas" and (s["count"], s["specials"]) == (30000, 0), s
assert near(s["sum"]["value"], math.fsum(one)) and near(s["mean"]["value"], math.fsum(one) / 30000), s
assert (s["min"], s["max"]) == (min(one), max(one)), s
assert s["sum"]["low"] <= math.fsum(original) <= s["sum"]["high"], s
assert s["norm"]["low"] <= math.sqrt(math.fsum(x * x for x in original)) <= s["norm"]["high"], s

d = run("diff", "--json", "1.h5", "2.h5", "--var", "group/tas")
apart = [abs(a - b) for a, b in zip(one, two)]
assert (d["count"], d["specials"], d["mismatches"]) == (30000, 0, 0), d
assert near(d["max_difference"]["value"], max(apart)), d
assert apart[d["max_difference_at"]] >= max(apart) - 1e-12, d
i, j, k = d["max_difference_index"]
assert (i * 30 + j) * 50 + k == d["max_difference_at"], d
assert near(d["rms_difference"]["value"], math.sqrt(math.fsum(x * x for x in apart) / 30000)), d
assert near(d["dot"]["value"], math.fsum(a * b for a, b in zip(one, two))), d

[i] = run("info", "--json", "1.h5")
assert i["file"] == "1.h5" and i["variable"] == "group/tas" and i["shape"] == [20, 30, 50], i
assert (i["chunks"], i["chunk_shape"], i["chunks_compressed"]) == (12, [7, 16, 40], 12), i
assert i["bound"] == 1e-3 and i["values"] == 30000 and i["type"] == "f64" and i["tiles"] > 0, i
PROGRAM
[ "$("$GHZ" info --json 1.h5 | jq '.[].bytes')" = "$(h5stored 1.h5 group/tas)" ] || die "the bytes are wrong"
"$GHZ" info 1.h5 >said || die "ghz info failed"
grep -q '^  chunks  *12 of 7x16x40, 12 compressed, 0 as they are, 0 never written' said || die "$(cat said)"

# Chunks that are stored as they are, and those that were never written.
"$TOOL" make noise 30000 f64 >noise.f64
h5make noise.f64 plain.h5 group/tas 20 30 50
h5repack -f group/tas:UD=479,1,"$("$GHZ" h5args --abs 1e-300 --var v | sed -n 's/.*UD=479,0,//p')" -l group/tas:CHUNK=7x16x50 plain.h5 raw.h5
"$GHZ" stats --json raw.h5 >said || die "ghz stats failed"
h5values raw.h5 group/tas back.f64
python3 - <<'PROGRAM' || die "the numbers are wrong: $(cat said)"
import array, json, math
[s] = json.load(open("said"))
x = array.array("d", open("back.f64", "rb").read())
assert s["count"] == 30000 and s["min"] == min(x) and s["max"] == max(x)
assert s["sum"]["low"] <= math.fsum(x) <= s["sum"]["high"] and abs(s["sum"]["value"] - math.fsum(x)) < 1e-9
PROGRAM
"$GHZ" info --json raw.h5 | jq -e '.[0].chunks_raw == 4' >/dev/null || die "$("$GHZ" info raw.h5)"
"$HOLES" half.h5 0 32 -999 && "$HOLES" zeros.h5 0 32 0 || die "no files were made"
"$GHZ" stats --json half.h5 zeros.h5 --var v >said || die "ghz stats failed"
jq -e '.[0].count == 2048 and .[0].specials == 2048 and (.[0].mean.value - 2 | fabs) <= 1e-3' said >/dev/null || die "$(cat said)"
jq -e '.[1].count == 4096 and .[1].specials == 0 and (.[1].mean.value - 1 | fabs) <= 1e-3' said >/dev/null || die "$(cat said)"

# With a relative bound chunks have lattices of their own.
$(repack --rel 1e-3 --var group/tas) -l group/tas:CHUNK=7x16x40 plain-1.h5 rel.h5
"$GHZ" stats --json rel.h5 | jq -e '.[0].count == 30000' >/dev/null || die "$("$GHZ" stats rel.h5)"
ok "$GHZ" info rel.h5 >/dev/null
fails 1 "rel.h5: group/tas" "$GHZ" diff 1.h5 rel.h5

# Refusals name the file and the variable.
fails 1 "plain.h5: no data set here is compressed by ghz" "$GHZ" stats plain.h5
cp plain.h5 plain
{ head -c 512 /dev/zero; cat 1.h5; } >one # behind bytes of somebody else
fails 1 "plain: no data set here is compressed by ghz" "$GHZ" info plain
ok "$GHZ" info one >/dev/null
fails 1 "1.h5: no data set pr" "$GHZ" info 1.h5 --var pr
fails 1 "half.h5: no data set group/tas" "$GHZ" diff 1.h5 half.h5
$(repack --abs 1e-3 --var group/tas) -l group/tas:CHUNK=7x15x40 plain-1.h5 chunks.h5
fails 1 "chunks.h5: group/tas: has chunks of 7x15x40, but 7x16x40 in 1.h5" "$GHZ" diff 1.h5 chunks.h5
fails 2 "--var is for HDF5 and netCDF files, and 1.f64 is none" "$GHZ" stats 1.f64 --var group/tas
cp 1.f64 false.h5 && fails 1 "false.h5: cannot be opened as HDF5" "$GHZ" stats false.h5 --var group/tas
fails 1 "none: No such file" "$GHZ" stats none --var group/tas
size=$(stat -c %s 1.h5)
at=$(grep -obUaP 'GHZ3' 1.h5 | tail -n 1 | cut -d: -f1)
[ -n "$at" ] || die "no stream in 1.h5"
cp 1.h5 damaged.h5
printf '\377\377\377\377' | dd of=damaged.h5 bs=1 seek=$((at + 20)) conv=notrunc status=none
for verb in stats info; do
  fails 1 "damaged.h5: group/tas: the chunk at 14,16,40 " "$GHZ" $verb damaged.h5
done
fails 1 "damaged.h5: group/tas: the chunk at 14,16,40 " "$GHZ" diff 1.h5 damaged.h5
fails 1 "damaged.h5: group/tas: the chunk at 14,16,40 " "$GHZ" mean 1.h5 damaged.h5 -o no.h5

# tune and compare take any variable, whatever compressed it, and a file whole.
have ncgen || exit 0
"$TOOL" make wave 7680 f32 >tas.f32
od -An -v -w4 -tf4 tas.f32 | awk 'NR <= 40 { print "1e20f"; next } { print $1 }' | paste -sd, >tas.txt
make_nc() { # FILE FIRST STEP LAST VALUES: latitudes, and what tas has
  cat >t.cdl <<EOF
netcdf t { dimensions: time = 3; plev = 2; lat = 32; lon = 40;
variables: float tas(time, plev, lat, lon); tas:_FillValue = 1e20f; short n(time); float scalar; char name(lon);
double lat(lat); lat:units = "degrees_north"; lat:_FillValue = NaN;
data: n = 1, 2, 3; scalar = 1; lat = $(seq -s , "$2" "$3" "$4"); tas = $(cat "$5"); }
EOF
  ncgen -4 -o "$1" t.cdl || die "ncgen failed"
}
make_nc a.nc -46 3 47 tas.txt
h5repack -f tas:SHUF -f tas:GZIP=3 -l tas:CHUNK=1x1x32x40 a.nc zipped.nc
eval "$("$GHZ" h5args --abs tas=1e-2 a.nc | grep ^h5repack) a.nc b.nc" || die "h5repack"
h5values a.nc tas a.f32 && h5values b.nc tas b.f32
"$GHZ" tune --json a.nc --var tas >one && "$GHZ" tune --json zipped.nc --var tas >two &&
  "$GHZ" tune --json a.f32 --dims 3x2x32x40 --fill 1e20 >three || die "tune"
for file in two three; do
  jq -es '[.[][0].bounds | map([.bound, .ratio, .psnr])] | .[0] == .[1]' one $file >/dev/null || die "tune differs: $(cat one $file)"
done
"$GHZ" tune a.nc >said && grep -q '^a.nc: tas: 7680 values of f32, ' said && grep -q '^a.nc: n: 3 values of i16, 1 to 3' said || die "$(cat said)"
! grep -Eq '^a.nc: (lat|name|scalar):' said || die "no variable of one dimension or more, or a coordinate: $(cat said)"
"$GHZ" compare --json a.nc b.nc --var tas >one && "$GHZ" compare --json a.f32 b.f32 --fill 1e20 --dims 3x2x32x40 >two || die "compare"
jq -es 'map([.max_error, .rms, .bias, .correlation, .neighbours, .ssim, .ssim_plane]) | .[0] == .[1]' one two >/dev/null || die "$(cat one two)"
jq -e '.bound == 0.01 and .within_bound and .ratio > 1 and .fill > 9e19 and (.ssim > 0.9)' one >/dev/null || die "$(cat one)"
ok "$GHZ" compare zipped.nc b.nc >said
grep -q '^zipped.nc: left out: name holds no numbers, scalar is one value without a dimension$' "$SCRATCH/stderr" || die "$(cat "$SCRATCH/stderr")"
[ "$(wc -l <said)" = 4 ] && grep -q '^lat  *0 ' said && grep -q '^tas  *0.00[0-9]*  *0.9[0-9]*  *[0-9.]*  *0.999' said && grep -q '^n  *0  *-  *inf' said || die "$(cat said)"
[ "$("$GHZ" compare --json a.nc b.nc | jq -s length)" = 3 ] || die "an object for each"
ok "$GHZ" compare a.nc b.f32 --var tas --dims 3x2x32x40 >/dev/null
# North is up in a file that begins in the south, and in one that begins in the north.
if "$GHZ" --version | grep -q 'built with.*libpng'; then
  python3 - <<'PROGRAM'
import array
a = array.array("f", open("a.f32", "rb").read())
rows = [a[i:i + 40] for i in range(0, 7680, 40)]
rows = [row for p in range(6) for row in reversed(rows[32 * p:32 * p + 32])]
print(",".join(repr(v) if v < 1e19 else "1e20f" for row in rows for v in row), file=open("turned.txt", "w"))
PROGRAM
  make_nc turned.nc 47 -3 -46 turned.txt
  ok "$GHZ" compare a.nc a.nc --var tas --slice 2,1 --png a.png >/dev/null
  ok "$GHZ" compare turned.nc turned.nc --var tas --slice 2,1 --png turned.png >/dev/null
  same a.png turned.png
  ok "$GHZ" compare a.f32 a.f32 --dims 3x2x32x40 --slice 2,1 --png raw.png >/dev/null
  differ a.png raw.png
  fails 1 "a.nc: tas: --slice: 2 is not inside 0:2" "$GHZ" compare a.nc b.nc --var tas --slice 2,2 --png no.png
  fails 2 "--png draws one variable: give --var NAME" "$GHZ" compare a.nc b.nc --png no.png
fi
ok "$GHZ" tune a.nc --var lat >/dev/null
fails 1 "a.nc: no data set pr" "$GHZ" tune a.nc --var pr
fails 1 "none.nc: No such file or directory" "$GHZ" compare a.nc none.nc
fails 1 "a.nc: name: holds no numbers" "$GHZ" tune a.nc --var name
fails 1 "a.nc: scalar: is one value without a dimension" "$GHZ" tune a.nc --var scalar
fails 1 "a.nc: /: is no data set" "$GHZ" tune a.nc --var /
# A verdict is on the values that readers decode, of stored ones that are alike.
make_packed() { # FILE SCALE VALUES
  echo "netcdf p { dimensions: n = 3; variables: short s(n); s:scale_factor = $2; data: s = $3; }" >p.cdl
  ncgen -4 -o "$1" p.cdl || die "ncgen failed"
}
make_packed p.nc 50. 1,2,3 && make_packed q.nc 50. 2,2,3 && make_packed r.nc 25. 1,2,3
fails 1 "q.nc: s: the bound 1 is violated: error 50 at 0" "$GHZ" compare p.nc q.nc --var s --abs 1
ok "$GHZ" compare p.nc q.nc --var s --abs 50 >said
grep -q '^scale_factor  *50 ' said && grep -q '^bias  *16.6667$' said && grep -q '^error / bound  *1.000000$' said || die "$(cat said)"
fails 1 "r.nc: s: has scale_factor 25 and add_offset 0, but 50 and 0 in p.nc: s" "$GHZ" compare p.nc r.nc --var s
cat >left.cdl <<'EOF'
netcdf left { dimensions: n = 3; variables: int64 big(n); int few(n); float same(n), x(n);
data: big = 1, 2, 17592186044417; few = 1, 2, 3; same = 1, 1, 1; x = 1, 2, NaN; }
EOF
ncgen -4 -o left.nc left.cdl || die "ncgen failed"
ok "$GHZ" tune --psnr 80 left.nc >said
[ "$(grep -c '^left.nc: [a-z]*: left out: ' "$SCRATCH/stderr")" = 3 ] && grep -q '^PSNR 80 dB needs' said || die "$(cat said "$SCRATCH/stderr")"
fails 1 "left.nc: big: holds integers beyond 2^44 in magnitude, which are not compressed" "$GHZ" tune left.nc --var big
"$GHZ" h5args --abs 1e-3 left.nc >said 2>&1 && grep -q '^x: has no _FillValue: h5repack makes NaN the default fill value, 9.96921e+36 ' said || die "$(cat said)"
eval "$(grep ^h5repack said) left.nc made.nc" && eval "$(grep ^nccopy said) left.nc kept.nc" || die "no copies"
ncdump -v x made.nc | grep -q '^ x = .* _ ;' && ncdump -v x kept.nc | grep -q '^ x = .*NaNf\? ;' || die "$(ncdump -v x made.nc; ncdump -v x kept.nc)"
ncgen -3 -o old.nc p.cdl || die "ncgen failed"
fails 1 "old.nc: is netCDF-3, and no HDF5: nccopy -k nc4 makes netCDF-4 of it" "$GHZ" tune old.nc
fails 1 "none.nc: No such file or directory" "$GHZ" tune none.nc
cat >odd.cdl <<'EOF'
netcdf odd { dimensions: one = 1; n = 3; wide = 2147483648; none = UNLIMITED;
variables: uint64 big(n); float empty(none), huge(one, wide, wide); huge:_ChunkSizes = 1, 1024, 1024;
data: big = 1, 2, 3; }
EOF
ncgen -4 -x -o odd.nc odd.cdl || die "ncgen failed"
fails 1 "odd.nc: big: holds unsigned integers of 64 bits, which ghz does not read" "$GHZ" tune odd.nc --var big
fails 1 "odd.nc: empty: is empty" "$GHZ" tune odd.nc --var empty
fails 1 "odd.nc: huge: too many values" "$GHZ" tune odd.nc --var huge
fails 2 "a.nc has variables: give --var NAME" "$GHZ" compare a.nc a.f32
fails 2 "--var is for HDF5 and netCDF files, and a.f32 is none" "$GHZ" tune a.f32 --var tas
