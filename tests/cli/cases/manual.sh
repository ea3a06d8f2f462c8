# The manual page is clean, and names every option that --help names, and no other.
# SPDX-License-Identifier: BSD-3-Clause
. "$HELPERS"
page=$SOURCE/docs/ghz.1
[ -r "$page" ] || die "no docs/ghz.1"
if have groff; then
  groff -man -Tutf8 -ww -z "$page" 2>"$SCRATCH/warnings"
  [ ! -s "$SCRATCH/warnings" ] || die "$(cat "$SCRATCH/warnings")"
fi
for verb in compress decompress add sub scale mean minmax info stats diff test compare tune pack unpack h5args; do
  "$GHZ" $verb --help | sed -n '/^Options:/,/^$/p'
done | grep -o -e '--[a-z-]*' | sort -u >in_help
sed 's/\\-/-/g' "$page" | grep -o -e '--[a-z][a-z-]*' | grep -v -x -e --version -e --complete | sort -u >in_page
cmp in_help in_page || die "options differ: $(diff in_help in_page)"
for verb in compress decompress add sub scale mean minmax info stats diff test compare tune pack unpack h5args; do
  grep -q "ghz $verb" "$page" || die "$verb is not in the page"
done
