# Ended by a signal just before or just after every call on a file: no unfinished file stays.
. "$HELPERS"
. "$(dirname "$HELPERS")/faults.sh"
each_command term files
each_command late files
