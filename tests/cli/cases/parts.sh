# What ghz info says of the bytes of files: all of them, and what the second reader counts.
# SPDX-License-Identifier: BSD-3-Clause
. "$HELPERS"
have python3 || skip "no python3"
levels='0 1 2'
"$GHZ" --version | grep -q '^built with:.* zstd' || levels='0 2'
[ "$levels" = '0 2' ] || have zstd || skip "no zstd"
{ "$TOOL" npy '(20, 40, 64)' f32 && "$TOOL" make wave 51200 f32; } >bricks.npy
{ "$TOOL" npy '(96, 160)' f64 && "$TOOL" make wave 15360 f64 3; } >planes.npy
"$TOOL" make wave 20000 f32 7 >flat.f32
"$TOOL" make special 20000 f32 >special.f32
"$TOOL" make noise 20000 f32 >raw.f32
head -c 40000 /dev/zero | LC_ALL=C sed 's/\x00\x00\x00\x00/\x33\x93\x88\x43/g' >one.f32 # 273.15 alone
ok "$GHZ" compress --abs 1e-3 bricks.npy special.f32 flat.f32
ok "$GHZ" compress --rel 1e-9 planes.npy # low planes, and tiles as they are
ok "$GHZ" compress --abs 1e-30 raw.f32
ok "$GHZ" compress --abs 0.01 one.f32
for name in bricks.npy planes.npy flat.f32 special.f32 raw.f32 one.f32; do
  for level in $levels; do
    if [ $level = 0 ]; then cp $name.ghz packed.ghz; else ok "$GHZ" pack -$level $name.ghz -f -o packed.ghz; fi
    ok "$GHZ" info --json packed.ghz >says
    PYTHONDONTWRITEBYTECODE=1 python3 "$SOURCE/tests/cli/parts.py" packed.ghz <says || die "$name, level $level: $(cat says)"
  done
done
# The table has both, and of a file that is not packed one column.
ok "$GHZ" pack -2 bricks.npy.ghz -f -o packed.ghz
ok "$GHZ" info -v packed.ghz >out
grep -q '^  what the bytes are for: unpacked, and packed$' out || die "$(cat out)"
grep -qE '^    widths of C +[0-9.]+ (B|KiB) +[0-9.]+ % +[0-9.]+ (B|KiB) +[0-9.]+ %$' out || die "$(cat out)"
grep -qE '^    frequencies +0 B +0.0 % +[0-9.]+ (B|KiB) +[0-9.]+ %$' out || die "$(cat out)"
ok "$GHZ" info -v bricks.npy.ghz >out
grep -qE '^    widths of C +[0-9.]+ (B|KiB) +[0-9.]+ %$' out && ! grep -q frequencies out || die "$(cat out)"
