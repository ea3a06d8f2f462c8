# Every link of the documents to a file of the project, or to a heading, leads somewhere.
# SPDX-License-Identifier: BSD-3-Clause
. "$HELPERS"
# The anchors that headings get: small letters, digits and hyphens.
anchors() {
  sed -n 's/^#\{1,6\} //p' "$1" | tr '[:upper:]' '[:lower:]' | sed 's/[^a-z0-9_ -]//g; s/ /-/g'
}
# links FILE: TARGET lines, without those of the web. Code between backquotes holds no links.
links() {
  sed '/^```/,/^```/d; s/`[^`]*`//g' "$1" | grep -o '\](\([^)]*\))' | sed 's/^](//; s/)$//' | grep -v '^[a-z]*:'
}
count=0
while read -r document; do
  for link in $(links "$document"); do
    file=${link%%#*} anchor=
    [[ $link != *"#"* ]] || anchor=${link#*#}
    target=$(dirname "$document")/$file
    [ -n "$file" ] || target=$document
    [ -e "$target" ] || die "$document: there is no $link"
    [ -z "$anchor" ] || anchors "$target" | grep -qxF -e "$anchor" || die "$document: no heading for $link"
    count=$((count + 1))
  done
done < <(cd "$SOURCE" && find "$PWD" -maxdepth 1 -name '*.md' && find "$PWD"/{docs,ghz,data,bench,plugins,packaging} -name '*.md' 2>/dev/null)
[ $count -ge 50 ] || die "only $count links were found"
