#!/usr/bin/env bash
# field_picture.sh: draws docs/images/field.png, the picture of the README: a section through a
# sound wave in the earth, the same compressed and decompressed, and the error.
# usage: scripts/field_picture.sh [BUILD]
#   BUILD  a build with ghz and ghz-fields; by default build-demo, of scripts/demo.sh
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail

cd "$(dirname "$0")/.."
build=${1:-build-demo}
dims=160x160x160
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

mkdir -p docs/images
"$build/data/ghz-fields" --quiet --size "${dims%%x*}" --only wave-middle "$work"
"$build/cli/ghz" compress -q --rel 1e-3 --dims "$dims" "$work/wave-middle.f32"
"$build/cli/ghz" compare -f "$work/wave-middle.f32" "$work/wave-middle.f32.ghz" --png docs/images/field.png
