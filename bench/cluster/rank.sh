#!/bin/sh
# rank.sh: runs the program of one rank and notes its CPU time. usage: rank.sh FOLDER LIBRARIES
# PROGRAM...
# SPDX-License-Identifier: BSD-3-Clause
folder=$1
libraries=$2
shift 2
(
  [ -z "$libraries" ] || export LD_PRELOAD="$libraries"
  exec "$@"
)
status=$?
times >"$folder/cpu.$$"
exit $status
