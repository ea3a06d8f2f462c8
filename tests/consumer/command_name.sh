#!/usr/bin/env bash
# command_name.sh: builds and installs the command under another name, as packagers do where its own
# is taken, and without OpenMP, and looks at what is installed, and at what it calls itself.
# usage: tests/consumer/command_name.sh SOURCES
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck source=tests/consumer/installed.sh
. "${0%/*}/installed.sh"
sources=$build
name=ghz-fields-of # none that another file has

configure() { # name; the flags are those of scripts/test.sh, so that ccache has most objects
  cmake -S "$sources" -B "$work/build" -DGHZ_COMMAND_NAME="$1" -DGHZ_WERROR=ON -DGHZ_TESTS=OFF -DGHZ_BENCH=OFF -DGHZ_EXAMPLES=OFF \
    -DGHZ_CUDA=OFF -DGHZ_MPI=OFF -DGHZ_OPENMP=OFF -DBUILD_SHARED_LIBS=OFF -DCMAKE_BUILD_TYPE=Release
}

if configure 'bin/ghz' >"$work/log" 2>&1 || ! grep -q "which is no name for a command" "$work/log"; then
  fail "a path is taken for a name"
fi
quietly configure "$name"
quietly cmake --build "$work/build" -j 2
quietly cmake --install "$work/build" --prefix "$work/installed"

cd "$work/installed"
for file in "bin/$name" "share/man/man1/$name.1" "share/bash-completion/completions/$name" "share/zsh/site-functions/_$name"; do
  [ -s "$file" ] || fail "$file is not installed"
done
[ ! -e bin/ghz ] && [ ! -e share/man/man1/ghz.1 ] || fail "ghz is installed, too"

"bin/$name" --help >"$work/help"
"bin/$name" compress --help >>"$work/help"
grep -q "^Usage: $name compress" "$work/help" || fail "the help does not know the name"
grep -q "^  $name compress --rel 1e-4 wave.f32" "$work/help" || fail "the examples do not know the name"
! grep -E '(^|[ (])ghz ([a-z-])' "$work/help" || fail "the help above says ghz"
! "bin/$name" frobnicate 2>"$work/said" || fail "an unknown verb is taken"
grep -q "^$name: unknown verb" "$work/said" || fail "messages do not know the name: $(cat "$work/said")"
grep -q "^complete -o default -C '$name --complete' $name\$" "share/bash-completion/completions/$name" || fail "bash"
[ "$(head -n 1 "share/zsh/site-functions/_$name")" = "#compdef $name" ] || fail "zsh"
! grep -nE '(^|[ (BIR])ghz( [a-z\\]|\\fR|$)' "share/man/man1/$name.1" || fail "the page above says ghz"
grep -q "^\\.TH ${name^^} 1" "share/man/man1/$name.1" || fail "the title of the page"
echo "ok: installed as $name"

# Without OpenMP: the bytes of a build with it, by one thread, whatever is asked for.
"bin/$name" --version | grep -qE "^built without: OpenMP(,|$)" || fail "the version does not name OpenMP"
"bin/$name" --version | grep -q "threads: 1\b" || fail "there are several threads: $("bin/$name" --version)"
! grep -rE 'gomp|OpenMP' lib*/ --include=*.pc --include=*.cmake || fail "the package needs OpenMP"
[ -z "$(nm -u "bin/$name" | grep -E ' (GOMP|omp|__kmpc)_')" ] || fail "the program calls OpenMP"
head -c 4000000 "bin/$name" >values
quietly "bin/$name" compress --threads 8 --type u16 --lossless -o a.ghz values
quietly "bin/$name" decompress --threads 8 -o back a.ghz
cmp values back || fail "other values come back"
echo "ok: without OpenMP"
