#!/usr/bin/env bash
# changed.sh: what counts as changed: everything in a fresh clone, whatever its last commit did, and
# where the commit that passed is not in its history; else what differs from that commit. A working
# tree passes for its commit only if it is no other.
# usage: changed.sh SCRIPTS
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
# shellcheck source=scripts/changed.sh
. "$1/changed.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
unset GHZ_BASE
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null

commit() { # file: made or changed; prints the commit
  echo "$RANDOM" >>"$1"
  git add "$1"
  git -c user.name=t -c user.email=t@t commit -qm "$1"
  git rev-parse HEAD
}
expect() { # what file...
  [ "$(changed_files | tr '\n' ' ')" = "${*:2} " ] || { echo "FAILED: $1: $(changed_files | tr '\n' ' ')" >&2 && exit 1; }
}

git init -q -b main .
echo 'build*' >.git/info/exclude
first=$(commit library.c)
commit document.md >/dev/null
expect "a fresh clone" document.md library.c
git branch -q other
[ "$(clean_commit)" = "$(git rev-parse HEAD)" ]
echo >new.c
[ -z "$(clean_commit)" ] # passes with a file that the commit lacks
mkdir build-test
git rev-parse HEAD >"$passed_commit"
commit test.c >/dev/null
expect "what passed one commit ago" new.c test.c
GHZ_BASE=$first expect "another base" document.md new.c test.c
git checkout -q other
commit plugin.py >"$passed_commit"
git checkout -q main
expect "what passed is on another branch" document.md library.c new.c test.c
GHZ_BASE=none expect "no such base" document.md library.c new.c test.c
has_changed '^library' && ! has_changed '^nothing'
