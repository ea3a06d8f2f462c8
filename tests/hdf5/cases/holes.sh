# ghz mean where chunks were never written: they are full of the fill value, or of zeros.
# SPDX-License-Identifier: BSD-3-Clause
. "$HELPERS"
. "$H5"
[ -n "${HOLES:-}" ] || skip "no HDF5 to make files with"
"$GHZ" --version | grep -q 'built with.*HDF5' || skip "this ghz was built without HDF5"
"$HOLES" top.h5 0 32 -999 && "$HOLES" bottom.h5 32 32 -999 && "$HOLES" all.h5 0 64 -999 || die "files were not made"
"$HOLES" zeros.h5 0 32 0 && "$HOLES" full.h5 0 64 0 && "$HOLES" none.h5 0 0 0 || die "files were not made"

# rows FILE FIRST: the distinct values of 32 rows.
rows() {
  h5values "$1" v rows.f32
  od -An -v -w4 -tf4 -j $(($2 * 256)) -N 8192 rows.f32 | awk '{ printf "%.2f\n", $1 }' | sort -u | paste -sd' '
}

# mean_is TOP BOTTOM FILE...: the values of the mean, above and below.
mean_is() {
  local above=$1 below=$2
  shift 2
  ok "$GHZ" mean -q -f "$@" --var v -o mean.h5
  [ "$(rows mean.h5 0) $(rows mean.h5 32)" = "$above $below" ] || die "of $*: $(rows mean.h5 0) $(rows mean.h5 32)"
}
mean_is 2.00 -999.00 all.h5 top.h5
mean_is 2.00 -999.00 top.h5 all.h5
mean_is -999.00 -999.00 top.h5 bottom.h5
mean_is 2.00 1.00 zeros.h5 full.h5
mean_is 1.50 1.00 none.h5 full.h5 full.h5 zeros.h5
mean_is 2.00 0.00 zeros.h5 zeros.h5
mean_is 0.00 0.00 none.h5 none.h5
# What nobody wrote stays so.
[ "$(h5stored mean.h5 v)" = 0 ] || die "chunks of no values"

# A sum of zeros, which nobody wrote, has no chunks either.
ok "$GHZ" add -q -f none.h5 none.h5 --var v -o sum.h5
[ "$(h5stored sum.h5 v)" = 0 ] || die "chunks of a sum of no values"

# But where their values are no missing ones, or differ, the result is computed.
"$HOLES" five.h5 0 32 5 -999 && "$HOLES" three.h5 0 32 3 -999 || die "files were not made"
mean_is 2.00 4.00 five.h5 three.h5
mean_is 2.00 5.00 five.h5 five.h5
ok "$GHZ" add -q -f five.h5 five.h5 five.h5 --var v -o mean.h5
[ "$(rows mean.h5 0) $(rows mean.h5 32)" = "6.00 15.00" ] || die "the sum: $(rows mean.h5 0) $(rows mean.h5 32)"
# A creation list that is copied to a data set with another fill value brings the old one along.
"$HOLES" nine.h5 0 0 9 || die "no file was made"
[ "$(h5params all.h5 copied)" = "$(h5params nine.h5 v)" ] || die "of a copied list: $(h5params all.h5 copied)"

# Readers decode values by these attributes: of a mean they must agree, and a sum has no offset.
for offset in 0 5; do
  "$HOLES" one$offset.h5 0 64 0 - scale_factor 10 add_offset $offset && cp one$offset.h5 two$offset.h5 || die "files were not made"
  ok "$GHZ" mean -q -f one$offset.h5 two$offset.h5 --var v -o mean.h5
done
ok "$GHZ" add -q -f one0.h5 two0.h5 --var v -o sum.h5
fails 1 'two5.h5: v: has scale_factor 10 and add_offset 5, but 10 and 0 in one0.h5' "$GHZ" mean one0.h5 two5.h5 --var v -o no.h5
fails 1 'full.h5: v: has scale_factor 1 and add_offset 0, but 10 and 0 in one0.h5' "$GHZ" add one0.h5 full.h5 --var v -o no.h5
fails 1 'one5.h5: v: has add_offset 5, which a sum would have only once' "$GHZ" add one5.h5 two5.h5 --var v -o no.h5
"$HOLES" text.h5 0 64 0 - scale_factor ten || die "no file was made"
fails 1 'text.h5: v: scale_factor or add_offset is not a number' "$GHZ" mean text.h5 text.h5 --var v -o no.h5
[ ! -e no.h5 ] || die "a refused mean left a file"

# A variable under any of its names.
"$HOLES" some.h5 0 32 5 -999 && "$HOLES" more.h5 0 64 5 -999 || die "files were not made"
for var in v /v ./v soft /soft hard; do
  for verb in info stats "diff more.h5" "mean -f more.h5 -o out.h5" "add -f more.h5 -o out.h5" "sub -f more.h5 -o out.h5"; do
    "$GHZ" $verb some.h5 --var $var >said 2>&1 || die "$verb --var $var: $(cat said)"
  done
done
mean_is 2.00 3.50 some.h5 more.h5
ok "$GHZ" mean -q -f some.h5 more.h5 -o all-names.h5
h5diff mean.h5 all-names.h5 || die "without --var it is another"

# A data set that is a link to another file is refused: that file would be written.
mkdir folder && cp full.h5 folder || die "no folder"
said=$("$GHZ" mean zeros.h5 top.h5 --var linked -o folder/out.h5 2>&1) && die "a link to another file was taken"
[[ $said == *"zeros.h5: linked: links to a data set of"*"full.h5: name that file"* ]] || die "it said: $said"
same full.h5 folder/full.h5
[ ! -e folder/out.h5 ] || die "a refused mean left a file"

# A chunk that was never written adds to a mean of several, on whose lattice nothing is compressed.
"$HOLES" most.h5 0 64 1 -999 && "$HOLES" half.h5 0 32 1 -999 || die "files were not made"
for k in 3 7; do
  mapfile -t files < <(yes most.h5 | head -$((k - 1)))
  ok "$GHZ" mean -q -f half.h5 "${files[@]}" --var v -o mean.h5
  ok "$GHZ" sub -q -f half.h5 mean.h5 --var v -o mean.h5.less
  [ "$(rows mean.h5.less 0) $(rows mean.h5.less 32)" = "0.00 $(awk "BEGIN { printf \"%.2f\", 1 / $k - 1 }")" ] ||
    die "half less mean: $(rows mean.h5.less 0) $(rows mean.h5.less 32)"
done
