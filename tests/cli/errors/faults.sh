# Every call on a file and every allocation of the command's own ways in and out fails once, or a
# signal comes: the message names the file and the reason, no unfinished file stays, and what was
# there survives. (The library's: test_files_made and test_files_appended.)
# SPDX-License-Identifier: BSD-3-Clause
. "$HELPERS"
[ -n "${SWEEP:-}" ] && [ -n "${FAULTS:-}" ] || skip "no library of faults"
export TMPDIR=$SCRATCH/temporary
mkdir "$TMPDIR"
# A sanitizer wants to be the first library, but can be the second; what it finds must not look like
# an error of ghz.
export OMP_WAIT_POLICY=passive ASAN_OPTIONS=verify_asan_link_order=0:exitcode=99
faulty() { # PLAN COMMAND...
  env LD_PRELOAD="$FAULTS" GHZ_FAULT="$1" "${@:2}"
}
faulty '' "$GHZ" --version >/dev/null 2>"$SCRATCH/err" && [ ! -s "$SCRATCH/err" ] ||
  skip "the library of faults cannot be preloaded: $(head -c 300 "$SCRATCH/err")"

# Three frames of float32; u.ghz does not say in its header how many values follow.
"$TOOL" make wave 40000 f32 >a.f32
{ "$TOOL" npy '(200, 200)' f32 && cat a.f32; } >n.npy
ok "$GHZ" compress --abs 1e-3 --frame-values 16384 a.f32 -o a.ghz
cat a.f32 | ok "$GHZ" compress --abs 1e-3 --frame-values 16384 --type f32 -o u.ghz
echo linked >linked.ghz
ln -s linked.ghz link
cp n.npy old.f32 && cp n.npy old.png
pictures=
! "$GHZ" --version | grep -q 'built with.*libpng' || pictures='-t GHZ compare -f n.npy a.ghz --png old.png'

# sweep KIND CALLS: through each way
sweep() {
  while read -r words; do
    # shellcheck disable=SC2086 # words
    [ -z "$words" ] || "$SWEEP" ${words%%GHZ*} "$1" "$2" "$GHZ" ${words#*GHZ} || die "see above"
  done <<E
GHZ compress -f --abs 1e-3 --frame-values 16384 a.f32 -o link
GHZ compress --rel 1e-3 --frame-values 16384 n.npy -o new.ghz
-i a.f32 GHZ compress --psnr 60 --frame-values 16384 --type f32
-i u.ghz GHZ decompress - -o new.npy
GHZ decompress -f a.ghz -o old.f32
GHZ decompress --range 20000:10 a.ghz -o new.f32
GHZ add a.ghz a.ghz -c
GHZ pack a.ghz
-t GHZ info --json u.ghz
$pictures
E
}
sweep fail files
rm -f "$TMPDIR"/* # without means to remove it
sweep rough files # interrupted and short calls do not show in the result
sweep term files
sweep late files # before the next call, but where a file is made and its name is not yet noted
if [ -z "${NO_FAULTS_OF_MEMORY:-}" ]; then # a sanitizer keeps memory for itself
  sweep fail memory
  sweep gone memory
fi
[ -z "$(ls -A "$TMPDIR")" ] || die "$(ls -A "$TMPDIR") stays in TMPDIR"
# Calls that move nothing are errors, not endless loops: a device that takes nothing, a file that
# lost its end.
"$SWEEP" zero write "$GHZ" compress --abs 1e-3 a.f32 -o new.ghz || die "see above"
"$SWEEP" -i a.f32 zero write "$GHZ" compress --psnr 60 --type f32 || die "see above"
"$SWEEP" zero pread "$GHZ" compress --rel 1e-4 a.f32 -c || die "see above"
"$SWEEP" zero pread "$GHZ" decompress -f a.ghz -o old.f32 || die "see above"
# Other reasons than those that faults.c chooses: what is told at the close, after all writes; and
# the file that is replaced is there until the new one is on the disk.
enospc=28 eio=5
fails 1 'standard output: No space left on device' faulty close:2:2:fail:$enospc "$GHZ" info a.ghz
fails 1 'a.ghz: Input/output error' faulty fsync:1:1:fail:$eio "$GHZ" pack a.ghz
# The OpenMP runtime ends the program, and speaks for itself.
if ldd "$GHZ" | grep -q libgomp; then
  "$TOOL" make wave 200000 f32 >a.f32
  before=$(state)
  ! GHZ_FAULT_NAMED=1 faulty pthread_create:1:1:fail "$GHZ" compress -f -T 3 --abs 1e-3 a.f32 -o link 2>/dev/null || die "no thread, no error"
  [ "$(state)" = "$before" ] || die "files changed where there is no thread"
fi
