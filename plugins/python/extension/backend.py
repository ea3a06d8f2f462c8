# backend.py: owns the build backend: scikit-build-core's, whose sdist also has libghz's sources.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import pathlib
import shutil
from typing import Any

from scikit_build_core import build

# The other hooks of PEP 517 and 660.
build_editable = build.build_editable
build_wheel = build.build_wheel
get_requires_for_build_editable = build.get_requires_for_build_editable
get_requires_for_build_sdist = build.get_requires_for_build_sdist
get_requires_for_build_wheel = build.get_requires_for_build_wheel
prepare_metadata_for_build_wheel = build.prepare_metadata_for_build_wheel

_HERE = pathlib.Path(__file__).parent.parent
_CLONE = _HERE.parent.parent
_COPY = _HERE / "libghz"
# What the build of libghz reads, without its GPU kernels, collectives, command and tests.
_SOURCES = (
    "CMakeLists.txt",
    "LICENSE",
    "README.md",
    "ghz",
    "collectives/mpi.cmake",
    "docs/man.awk",
    "docs/manual.cmake",
    "plugins/hdf5",
)


def build_sdist(sdist_directory: str, config_settings: dict[str, Any] | None = None) -> str:
    """Builds the sdist; made from a clone, it is given a copy of libghz."""
    if not (_CLONE / "ghz" / "include" / "ghz" / "ghz.h").exists():  # made from an sdist
        return str(build.build_sdist(sdist_directory, config_settings))
    try:
        for name in _SOURCES:
            source, copy = _CLONE / name, _COPY / name
            copy.parent.mkdir(parents=True, exist_ok=True)
            if source.is_dir():
                shutil.copytree(source, copy)
            else:
                shutil.copy2(source, copy)
        return str(build.build_sdist(sdist_directory, config_settings))
    finally:
        shutil.rmtree(_COPY, ignore_errors=True)
