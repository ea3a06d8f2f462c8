# Threads that cannot be made, and memory for them: the OpenMP runtime then ends the program, and
# speaks for itself.
# SPDX-License-Identifier: BSD-3-Clause
. "$HELPERS"
. "$(dirname "$HELPERS")/faults.sh"
ldd "$GHZ" | grep -q libgomp || skip "another OpenMP runtime than GCC's"
"$TOOL" make wave 200000 f32 >a.f32
"$GHZ" compress -q -f --abs 1e-3 --frame-values 147456 a.f32 -o a.ghz
each_parallel() {
  kind=$1 calls=$2
  strike -w libgomp: -- compress -f -T 3 --rel 1e-3 --frame-values 147456 a.f32 -o old.ghz
  strike -w libgomp: -- compress -T 2 --abs 1e-3 --frame-values 147456 a.f32 -c
  strike -w libgomp: -- decompress -T 2 a.ghz -o new.f32
  strike -w libgomp: -i a.ghz -- add -T 2 a.ghz - -o new.ghz
  strike -w libgomp: -t -- minmax -T 2 a.ghz
}
each_parallel fail threads
[ -n "${NO_FAULTS_OF_MEMORY:-}" ] || each_parallel fail memory
each_parallel term threads
