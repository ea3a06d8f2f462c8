# Many communicators, more than MPICH could give a second one to: programs run as they do without
# the library, and are compressed.
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash source-path=SCRIPTDIR/.. source=helpers.sh
. "$HERE/helpers.sh"
unset GHZ_MPI_CALLS
SECONDS_ALLOWED=250
# As many duplicates as 2000, of the 2048 communicators of MPICH. Few ranks: MPICH's spin while they
# wait.
for way in "2 kept 2000" "2 freed 3000" "3 pairs 300"; do
  read -ra words <<<"$way"
  RANKS=${words[0]}
  taken GHZ_MPI_BOUND=abs:1e-3 "$MANY" 1e-3 "${words[@]:1}" 2>log || { cat log >&2 && exit 1; }
  [ ! -s log ] || { cat log >&2 && die "something is said of $way"; }
  calls MPI_Allreduce compressed $((2 * words[2]))
done
