# Standard output: -c of every verb that writes a file, and of several files.
# SPDX-License-Identifier: BSD-3-Clause
. "$HELPERS"
"$TOOL" make wave 3000 f32 >a.f32
ok "$GHZ" compress -q --abs 1e-3 a.f32
ok "$GHZ" compress -q --abs 1e-3 a.f32 --pack -o packed.ghz
ok "$GHZ" decompress -q a.f32.ghz -o back.f32
# -c writes what -o would, and no file.
before=$(state)
writes() { # WANT COMMAND...
  local want=$1
  shift
  "$@" 2>"$SCRATCH/stderr" | cmp - "$want" || die "$*: $(cat "$SCRATCH/stderr")"
  [ ! -s "$SCRATCH/stderr" ] || die "$*: $(cat "$SCRATCH/stderr")"
}
writes a.f32.ghz "$GHZ" compress -c --abs 1e-3 a.f32
writes back.f32 "$GHZ" decompress a.f32.ghz --stdout
writes packed.ghz "$GHZ" compress -c --pack --abs 1e-3 a.f32
writes packed.ghz "$GHZ" pack -c a.f32.ghz
writes a.f32.ghz "$GHZ" unpack -c packed.ghz
writes a.f32.ghz "$GHZ" scale -c 1 a.f32.ghz
writes a.f32.ghz "$GHZ" mean -c a.f32.ghz
writes a.f32.ghz "$GHZ" add a.f32.ghz -c
[ "$(state)" = "$before" ] || die "files changed"
cat back.f32 back.f32 >twice.f32
writes twice.f32 "$GHZ" decompress -c a.f32.ghz packed.ghz
fails 2 '-c takes one input file, 2 were given' "$GHZ" compress --abs 1 -c a.f32 a.f32
