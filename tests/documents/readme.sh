#!/usr/bin/env bash
# readme.sh: compiles and runs the first C of docs/C.md. usage: readme.sh C.md include/ libghz.a CC
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

block() {
  sed -n '/^```c$/,/^```$/p' "$1" | awk '/^```c$/ { n++; next } /^```$/ { next } n == 1'
}

{
  printf '#include <ghz/ghz.h>\n#include <math.h>\n#include <stdio.h>\n#include <stdlib.h>\nint main(void) {\n'
  printf '  enum { n = 100000 };\n  static float x[n], y[n], z[n];\n'
  printf '  for (int i = 0; i < n; i++) { x[i] = sinf((float)i * 0.01f); y[i] = cosf((float)i * 0.02f); }\n'
  block "$1"
  printf '  free(a), free(b), free(s);\n  double worst = 0;\n  for (int i = 0; i < n; i++)\n'
  printf '    worst = fmax(worst, fabs((double)z[i] - ((double)x[i] + (double)y[i])));\n'
  printf '  printf("worst error %%g\\n", worst);\n  return worst > 0 && worst <= 2e-3 ? 0 : 1;\n}\n'
} >"$dir/readme.c"
grep -q ghz_sum_alloc "$dir/readme.c" || { echo "$1 has no C" >&2; exit 1; }
"$4" -std=c17 -Wall -Wextra -Wno-misleading-indentation -Werror -I "$2" "$dir/readme.c" "$3" -fopenmp -lm -o "$dir/readme"
"$dir/readme"
