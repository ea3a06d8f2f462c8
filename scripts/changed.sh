# changed.sh: to be sourced: knows which files differ from a commit that is known to be good:
# $GHZ_BASE, or without one the commit that test.sh passed on last. Where none is an ancestor, as in
# a fresh clone, every file counts as changed.
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash

passed_commit=build-test/passed # a file: test.sh writes it when all of its parts passed

clean_commit() { # prints the commit that the working tree is, or nothing if none is
  [ -n "$(git status --porcelain 2>&1)" ] || git rev-parse HEAD
}

change_base() { # prints a commit, or nothing
  local base
  base=$(git rev-parse -q --verify "${GHZ_BASE:-$(cat "$passed_commit" 2>/dev/null)}^{commit}" 2>/dev/null) || return 0
  ! git merge-base --is-ancestor "$base" HEAD || echo "$base"
}

changed_files() { # of the working tree against the base, new and removed ones too
  local base
  base=$(change_base)
  if [ -n "$base" ]; then
    git diff --name-only --no-renames "$base" -- && git ls-files --others --exclude-standard
  else
    find . -type f -not -path './build*' -not -path './.git/*' | sed 's|^\./||'
  fi | LC_ALL=C sort -u
}

has_changed() { # extended-regular-expression of a path
  changed_files | grep -E "$1" >/dev/null
}
