#!/usr/bin/env bash
# expect_failure.sh: runs a command that has to end by itself, and to fail. usage: expect_failure.sh SECONDS COMMAND...
set -euo pipefail
seconds=$1
shift
status=0
timeout --kill-after=5 "$seconds" "$@" || status=$?
if [ "$status" -eq 0 ]; then
  echo "FAILED: status 0" >&2
  exit 1
elif [ "$status" -ge 124 ] && [ "$status" -le 126 ]; then
  echo "FAILED: no end within $seconds s, or a watchdog had to end it (status $status)" >&2
  exit 1
fi
echo "ended with status $status: that is right"
