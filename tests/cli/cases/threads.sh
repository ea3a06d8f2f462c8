# The bytes do not depend on threads or instruction set.
# SPDX-License-Identifier: BSD-3-Clause
. "$HELPERS"
"$TOOL" make wave 200000 f32 >a.f32
ok "$GHZ" compress -T 1 --rel 1e-4 a.f32 -o 1.ghz
ok "$GHZ" compress -T 2 --rel 1e-4 a.f32 -o 2.ghz
ok "$GHZ" compress --threads=3 --rel 1e-4 a.f32 -o 3.ghz
same 1.ghz 2.ghz
same 1.ghz 3.ghz
ok env GHZ_ISA=scalar "$GHZ" compress --rel 1e-4 a.f32 -o scalar.ghz
same 1.ghz scalar.ghz
ok "$GHZ" add -T 1 1.ghz 2.ghz 3.ghz -o s1.ghz
ok "$GHZ" add -T 2 3.ghz 2.ghz 1.ghz -o s2.ghz
same s1.ghz s2.ghz
fails 1 "ghz: libghz: an instruction set that this machine or build does not have: GHZ_ISA is 'bogus', none of scalar" env GHZ_ISA=bogus "$GHZ" test 1.ghz
# What OpenMP reads as no threads, or less.
for number in 4294967296 4294967295; do
  [ "$(OMP_NUM_THREADS=$number "$GHZ" minmax 1.ghz)" = "$("$GHZ" minmax -T 1 1.ghz)" ] || die "another minimum with OMP_NUM_THREADS=$number"
done
