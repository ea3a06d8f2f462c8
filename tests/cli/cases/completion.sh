# The shells complete every verb, and every option that the verb takes, and nothing else.
# SPDX-License-Identifier: BSD-3-Clause
. "$HELPERS"
fails 2 '--complete is what shells ask' "$GHZ" --complete

# completed WORD...: what is offered for the last word, one a line.
completed() {
  local line="ghz $*"
  COMP_LINE="$line and more" COMP_POINT=${#line} "$GHZ" --complete ghz "${!#}" before
}

says() { # TEXT WORD...: that is all that is offered
  local text=$1
  shift
  [ "$(completed "$@" | tr '\n' ' ')" = "$text" ] || die "'$*' gives '$(completed "$@" | tr '\n' ' ')', not '$text'"
}

"$GHZ" --help | sed -n '/^Verbs:/,/^$/s/^  \([a-z0-9]*\)\(, \([a-z]*\)\)\? .*/\1 \3/p' | tr -s ' ' '\n' | sed '/^$/d' | sort >verbs
[ "$(wc -l <verbs)" -gt 14 ] || die "few verbs: $(cat verbs)"
{ cat verbs && printf '%s\n' help --help --version; } | sort >wanted
completed '' | sort >offered
cmp wanted offered || die "verbs differ: $(diff wanted offered)"
while read -r verb; do
  "$GHZ" $verb --help | sed -n '/^Options:/,/^$/p' | grep -o -e '^  [ -][a-zA-Z0-9 ][ ,] --[a-z0-9-]*' | grep -o -e '-[-a-zA-Z0-9]*' | sort >wanted
  completed $verb - | sort >offered
  cmp wanted offered || die "options of $verb differ: $(diff wanted offered)"
done <verbs
says 'compress ' compr
says 'decompress ' help dec
says '--rel ' compress --re
says '--rel ' compress a.f32 --re
says '' info --re
says 'f32 f64 ' compress --type ''
says 'f64 ' compress --type f6
says '--type=f32 --type=f64 ' compress --type=f
said=$(COMP_LINE="ghz compress --type=f3" COMP_POINT=22 "$GHZ" --complete ghz f3 =)
[ "$said" = f32 ] || die "bash, which replaces what is behind '=', is offered '$said'"
says '' compress --abs=1
says '--pack ' compress --pack
says '--pack ' compress --pack --pac
says '' compress --rel -
says '' add -o -
says '' add a
says '' frobnicate -
says '' "$(printf '%3000s' x)"
says '' "$(seq -s ' ' 1000)"
# shellcheck disable=SC2046 # words
says '--rel ' compress $(seq 1000) --re

# The files that are installed, in the shells.
folder=${GHZ%/*}/completion
if [ -d "$folder" ]; then
  PATH=${GHZ%/*}:$PATH
  export PATH
  bash -c '. "$1" && complete -p ghz' _ "$folder/bash" | grep -q -- "-C 'ghz --complete' ghz" || die "bash does not take it"
  have zsh || exit 0
  cp "$folder/zsh" _ghz
  zsh -f -c 'fpath=($PWD $fpath); autoload -Uz compinit && compinit -u -D && [[ $_comps[ghz] = _ghz ]]' || die "zsh does not take it"
  said=$(zsh -f -c 'autoload -Uz bashcompinit && bashcompinit; export COMP_LINE="ghz compress --typ" COMP_POINT=18; compgen -C "ghz --complete" -- --typ')
  [ "$said" = --type ] || die "zsh offers '$said'"
fi
