# Every allocation fails, once and from then on.
. "$HELPERS"
. "$(dirname "$HELPERS")/faults.sh"
[ -z "${NO_FAULTS_OF_MEMORY:-}" ] || skip "a sanitizer keeps memory for itself"
each_command fail memory
each_command gone memory
