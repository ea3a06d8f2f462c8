# ghz mean and ghz add on HDF5 and netCDF files: values, raw chunks, what comes along, refusals.
# SPDX-License-Identifier: BSD-3-Clause
. "$HELPERS"
. "$H5"
! "$GHZ" mean --var tas a.h5 -o b.h5 2>&1 | grep -q 'built without HDF5' || skip "this ghz was built without HDF5"

# compressed NAME CHUNK [f64]: NAME.h5 from NAME.f64, under 1e-3.
compressed() {
  h5make "$1.f64" plain.h5 group/tas 20 30 50
  $(repack --abs 1e-3 --var group/tas) -l group/tas:CHUNK="$2" plain.h5 "$1.h5"
}
for i in 1 2 3; do
  "$TOOL" make wave 30000 f64 $i >$i.f64
  compressed $i 7x16x50
done
"$TOOL" sum f64 1.f64 2.f64 3.f64 >sum.f64
python3 - <<'EOF'
import array
values = array.array("d", open("sum.f64", "rb").read())
open("mean.f64", "wb").write(array.array("d", (v / 3 for v in values)).tobytes())
EOF

ok "$GHZ" add -q 1.h5 2.h5 3.h5 --var group/tas -o sum.h5
h5values sum.h5 group/tas back.f64
within sum.f64 back.f64 f64 3e-3
ok "$GHZ" sum -q 3.h5 1.h5 2.h5 --var group/tas -o other.h5
h5values other.h5 group/tas other.f64
same back.f64 other.f64
[[ $(h5params sum.h5 group/tas) == "$(h5params 1.h5 group/tas)" ]] || die "the filter's numbers changed"
"$GHZ" mean 1.h5 2.h5 3.h5 --var group/tas -o mean.h5 2>said || die "$(cat said)"
grep -q '^mean of group/tas in 3 files -> mean.h5: .*, bound 0.0010' said || die "it said: $(cat said)"
h5values mean.h5 group/tas back.f64
within mean.f64 back.f64 f64 1.000001e-3

# Without --var all data sets that ghz compressed.
ok "$GHZ" mean -q 1.h5 2.h5 3.h5 -o all.h5
h5values all.h5 group/tas all.f64
same back.f64 all.f64

# A mean of means is one, too; it is not added to what has another lattice.
ok "$GHZ" mean -q mean.h5 mean.h5 --var group/tas -o again.h5
h5values again.h5 group/tas again.f64
same back.f64 again.f64
fails 1 "3.h5: group/tas: has the bound 0.001, and 0.00033" \
  "$GHZ" mean mean.h5 3.h5 --var group/tas -o no.h5

# Chunks that an optional filter left as they were.
"$TOOL" make huge 30000 f64 >huge.f64
head -c 120000 1.f64 >mixed.f64 && tail -c +120001 huge.f64 >>mixed.f64
h5make mixed.f64 plain.h5 group/tas 20 30 50
h5repack -f group/tas:UD=479,1,"$("$GHZ" h5args --abs 1e-3 --var v | sed -n 's/.*UD=479,0,//p')" -l group/tas:CHUNK=7x16x50 plain.h5 mixed.h5
h5values mixed.h5 group/tas mixed.back
ok "$GHZ" add -q mixed.h5 1.h5 --var group/tas -f -o sum.h5
h5values sum.h5 group/tas back.f64
head -c 120000 back.f64 >back.part
"$TOOL" sum f64 1.f64 1.f64 | head -c 120000 >sum.part
within sum.part back.part f64 2e-3
ok "$GHZ" mean -q mixed.h5 --var group/tas -o one.h5 # chunks that are values everywhere
h5values one.h5 group/tas one.f64
same mixed.back one.f64

# More files than a process may have open before it asks for more.
many=()
for ((i = 0; i < 25; i++)); do
  cp 1.h5 a$i.h5 && cp 2.h5 b$i.h5 && cp 3.h5 c$i.h5
  many+=(a$i.h5 b$i.h5 c$i.h5)
done
ok "$GHZ" mean -q "${many[@]}" -o wide.h5
(ulimit -Sn 40 && ok "$GHZ" mean -q "${many[@]}" -o narrow.h5) || die "75 files under a limit of 40"
h5diff wide.h5 narrow.h5 || die "with few descriptors it is another mean"
rm -f [abc][0-9]*.h5

# Refusals; nothing is left behind.
compressed 2 7x15x50
mv 2.h5 chunks.h5
h5repack -l group/tas:CHUNK=7x16x50 -f group/tas:NONE 1.h5 none.h5
h5repack -l group/tas:CHUNK=7x16x50 -f group/tas:GZIP=1 none.h5 gzip.h5
$(repack --rel 1e-3 --var group/tas) none.h5 rel.h5
$(repack --abs 2e-3 --var group/tas) none.h5 bound.h5
$(repack --abs 1e-3 --fill 7 --var group/tas) none.h5 fill.h5
h5make 1.f64 plain.h5 group/tas 30 20 50
$(repack --abs 1e-3 --var group/tas) -l group/tas:CHUNK=7x16x50 plain.h5 extents.h5
"$TOOL" make wave 30000 f32 >1.f32
h5make 1.f32 plain.h5 group/tas 20 30 50
$(repack --abs 1e-3 --var group/tas) -l group/tas:CHUNK=7x16x50 plain.h5 type.h5
refused() { # TEXT FILE
  fails 1 "$2: $1" "$GHZ" mean 1.h5 "$2" --var group/tas -o no.h5
}
refused "group/tas: has chunks of 7x15x50, but 7x16x50 in 1.h5" chunks.h5
refused "group/tas: is not compressed by ghz: compress it with the h5repack line that \`ghz h5args --abs NAME=E FILE\` prints" none.h5
refused "group/tas: also uses filter 1 (deflate), but ghz must be the only one" gzip.h5
refused "group/tas: was compressed with --rel" rel.h5
refused "group/tas: has the bound 0.002, and 0.001 in 1.h5: compress both with the same --abs" bound.h5
refused "group/tas: has another fill value than 1.h5" fill.h5
refused "group/tas: is 30x20x50, but 20x30x50 in 1.h5" extents.h5
refused "group/tas: has another type than in 1.h5" type.h5
refused "cannot be opened as HDF5" 1.f64
refused "No such file" none
fails 1 "1.h5: no data set group/pr" "$GHZ" mean 1.h5 3.h5 --var group/pr -o no.h5
fails 1 "1.h5: no data set group" "$GHZ" mean 1.h5 3.h5 --var group -o no.h5
fails 1 "is the input itself" "$GHZ" mean 1.h5 3.h5 --var group/tas -f -o 3.h5
fails 1 "mean.h5: already exists" "$GHZ" mean 1.h5 3.h5 --var group/tas -o mean.h5
fails 1 "must be a regular file" "$GHZ" mean 1.h5 3.h5 --var group/tas -o /dev/null
fails 2 "name it with -o FILE" "$GHZ" mean 1.h5 3.h5 --var group/tas -o -
fails 2 "name it with -o FILE" "$GHZ" mean 1.h5 3.h5 --var group/tas
fails 1 "plain.h5: no data set here is compressed by ghz" "$GHZ" mean plain.h5 plain.h5 -o no.h5

head -c 5000 3.h5 >truncated.h5
fails 1 "truncated.h5: cannot be opened as HDF5" "$GHZ" mean 1.h5 truncated.h5 --var group/tas -o no.h5
