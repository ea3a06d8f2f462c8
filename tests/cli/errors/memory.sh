# Files larger than memory stream through in bounded memory.
# SPDX-License-Identifier: BSD-3-Clause
. "$HELPERS"
truncate -s 1M small.f32
tight() { (ulimit -v 60000 2>/dev/null && "$@"); } # less than a frame of 64 MiB
! tight "$GHZ" --version >/dev/null 2>&1 || ok tight "$GHZ" compress -T 1 --abs 1e-3 small.f32
truncate -s 1G zero.f32
limit() { (ulimit -v 800000 2>/dev/null && "$@"); }
limit "$GHZ" --version >/dev/null 2>&1 || skip "the address space cannot be limited here (a sanitizer?)"
ok limit "$GHZ" compress -T 2 --abs 1e-3 zero.f32
ok limit "$GHZ" test -T 2 zero.f32.ghz
for dims in 256x1024x1024 16384x16384; do
  ok limit "$GHZ" compress -T 2 --abs 1e-3 --dims $dims zero.f32 -f -o shaped.ghz
  limit "$GHZ" decompress -T 2 shaped.ghz -c | cmp - zero.f32 || die "not the same zeros in $dims"
done
ok limit "$GHZ" add -T 2 zero.f32.ghz zero.f32.ghz zero.f32.ghz -o sum.ghz
"$GHZ" decompress -T 2 zero.f32.ghz -c | cmp - zero.f32 || die "not the same zeros"
