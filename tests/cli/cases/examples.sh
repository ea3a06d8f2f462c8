# Every example that --help and the manual page show is a real command.
. "$HELPERS"
have jq && have zcat || skip "the examples use jq and zcat"
prepare() {
  "$TOOL" make wave 262144 f32 >wave.f32
  cp wave.f32 other.f32
  gzip -k wave.f32
  { "$TOOL" npy '(100, 100)' f32; "$TOOL" make wave 10000 f32; } >density.npy
  for name in a b c; do "$TOOL" make wave 1000 f64 $RANDOM >$name.f64; done
  "$GHZ" compress -q --abs 1e-3 a.f64 -o a.ghz
  "$GHZ" compress -q --abs 1e-3 b.f64 -o b.ghz
  "$GHZ" compress -q --abs 1e-3 c.f64 -o c.ghz
  cp a.ghz after.ghz && cp b.ghz before.ghz && cp a.ghz day-1.ghz && cp b.ghz day-2.ghz
  "$GHZ" compress -q --abs 1e-3 wave.f32 -o run-1.f32.ghz
  cp run-1.f32.ghz run-2.f32.ghz
  "$GHZ" compress -q --abs 1e-3 density.npy -o density.ghz
  cp density.npy d.npy
}
examples() {
  for verb in compress decompress add sub scale mean minmax info test compare bench; do
    "$GHZ" $verb --help | sed -n '/^Examples:/,$p' | sed -n 's/^  //p'
  done
  # In the page, examples stand between .EX and .EE; "\-" is a minus, "\e" a backslash.
  sed -n '/^\.EX/,/^\.EE/p' "$SOURCE/docs/ghz.1" | grep -v '^\.' | sed 's/\\-/-/g; s/\\e/\\/g; s/\\(aq/'"'"'/g'
}
PATH=$(dirname "$GHZ"):$PATH
mkdir ready && (cd ready && prepare)
examples >"$SCRATCH/examples"
[ "$(wc -l <"$SCRATCH/examples")" -ge 25 ] || die "too few examples: $(cat "$SCRATCH/examples")"
while read -r line; do
  rm -rf try && cp -r ready try
  case $line in # what the example itself makes is not there before
  *compress*wave.f32.ghz*) [[ $line == *decompress* ]] && cp ready/run-1.f32.ghz try/wave.f32.ghz ;;
  *wave.f32.ghz*) cp ready/run-1.f32.ghz try/wave.f32.ghz ;;
  esac
  case $line in
  *"decompress wave.f32.ghz"*) rm try/wave.f32 ;;
  *"-o density.ghz"*) rm try/density.ghz ;;
  *"-o density.npy"*) rm try/density.npy ;;
  *" sum.ghz"*) [[ $line == *"-o sum.ghz"* ]] || cp ready/a.ghz try/sum.ghz ;;
  esac
  (cd try && bash -o pipefail -c "$line" </dev/null >out 2>err) || die "'$line': $(cat try/err)"
done <"$SCRATCH/examples"
