# Ended by a signal just before every call on a file: no unfinished file stays.
# SPDX-License-Identifier: BSD-3-Clause
. "$HELPERS"
. "$(dirname "$HELPERS")/faults.sh"
each_command term files
# Just after a call is just before the next one, but where a file is made and its name is not yet
# noted: so once for each way in which files are made.
kind=late calls=files
strike -- compress --abs 1e-3 --frame-values 16384 n.npy -o new.ghz
strike -- compress -f --abs 1e-3 --frame-values 16384 a.f32 -o link
strike -i a.f32 -- compress --psnr 60 --frame-values 16384 --type f32
strike -- decompress -f a.ghz -o old.f32
strike -- pack a.ghz # in its place
! have_pictures || strike -t -m -- compare -f n.npy a.ghz --png old.png
[ -z "$(ls -A "$TMPDIR")" ] || die "$(ls -A "$TMPDIR") stays in TMPDIR"
