#!/usr/bin/env bash
# expect_failure.sh: runs a command that has to end by itself, and to fail, after it said TEXT.
# usage: expect_failure.sh SECONDS TEXT COMMAND...
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
seconds=$1 text=$2
shift 2
status=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT
timeout --kill-after=5 "$seconds" "$@" >"$log" 2>&1 || status=$?
cat "$log"
if [ "$status" -eq 0 ]; then
  echo "FAILED: status 0" >&2
  exit 1
elif [ "$status" -ge 124 ] && [ "$status" -le 126 ]; then
  echo "FAILED: no end within $seconds s, or a watchdog had to end it (status $status)" >&2
  exit 1
elif ! grep -qF -e "$text" "$log"; then
  echo "FAILED: it did not say '$text'" >&2
  exit 1
fi
echo "ended with status $status: that is right"
