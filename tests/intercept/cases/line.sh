# Other libraries in line: a tool before this one and after it; programs that go round both.
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash source-path=SCRIPTDIR/.. source=helpers.sh
. "$HERE/helpers.sh"
run=("$MEDLEY" once out.bin)
bound=(GHZ_MPI_BOUND=abs:1e-3 GHZ_MPI_MODE=homomorphic)
taken "${bound[@]}" "${run[@]}"
mv out.bin alone.bin
compressed=$(figure calls all compressed)
[ "$compressed" -gt 0 ] || die "nothing is compressed"
for line in "$TOOL:$LIBRARY" "$LIBRARY:$TOOL"; do
  preload=${LOAD_FIRST:+$LOAD_FIRST:}$line
  taken "${bound[@]}" "${run[@]}" 2>log
  calls all compressed "$compressed"
  once 'tool: '
  cmp alone.bin out.bin || die "other results with $line"
done
# The tool that comes first sees all, and what the library takes is called once.
preload=${LOAD_FIRST:+$LOAD_FIRST:}$TOOL:$LIBRARY
taken "${bound[@]}" "${run[@]}" 2>log
! grep -q '^tool: 0 allreduces' log || die "the tool sees no allreduce"

# MPI that a program opened for itself: said once. Shells and tools that have nothing to do with MPI
# are silent, whatever a script has exported.
preload=${LOAD_FIRST:+$LOAD_FIRST:}$LIBRARY
taken "${bound[@]}" "$OPENED" 2>log
once 'MPI_Init was not seen'
taken "$OPENED" >log 2>&1
env LD_PRELOAD="$preload" "${bound[@]}" bash -c 'ls / >/dev/null; exit 0' >>log 2>&1
[ ! -s log ] || { cat log >&2 && die "something is said where nothing is asked for"; }
