# changed.sh: to be sourced: knows which files a change has touched. What it is compared with is
# $GHZ_BASE, or where this branch left main; on main itself the commit before. Where git knows none
# of these, every file counts as changed.
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash

change_base() { # prints a commit, or nothing
  local main base
  ! git rev-parse -q --verify "${GHZ_BASE:-}^{commit}" 2>/dev/null || return 0
  for main in origin/main main; do
    base=$(git merge-base HEAD "$main" 2>/dev/null) || continue
    if [ "$base" != "$(git rev-parse HEAD)" ] || [ -n "$(git status --porcelain)" ]; then
      echo "$base" && return
    fi
  done
  git rev-parse -q --verify HEAD~1 || true
}

changed_files() { # of the working tree against the base, new and removed ones too
  local base
  base=$(change_base 2>/dev/null)
  if [ -n "$base" ]; then
    git diff --name-only --no-renames "$base" -- && git ls-files --others --exclude-standard
  else
    find . -type f -not -path './build*' -not -path './.git/*' | sed 's|^\./||'
  fi | LC_ALL=C sort -u
}

has_changed() { # extended-regular-expression of a path
  changed_files | grep -E "$1" >/dev/null
}
