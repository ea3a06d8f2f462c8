# The shells complete every verb, and every option that the verb takes, and nothing else.
# SPDX-License-Identifier: BSD-3-Clause
. "$HELPERS"
fails 2 "--completion 'fish': must be bash or zsh" "$GHZ" --completion fish
fails 2 "--completion '': must be bash or zsh" "$GHZ" --completion
ok "$GHZ" --completion bash >script
bash -n script || die "no bash"
. ./script
compopt() { :; } # which works in a shell that completes alone

# completed WORD...: what bash offers for the last word, one a line.
completed() {
  COMP_WORDS=(ghz "$@") COMP_CWORD=$#
  _ghz
  [ ${#COMPREPLY[@]} = 0 ] || printf '%s\n' "${COMPREPLY[@]}"
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
says '' info --re
says 'f32 f64 ' compress --type ''
says 'f64 ' compress --type f6
says '' compress --rel -
says '' add -o -
says '' frobnicate -

ok "$GHZ" --completion zsh >_ghz
[ "$(head -n 1 _ghz)" = '#compdef ghz' ] || die "$(head -n 1 _ghz)"
while read -r verb; do
  grep -q "^ *'$verb:" _ghz || die "zsh: $verb"
  sed -n "/^  (\(.*|\)\?$verb\(|.*\)\?)/,/;;/p" _ghz | grep -o -e '--[a-z0-9][a-z0-9-]*[]=}[]' | tr -d ']=}[' | sort -u >offered
  completed $verb -- | sort -u >wanted
  cmp wanted offered || die "zsh: options of $verb differ: $(diff wanted offered)"
done <verbs
have zsh || exit 0
zsh -n _ghz || die "no zsh"
zsh -f -c 'fpath=($PWD $fpath); autoload -Uz compinit && compinit -u -D && [[ $_comps[ghz] = _ghz ]]' || die "zsh does not take it"
