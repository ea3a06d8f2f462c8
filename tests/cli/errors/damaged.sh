# Damaged files, those of other kinds, and those made to harm: every verb refuses them in one line,
# and writes nothing. (All else that may be wrong with a file, through test, info and decompress:
# tests/format/check_files.py.)
# SPDX-License-Identifier: BSD-3-Clause
. "$HELPERS"
"$TOOL" make wave 40000 f32 >a.f32
ok "$GHZ" compress --abs 0.3 --frame-values 16384 a.f32 -o good.ghz
size=$(stat -c %s good.ghz)
"$TOOL" make noise 5000 f32 >other.ghz
head -c 3 /dev/zero >short.ghz
printf 'GHZF\4\0\0\0' >head.ghz
{ printf 'GHZF\4\0\377\0'; head -c 400 /dev/zero; } >dims.ghz
head -c $((size / 2)) good.ghz >half.ghz
head -c $((size - 20)) good.ghz >index.ghz
cp good.ghz flip.ghz && "$TOOL" flip flip.ghz 8000
{ head -c 56 good.ghz; printf '\377\377\377\377\377\377\377\17'; tail -c +65 good.ghz; } >length.ghz
for verb in test info minmax stats 'decompress -o x.f32' 'add good.ghz -o x.ghz' 'sub -o x.ghz' 'mean -o x.ghz' 'scale 2 -o x.ghz' \
  'pack -o x.ghz' unpack 'minmax --min -o x.ghz' 'diff good.ghz' 'compare a.f32'; do
  while IFS=: read -r name why; do
    operands=$name.ghz
    [[ $verb != sub* ]] || operands="$name.ghz good.ghz"
    # shellcheck disable=SC2086 # words
    fails 1 "$name.ghz: $why" "$GHZ" $verb $operands
  done <<'EOF'
other:not a .ghz file
short:not a .ghz file
head:truncated
dims:damaged
half:
index:
flip:
length:
EOF
done
# The end of a pipe is known when it comes. An impossible length of a frame is refused before memory
# is asked for.
for name in half index flip; do
  fails 1 'standard input: ' bash -c '"$GHZ" decompress -o x.f32 < <(cat '$name'.ghz)'
done
# What a pipe brings behind its frames must fit them: an end and an index of theirs.
for n in 1000 2000; do head -c $((4 * n)) a.f32 | ok "$GHZ" compress --type f32 --abs 0.3 >$n.ghz; done
{ head -c -148 1000.ghz; tail -c 148 2000.ghz | head -c 24; tail -c 124 1000.ghz; } >end.ghz
fails 1 'standard input: damaged: holds 1000 values where 2000 are announced' bash -c 'cat end.ghz | "$GHZ" test'
{ head -c -124 1000.ghz; tail -c 124 2000.ghz; } >index.ghz
fails 1 'standard input: damaged: the index does not fit the frames' bash -c 'cat index.ghz | "$GHZ" test'
export LIMIT=:
(ulimit -v 1000000 && "$GHZ" --version) >/dev/null 2>&1 && LIMIT='ulimit -v 1000000' # a sanitizer needs more
fails 1 'standard input: damaged: frame 0: an impossible length' bash -c '$LIMIT; cat length.ghz | "$GHZ" test -T 1'
# Bytes after the end may be of an append that was not finished, and are refused from a pipe alone.
{ cat good.ghz; printf x; } >long.ghz
ok "$GHZ" test long.ghz
grep -q 'long.ghz: 1 B behind its end' "$SCRATCH/stderr" || die "says nothing of the byte behind the end"
ok "$GHZ" decompress long.ghz -o long.f32 && ok "$GHZ" decompress good.ghz -o good.f32
same long.f32 good.f32
fails 1 'standard input: more bytes follow the end' bash -c 'cat long.ghz | "$GHZ" test'
