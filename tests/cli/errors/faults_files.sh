# Every call on a file, a folder or a pipe fails once, in every verb: the message names the file and
# the reason, no unfinished file stays, and what was there survives.
# SPDX-License-Identifier: BSD-3-Clause
. "$HELPERS"
. "$(dirname "$HELPERS")/faults.sh"
each_command fail files
# Interrupted and short calls do not show in the result.
each_command rough files
# Calls that move nothing are errors, not endless loops: a device that takes nothing, a file that
# lost its end.
kind=zero calls=write
strike -- compress --abs 1e-3 a.f32 -o new.ghz
strike -- decompress a.ghz -c
strike -i a.f32 -- compress --psnr 60 --type f32
calls=pread
strike -- compress --rel 1e-4 a.f32 -c
strike -- decompress -f a.ghz -o old.f32
strike -- scale 2 a.ghz -o new.ghz
strike -- test a.ghz
# Other reasons than those that faults.c chooses. Where the reader goes away, only the exit code
# tells.
kind=fail
enospc=28 eio=5 epipe=32 emfile=24
calls='write'
strike -e $epipe -- compress --abs 1e-3 --frame-values 16384 a.f32 -c
strike -e $epipe -- decompress a.ghz -c
strike -e $epipe -i a.ghz -- add - b.ghz
strike -e $eio -- compress --abs 1e-3 a.f32 -o new.ghz
calls=fflush
strike -e $epipe -t -- info a.ghz
strike -e $epipe -t -- compare a.f32 a.ghz
calls=close
strike -e $enospc -- decompress a.ghz -o new.f32
strike -e $enospc -- scale 2 a.ghz -c
fails 1 'standard output: No space left on device' \
  env LD_PRELOAD="$FAULTS" GHZ_FAULT=close:2:2:fail:$enospc "$GHZ" info a.ghz
calls=mkstemp
strike -e $enospc -i a.f32 -- compress --rel 1e-3 --type f32 -
# Hundreds of files are closed and opened again.
many=()
for ((i = 0; i < 201; i++)); do many+=(a.ghz); done
fails 1 'a.ghz: Too many open files' \
  env LD_PRELOAD="$FAULTS" GHZ_FAULT=open:300:300:fail:$emfile "$GHZ" add "${many[@]}" -o new.ghz
for count in 30 201; do
  ok bash -c 'ulimit -n 20; "$GHZ" add -f "$@" -o new.ghz' ghz "${many[@]:0:count}"
done
# The file that is replaced is there until the new one is on the disk.
calls=fsync
strike -e $eio -- pack a.ghz
fails 1 'a.ghz: Input/output error' env LD_PRELOAD="$FAULTS" GHZ_FAULT=fsync:1:1:fail:$eio "$GHZ" pack a.ghz
