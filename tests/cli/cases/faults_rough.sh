# Reads and writes that are short or interrupted, each time, do not show in the result. Those that move nothing are errors,
# not endless loops.
. "$HELPERS"
. "$(dirname "$HELPERS")/faults.sh"
each_command shorts files
each_command rough files
each_command zero files
