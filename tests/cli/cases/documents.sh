# The commands of every document work, from top to bottom in one folder: lines of ghz, ghz-fields
# and cat that are indented by four spaces.
# SPDX-License-Identifier: BSD-3-Clause
. "$HELPERS"
elsewhere=' HDF5 PYTHON ZARR ' # tests/hdf5 and plugins/python/tests run the commands of these
PATH=$(dirname "$GHZ"):${FIELDS:+$(dirname "$FIELDS"):}$PATH
commands() { sed -n 's/^    \(\(ghz\|ghz-fields\|cat\) .*\)/\1/p' "$1"; }
"$TOOL" make wave 4096 f32 >probe.f32
# inputs NAME: the files that the commands of NAME.md begin with.
inputs() {
  case $1 in
  CHOOSING_A_BOUND) have ghz-fields ;; # which makes its field
  FAQ) for name in a b c; do { "$TOOL" npy '(64, 64)' f32; "$TOOL" make wave 4096 f32; } >$name.npy; done
    { "$TOOL" npy '(2, 3, 40, 50)' f32; "$TOOL" make wave 12000 f32; } >four.npy ;;
  README) "$TOOL" make wave 4096 f32 >pressure.f32
    for name in a b; do { "$TOOL" npy '(64, 64)' f32; "$TOOL" make wave 4096 f32; } >$name.npy; done ;;
  esac
}
pictures=1
"$GHZ" compare --png probe.png --dims 64x64 probe.f32 probe.f32 >probe 2>&1 || pictures=0

# run NAME: each of the commands that it reads, in the folder NAME.
run() {
  local line
  while read -r line; do
    [[ $pictures = 1 || $line != *--png* ]] || { echo "skipped, as there is no libpng: $line" && continue; }
    (cd "$1" && bash -o pipefail -c "$line" </dev/null >"$SCRATCH/out" 2>"$SCRATCH/err") ||
      die "$1.md: '$line': $(cat "$SCRATCH/err")"
  done
}

for document in "$SOURCE"/README.md "$SOURCE"/docs/*.md; do
  name=$(basename "$document" .md)
  commands "$document" >list
  [[ -s list && $elsewhere != *" $name "* ]] || continue
  mkdir "$name"
  (cd "$name" && inputs "$name") || continue
  run "$name" <list
  tested="${tested:-} $name"
done
for name in README CHOOSING_A_BOUND FAQ; do
  [[ " $tested " = *" $name "* ]] || skip "of $name.md nothing was run"
done
"$SOURCE"/bench/tables.sh --check >&2 || die "a document has other tables than its command prints"
for figures in "$SOURCE"/bench/*.csv; do # have columns by different names
  [ -z "$(grep -v '^#' "$figures" | head -n 1 | tr , '\n' | sort | uniq -d)" ] || die "$figures: two columns of one name"
done
for peer in SZ3 SPERR zfp; do # is said in the same words wherever it is compared
  sentence=$(grep -F "* **[$peer](" "$SOURCE/README.md") || die "the README says nothing of $peer"
  for document in FAQ PERFORMANCE; do
    grep -qxF -- "$sentence" "$SOURCE/docs/$document.md" || die "$document.md says something else of $peer: $sentence"
  done
done

cd README && [ -s sum.ghz ] && [ -s mean.ghz ] && [ -s back.f32 ] || die "a result of the README is missing"
