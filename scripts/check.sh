#!/usr/bin/env bash
# check.sh: what to run before a commit: layout and comments of every file, clang-tidy on what was
# changed since $GHZ_BASE, or since this branch left main; a build without nvcc and benches in
# build-check, and its tests of the label quick. Ends with what each part took. scripts/test.sh runs
# everything.
# usage: scripts/check.sh [cmake-option...]     e.g. -DCMAKE_C_COMPILER=clang
# SPDX-License-Identifier: BSD-3-Clause
set -Eeuo pipefail
exec </dev/null

cd "$(dirname "$0")/.."
# shellcheck source=scripts/parts.sh
. scripts/parts.sh

GHZ_BASE=${GHZ_BASE:-$(git merge-base HEAD origin/main 2>/dev/null || git merge-base HEAD main 2>/dev/null || true)}
export GHZ_BASE
export GHZ_TEST_EFFORT=0.3
part "lint of what was changed" scripts/lint.sh --changed
part "build" build build-check -DCMAKE_BUILD_TYPE=Release -DGHZ_CUDA=OFF -DGHZ_BENCH=OFF "$@"
part "quick tests" run_tests build-check -L '^quick$'
end_of_parts "check.sh: nothing found"
