# Killed at every call on a file: one unfinished file may stay, with a name that says what it is, and nothing else is harmed.
. "$HELPERS"
. "$(dirname "$HELPERS")/faults.sh"
each_command kill files
# The next run is not in its way.
echo rest >.ghz-aBc123
ok "$GHZ" compress -f --abs 1e-3 a.f32 -o old.ghz
ok "$GHZ" test old.ghz
