# h5repack and h5dump, told by `ghz h5args`: bounds, fill values, numbers; what is refused, and why.
# SPDX-License-Identifier: BSD-3-Clause
. "$HELPERS"
. "$H5"
"$TOOL" make wave 40000 f32 >x.f32
"$TOOL" make wave 40000 f64 >x.f64
"$TOOL" make noise 40000 f32 >noise.f32

# Both types, extents that the chunks do not divide. (Other dimensions: test_hdf5.py of the plugin.)
for type in f32 f64; do
  h5make x.$type x.h5 tas 20 40 50
  $(repack --abs 1e-3 --var tas) -l tas:CHUNK=16x16x16 x.h5 y.h5 || die "h5repack failed"
  [ $(($(h5stored y.h5 tas) * 3)) -lt "$(stat -c %s x.$type)" ] || die "$type: $(h5stored y.h5 tas) bytes"
  h5values y.h5 tas back.$type
  within x.$type back.$type $type 1e-3
done

# A relative bound: the zeros that fill up the chunks at the border do not widen the range.
"$TOOL" make wave 40000 f32 | od -An -v -w4 -tf4 | awk '{ print $1 + 1000 }' >shifted.txt
python3 -c 'import array, sys; array.array("f", map(float, open("shifted.txt"))).tofile(open("shifted.f32", "wb"))'
h5make shifted.f32 x.h5 tas 200 200
$(repack --rel 1e-3 --var tas) -l tas:CHUNK=130x130 x.h5 y.h5 || die "h5repack failed"
h5values y.h5 tas back.f32
range=$(sort -g shifted.txt | sed -n '1p;$p' | awk 'NR == 1 { low = $1 } { high = $1 } END { print 1e-3 * (high - low) }')
within shifted.f32 back.f32 f32 "$range"
differ shifted.f32 back.f32

# Again with other chunks: the filter's numbers follow. Without the filter the values stay.
$(repack --abs 1e-3 --var tas) -l tas:CHUNK=130x130 x.h5 y.h5 || die "h5repack failed"
h5repack -l tas:CHUNK=50x40 y.h5 z.h5
[[ $(h5params z.h5 tas) == "1 0 "*" 0 0 0 2 50 0 40 0" ]] || die "numbers: $(h5params z.h5 tas)"
h5values y.h5 tas y.f32
h5values z.h5 tas z.f32
within y.f32 z.f32 f32 1e-3
h5repack -f tas:NONE y.h5 plain.h5
HDF5_PLUGIN_PATH=/nowhere h5values plain.h5 tas plain.f32
same y.f32 plain.f32

# A fill value that the user gives.
awk 'NR % 97 == 0 { $1 = -999 } { print }' shifted.txt >holes.txt
python3 -c 'import array, sys; array.array("f", map(float, open("holes.txt"))).tofile(open("holes.f32", "wb"))'
h5make holes.f32 x.h5 tas 200 200
$(repack --rel 1e-3 --fill -999 --var tas) -l tas:CHUNK=130x130 x.h5 y.h5 || die "h5repack failed"
h5values y.h5 tas back.f32
within holes.f32 back.f32 f32 "$range"
[ "$(od -An -v -w4 -tf4 back.f32 | grep -c -e '^ *-999$')" = 412 ] || die "fill values are not kept"

# What does not compress: an optional filter leaves such chunks as they are, and one that must be
# used adds next to nothing.
h5make noise.f32 x.h5 tas 200 200
numbers=$("$GHZ" h5args --abs 1e-12 --var v | sed -n 's/.*UD=479,0,//p')
for optional in 0 1; do
  h5repack -f tas:UD=479,$optional,"$numbers" -l tas:CHUNK=100x100 x.h5 y.h5
  stored=$(h5stored y.h5 tas)
  [ "$stored" -le $((160000 + (1 - optional) * 600)) ] || die "noise takes $stored bytes"
  [ $optional = 0 ] || [ "$stored" = 160000 ] || die "noise takes $stored bytes"
  h5values y.h5 tas back.f32
  within noise.f32 back.f32 f32 1e-12
done
GHZ_THREADS=3 h5values y.h5 tas threads.f32
same back.f32 threads.f32

# refused TEXT COMMAND...: HDF5 says TEXT, and the data set has no filter.
refused() {
  local text=$1
  shift
  "$@" -l tas:CHUNK=100x100 x.h5 refused.h5 >said 2>&1
  grep -qF "$text" said || die "no '$text' in: $(cat said)"
  ! h5dump -pH refused.h5 | grep FILTER_ID || die "a filter in spite of: $text"
}
refused "four or six numbers are needed: give the numbers that \`ghz h5args" h5repack --enable-error-stack -f tas:UD=479,1,1,1
read -ra compressing < <(repack --abs 1e-3 --var tas)
refused "required filter 479 is not registered" env HDF5_PLUGIN_PATH=/nowhere "${compressing[@]}"
# Shuffled bytes are floats of which an error within the bound is one of any size.
for before in SHUF GZIP=1 FLET; do
  refused "comes before this one" h5repack --enable-error-stack -f tas:$before "${compressing[@]:2}"
done
h5repack -f tas:SHUF -l tas:CHUNK=100x100 x.h5 shuffled.h5
"${compressing[@]}" shuffled.h5 y.h5 || die "h5repack failed"
h5values y.h5 tas back.f32
within noise.f32 back.f32 f32 1e-3
ORDER=BE h5make x.f32 x.h5 tas 200 200
refused "neither H5T_IEEE_F32LE nor H5T_IEEE_F64LE" "${compressing[@]}"

# A damaged chunk: HDF5 1.10 says what the filter says.
$(repack --abs 1e-3 --var tas) -l tas:CHUNK=100x100 plain.h5 y.h5
at=$(grep -obUaP 'GHZ3' y.h5 | head -n 1 | cut -d: -f1)
printf 'GHZ1' | dd of=y.h5 bs=1 seek="$at" conv=notrunc status=none
! h5dump --enable-error-stack -d tas y.h5 >said 2>&1 || die "a damaged chunk was read"
! h5dump --version | grep -q 1.10 || grep -q 'filter.*: ghz: ' said || die "HDF5 said: $(grep -v '^   ' said)"

# h5args itself.
fails 2 "no bound given" "$GHZ" h5args
fails 2 "--psnr does not apply here" "$GHZ" h5args --psnr 80
fails 2 "one operand too many" "$GHZ" h5args --abs 1 a.h5 b.h5
fails 2 "of which variables? Give the FILE, or --var NAME" "$GHZ" h5args --abs 1
