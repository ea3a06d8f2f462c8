# The manual page is clean, and names every verb and option that --help names, and no other; some
# case uses each.
# SPDX-License-Identifier: BSD-3-Clause
. "$HELPERS"
page=$SOURCE/docs/ghz.1
[ -r "$page" ] || die "no docs/ghz.1"
if have groff; then
  groff -man -Tutf8 -ww -z "$page" 2>"$SCRATCH/warnings"
  [ ! -s "$SCRATCH/warnings" ] || die "$(cat "$SCRATCH/warnings")"
fi
"$GHZ" --help | sed -n '/^Verbs:/,/^$/s/^  \([a-z0-9]*\).*/\1/p' >verbs
while read -r verb; do
  "$GHZ" "$verb" --help | sed -n '/^Options:/,/^$/p'
done <verbs | grep -o -e '^  [ -][a-zA-Z0-9 ][ ,] --[a-z-]*' | sort -u >options
grep -o -e '--[a-z-]*' options | sort -u >in_help
sed 's/\\-/-/g' "$page" | grep -o -e '--[a-z][a-z-]*' | grep -v -x -e --version -e --complete | sort -u >in_page
cmp in_help in_page || die "options differ: $(diff in_help in_page)"
for verb in $(cat verbs); do
  grep -q "ghz $verb" "$page" || die "$verb is not in the page"
  grep -rqE "(GHZ\"|ghz) $verb|verb in .*\b$verb\b" "$SOURCE/tests/cli" "$SOURCE/tests/hdf5" || die "no case uses $verb"
done
for option in $(grep '^ *--' options); do # one with a letter is used by that
  grep -rqE -e "$option\b" "$SOURCE/tests/cli" "$SOURCE/tests/hdf5" || die "no case uses $option"
done
