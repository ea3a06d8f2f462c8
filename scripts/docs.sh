#!/usr/bin/env bash
# docs.sh: builds the documents as a site with search, with the manual pages and the Python API, and
# fails if a link leads nowhere. What comes from PyPI is kept in build-docs/ from run to run.
# usage: scripts/docs.sh      then open build-docs/site/index.html
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
exec </dev/null
cd "$(dirname "$0")/.."
# shellcheck source=scripts/packages.sh
. scripts/packages.sh
# shellcheck disable=SC2154,SC2086 # a list of words
need_packages $python_packages mandoc
work=$PWD/build-docs
tools="mkdocs==1.6.1 mkdocstrings==1.0.8 mkdocstrings-python==2.0.11 pymdown-extensions==12.3 mdx-truly-sane-lists==1.3"
if [ "$(cat "$work/tools" 2>/dev/null)" != "$tools" ]; then
  echo "== Making $work/environment"
  /usr/bin/python3 -m venv --clear "$work/environment"
  # shellcheck disable=SC2086 # a list of words
  "$work/environment/bin/pip" install -q --disable-pip-version-check $tools
  echo "$tools" >"$work/tools"
fi

# targets FILE: the files that a document links to, from the top of the repository. Code holds no
# links.
targets() {
  # shellcheck disable=SC2016 # backquotes
  sed '/^```/,/^```/d; s/`[^`]*`//g' "$1" | { grep -o '\](\([^)#]*\)' || true; } | sed 's/^](//; /^$/d; /^[a-z]*:/d' |
    while read -r target; do
      realpath --relative-to . "$(dirname "$1")/$target"
    done
}

# The site is made of a copy: the documents, and of all other files those that they link to.
rm -rf "$work/pages" "$work/list"
mkdir "$work/pages"
for document in *.md $(find docs ghz data bench plugins packaging -name '*.md' -not -path '*/tests/*'); do
  echo "$document"
  targets "$document"
done | sort -u >"$work/list"
while read -r file; do
  [ ! -d "$file" ] || { echo "docs.sh: a document links to the folder $file: name a file" >&2 && exit 1; }
  [ ! -e "$file" ] || cp --parents -t "$work/pages" "$file" # mkdocs finds what is missing
done <"$work/list"

# page NAME TITLE: a page of the site, of a manual page on stdin.
page() {
  { echo "# $2" && mandoc -T html -O fragment | sed '/<table class="\(head\|foot\)">/,/<\/table>/d; /^<br\/>$/d; s/<\(\/\?\)h2/<\1h3/g; s/<\(\/\?\)h1/<\1h2/g'; } >"$work/pages/docs/$1.md"
}
manual() { # name "what it is" pkg-config's-name header...
  awk -v name="$1" -v about="$2" -v version=0 -v link="$3" -f docs/man.awk "${@:4}"
}
manual libghz "compress arrays of floats under an error bound, and compute on the compressed form" ghz \
  ghz/include/ghz/{ghz,context,numbers,quality,slice,file,cuda}.h | page C_API "C API"
manual ghz_mpi "MPI collectives that send compressed floats, and add them compressed" ghzmpi collectives/include/ghz/mpi.h | page MPI_API "MPI API"
page COMMAND "The command ghz" <docs/ghz.1

"$work/environment/bin/mkdocs" build --strict -f docs/mkdocs.yml >"$work/log" 2>&1 || { grep -E '^(WARNING|ERROR|[A-Z].*Error)' "$work/log" >&2 && exit 1; }
echo "docs.sh: $(find "$work/site" -name '*.html' | wc -l) pages in build-docs/site"
