# _hdf5.py: owns the HDF5 filter of this package: where it is found, and what h5py passes to it.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import contextlib
import ctypes
import importlib
import math
import os
import pathlib
import re
import struct
import sys
from collections.abc import Iterator, Mapping
from typing import Any

from ._errors import ArgumentError

# plugins/hdf5/parameters.h has these.
FILTER = 479
_VERSION, _FILL_GIVEN = 1, 256
_ABS, _REL, _STEP = 0, 1, 3

_FOLDER = str(pathlib.Path(__file__).parent / "hdf5_plugin")
_DEFAULT = "/usr/local/hdf5/lib/plugin"  # where HDF5 looks if nobody says where
_LIBRARY = re.compile(r"/libhdf5(_serial|_openmpi|_mpich)?[-.][^/]*$")  # not libhdf5_hl


class Hdf5(Mapping[str, Any]):
    """How h5py and xarray compress a dataset with libghz. Give one of abs, rel, step and
    lossless.

        file.create_dataset("tas", data=x, chunks=(1, 90, 120), compression=ghz.Hdf5(abs=1e-3))
        dataset.to_netcdf("tas.nc", engine="h5netcdf", encoding={"tas": {**ghz.Hdf5(abs=1e-3)}})

    It is a filter as those of h5py and hdf5plugin are, and a mapping with the keys compression and
    compression_opts. Two are equal if they compress alike.

    Args:
        abs: The largest error of a value, in the units of the data. Such chunks can be added.
        rel: The same as a fraction of the range of each chunk. Such chunks cannot be added.
        step: The quantum of data that are multiples of one. Nothing is changed, and sums are exact.
        lossless: True for integers of 8, 16 and 32 bits, as packed variables are: step=1.
        fill_value: What stands for missing values, if it is not the dataset's own fillvalue.

    Raises:
        ArgumentError: Not one of them; one that is not finite or not greater than 0; a fill value
            that is infinite.
    """

    filter_id = FILTER
    filter_options: tuple[int, ...]

    def __init__(
        self,
        *,
        abs: float | None = None,
        rel: float | None = None,
        step: float | None = None,
        lossless: bool = False,
        fill_value: float | None = None,
    ) -> None:
        steps = [step] * (step is not None) + [1.0] * bool(lossless)
        given = [(_ABS, abs)] * (abs is not None) + [(_REL, rel)] * (rel is not None)
        self.filter_options = _options(given + [(_STEP, s) for s in steps], fill_value)
        _announce(type(self))

    @property
    def _kwargs(self) -> dict[str, Any]:
        return {"compression": self.filter_id, "compression_opts": self.filter_options}

    def __getitem__(self, key: str) -> Any:
        return self._kwargs[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._kwargs)

    def __len__(self) -> int:
        return len(self._kwargs)

    def __hash__(self) -> int:
        return hash((self.filter_id, self.filter_options))

    def __repr__(self) -> str:
        return f"<ghz.Hdf5: filter {self.filter_id}, {self.filter_options}>"


hdf5 = Hdf5  # its name before it was a class


def _announce(filter: type) -> None:
    """Has h5py take such objects as filters. Its own base class is abstract, so that others can be
    registered with it, and ghz needs no h5py to be imported."""
    with contextlib.suppress(ImportError, AttributeError):
        importlib.import_module("h5py").filters.FilterRefBase.register(filter)


def _options(given: list[tuple[int, Any]], fill_value: float | None) -> tuple[int, ...]:
    """Returns the numbers that the filter is given."""
    if len(given) != 1:
        raise ArgumentError("give one of abs=, rel=, step=, lossless=")
    kind, bound = given[0][0], float(given[0][1])
    if not (math.isfinite(bound) and bound > 0):
        raise ArgumentError(f"the bound {bound} is not a positive, finite number")
    if fill_value is None or math.isnan(fill_value):
        return (_VERSION, kind, *struct.unpack("<2I", struct.pack("<d", bound)))
    if not math.isfinite(fill_value):
        raise ArgumentError("infinities are kept without fill_value=")
    words = struct.unpack("<4I", struct.pack("<2d", bound, fill_value))
    return (_VERSION, kind | _FILL_GIVEN, *words)


def register() -> None:
    """Lets every HDF5 of this process find the filter, and those of its children.

    A libhdf5 that is loaded later reads the environment; one that is loaded already is given the path. There
    may be several: the wheels of h5py and netCDF4 each have their own.
    """
    given = os.environ.get("HDF5_PLUGIN_PATH", "")
    if given == "::":  # HDF5 is to load no filter
        return
    if all(map(_has_filter, filter(None, given.split(os.pathsep)))):  # nobody named other folders
        _append(_DEFAULT)
        sys.meta_path.insert(0, _Netcdf4())
    _append(_FOLDER)
    for path in _loaded():
        tell = getattr(ctypes.CDLL(path), "H5PLappend", None)
        if tell:
            tell(os.fsencode(_FOLDER))


def _has_filter(folder: str) -> bool:
    return any(pathlib.Path(folder).glob("libghz_hdf5*"))


def _append(folder: str) -> None:
    folders = os.environ.get("HDF5_PLUGIN_PATH", "")
    if folder not in folders.split(os.pathsep):
        os.environ["HDF5_PLUGIN_PATH"] = os.pathsep.join(filter(None, [folders, folder]))


class _Netcdf4:
    """Names the folder of netCDF4's own filters when netCDF4 is loaded, and not before: it does so
    itself only if the variable is not set, and filters of others would lose to these."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> None:
        folder = os.path.join(path[0], "plugins") if name == "netCDF4._netCDF4" else ""
        if os.path.isdir(folder):
            _append(folder)


def _loaded() -> list[str]:
    """The files of the HDF5 libraries of this process, where Linux tells them."""
    try:
        maps = pathlib.Path("/proc/self/maps").read_text(errors="surrogateescape")
    except OSError:
        return []
    paths = {line.split(maxsplit=5)[5] for line in maps.splitlines() if "libhdf5" in line}
    return sorted(path for path in paths if _LIBRARY.search(path))
