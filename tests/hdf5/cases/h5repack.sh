# h5repack and h5dump, told by `ghz h5args`: bounds, numbers; what is refused, and why. (Values,
# types, fill values: h5args.sh, and test_hdf5.py of the plugin; padding, noise, damage: filter.c.)
# SPDX-License-Identifier: BSD-3-Clause
. "$HELPERS"
. "$H5"
"$TOOL" make wave 40000 f32 >x.f32
h5make x.f32 x.h5 tas 200 200
$(repack --abs 1e-3 --var tas) -l tas:CHUNK=130x130 x.h5 y.h5 || die "h5repack failed"
[ $(($(h5stored y.h5 tas) * 3)) -lt "$(stat -c %s x.f32)" ] || die "$(h5stored y.h5 tas) bytes"
h5values y.h5 tas y.f32
within x.f32 y.f32 f32 1e-3

# Again with other chunks: the filter's numbers follow. Without the filter the values stay.
h5repack -l tas:CHUNK=50x40 y.h5 z.h5
[[ $(h5params z.h5 tas) == "1 0 "*" 0 0 0 2 50 0 40 0" ]] || die "numbers: $(h5params z.h5 tas)"
h5values z.h5 tas z.f32
within y.f32 z.f32 f32 1e-3
h5repack -f tas:NONE y.h5 plain.h5
HDF5_PLUGIN_PATH=/nowhere h5values plain.h5 tas plain.f32
same y.f32 plain.f32

# Shuffled bytes are floats of which an error within the bound is one of any size.
read -ra compressing < <(repack --abs 1e-3 --var tas)
for before in SHUF GZIP=1 FLET; do
  h5repack --enable-error-stack -f tas:$before "${compressing[@]:2}" -l tas:CHUNK=100x100 x.h5 refused.h5 >said 2>&1
  grep -qF "comes before this one" said || die "it said: $(cat said)"
  ! h5dump -pH refused.h5 | grep FILTER_ID || die "a filter in spite of $before"
done
h5repack -f tas:SHUF -l tas:CHUNK=100x100 x.h5 shuffled.h5
"${compressing[@]}" shuffled.h5 y.h5 || die "h5repack failed"
h5values y.h5 tas back.f32
within x.f32 back.f32 f32 1e-3

# h5args itself.
fails 2 "no bound given" "$GHZ" h5args
fails 2 "--psnr does not apply here" "$GHZ" h5args --psnr 80
fails 2 "one operand too many" "$GHZ" h5args --abs 1 a.h5 b.h5
fails 2 "of which variables? Give the FILE, or --var NAME" "$GHZ" h5args --abs 1
