# Every allocation fails, once and from then on.
# SPDX-License-Identifier: BSD-3-Clause
. "$HELPERS"
. "$(dirname "$HELPERS")/faults.sh"
[ -z "${NO_FAULTS_OF_MEMORY:-}" ] || skip "a sanitizer keeps memory for itself"
each_command fail memory
each_command gone memory
