# Ended by a signal just before or just after every call on a file: no unfinished file stays.
# SPDX-License-Identifier: BSD-3-Clause
. "$HELPERS"
. "$(dirname "$HELPERS")/faults.sh"
each_command term files
each_command late files
