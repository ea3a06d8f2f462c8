# __init__.py: owns the public names of the package.
# SPDX-License-Identifier: BSD-3-Clause
"""Error-bounded compression of NumPy arrays, and arithmetic on the compressed form.

import ghz
a = ghz.compress(x, rel=1e-4)
b = ghz.compress(y, like=a)
values = (a + b).decompress()
"""

import importlib
from typing import Any

from ._call import get_threads, set_threads, threads
from ._errors import (
    ArgumentError,
    BusyError,
    CorruptError,
    Error,
    FileError,
    MismatchError,
    OutOfMemoryError,
    RangeError,
    UnsupportedError,
    VersionError,
)
from ._features import __version__, features
from ._file import File, open
from ._functions import compress, difference, linear, maximum, mean, minimum, sum, update
from ._hdf5 import Hdf5, hdf5, register
from ._lattice import Lattice, lattice
from ._numbers import Comparison, Estimate, Summary
from ._quality import Quality, compare
from ._save import append, save
from ._stream import Info, Stream

__all__ = [
    "ArgumentError",
    "BusyError",
    "Comparison",
    "CorruptError",
    "Error",
    "Estimate",
    "File",
    "FileError",
    "Hdf5",
    "Info",
    "Lattice",
    "MismatchError",
    "OutOfMemoryError",
    "Quality",
    "RangeError",
    "Stream",
    "Summary",
    "UnsupportedError",
    "VersionError",
    "__version__",
    "append",
    "compare",
    "compress",
    "difference",
    "features",
    "get_threads",
    "hdf5",
    "lattice",
    "linear",
    "maximum",
    "mean",
    "minimum",
    "open",
    "save",
    "set_threads",
    "sum",
    "threads",
    "update",
]

register()
del register


def __getattr__(name: str) -> Any:
    """Imports what needs other packages when it is first named."""
    if name in ("dask", "numcodecs", "torch", "xarray", "zarr"):
        return importlib.import_module(f"ghz.{name}")
    raise AttributeError(f"module 'ghz' has no attribute {name!r}")
