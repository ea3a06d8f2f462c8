# faults.sh: owns the commands that faults are tried on: each verb, each way in and out. Sourced by
# the cases.
# SPDX-License-Identifier: BSD-3-Clause
[ -n "${SWEEP:-}" ] && [ -n "${FAULTS:-}" ] || skip "no library of faults"
export TMPDIR=$SCRATCH/temporary
mkdir "$TMPDIR"
# A sanitizer wants to be the first library, but can be the second; what it finds must not look like
# an error of ghz.
export OMP_WAIT_POLICY=passive ASAN_OPTIONS=verify_asan_link_order=0:exitcode=99
LD_PRELOAD=$FAULTS "$GHZ" --version >/dev/null 2>"$SCRATCH/err" && [ ! -s "$SCRATCH/err" ] ||
  skip "the library of faults cannot be preloaded: $(head -c 300 "$SCRATCH/err")"

# Three frames of float32; u.ghz does not say in its header how many values follow.
"$TOOL" make wave 40000 f32 >a.f32
"$TOOL" make special 40000 f32 >b.f32
{ "$TOOL" npy '(200, 200)' f32 && cat a.f32; } >n.npy
for name in a b; do
  ok "$GHZ" compress --abs 1e-3 --frame-values 16384 "$name.f32" -o "$name.ghz"
done
cat a.f32 | ok "$GHZ" compress --abs 1e-3 --frame-values 16384 --type f32 -o u.ghz
echo old >old.ghz
echo linked >linked.ghz
ln -s linked.ghz link
cp b.f32 old.f32
cp b.f32 old.png

# strike [OPTION of sweep...] -- WORD...: sweeps through `ghz WORD...`, by $kind and $calls.
strike() {
  local options=()
  while [ "$1" != -- ]; do
    options+=("$1")
    shift
  done
  shift
  "$SWEEP" "${options[@]}" "$kind" "$calls" "$GHZ" "$@" || die "see above"
}

# each_command KIND CALLS: sweeps through all of them.
each_command() {
  kind=$1 calls=$2
  rm -f "$TMPDIR"/*
  strike -- compress -f --abs 1e-3 --frame-values 16384 a.f32 -o old.ghz
  strike -- compress --abs 1e-3 --frame-values 16384 n.npy -o new.ghz
  strike -- compress --rel 1e-4 a.f32 -c
  strike -i a.f32 -- compress --abs 1e-3 --frame-values 16384 --type f32 - -o new.ghz
  strike -i a.f32 -- compress --psnr 60 --frame-values 16384 --type f32
  strike -m -- compress --abs 1e-3 a.f32 b.f32 n.npy
  strike -- compress -f --abs 1e-3 --frame-values 16384 a.f32 -o link
  strike -- decompress -f a.ghz -o old.f32
  strike -- decompress a.ghz -c
  strike -i u.ghz -- decompress - -o new.npy
  strike -- decompress --range 20000:10 a.ghz -o new.f32
  strike -i a.ghz -- decompress --range 20000:20000 -
  strike -- add -f a.ghz b.ghz a.ghz -o old.ghz
  strike -i u.ghz -- add - b.ghz -o new.ghz
  strike -- sub a.ghz b.ghz -o new.ghz
  strike -- scale -f -0.5 a.ghz -o old.ghz
  strike -i a.ghz -f -- scale 3
  strike -- mean a.ghz b.ghz -o new.ghz
  strike -- minmax -f --max a.ghz b.ghz -o old.ghz
  strike -t -- minmax a.ghz b.ghz
  strike -t -- info --json a.ghz u.ghz
  strike -t -i u.ghz -- info -v
  strike -- pack a.ghz # in its place
  strike -- unpack -f u.ghz -o old.ghz
  strike -- test a.ghz
  strike -t -- compare a.f32 a.ghz
  ! have_pictures || strike -t -m -- compare -f n.npy a.ghz --png old.png
  case $kind in
  fail) ;; # without means to remove it
  *) [ -z "$(ls -A "$TMPDIR")" ] || die "$(ls -A "$TMPDIR") stays in TMPDIR" ;;
  esac
}

# Whether this ghz draws.
have_pictures() {
  "$GHZ" compare n.npy a.ghz --png drawn.png >/dev/null 2>&1 && rm drawn.png
}
