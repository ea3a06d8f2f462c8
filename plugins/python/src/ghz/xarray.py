# xarray.py: owns what xarray has of ghz: the engine for .ghz files, and da.ghz, chunks that stay
# compressed.
# SPDX-License-Identifier: BSD-3-Clause
"""The engine "ghz" of xarray, which reads .ghz files lazily, and the accessor `ghz` of DataArrays.

ds = xarray.open_dataset("pressure.ghz")       # engine="ghz" for files of other names

import ghz.xarray
members = ds.tas.chunk(member=1).ghz.compress(abs=0.01)
anomalies = members.ghz.subtract(members.ghz.mean("member")).ghz.decompress()
"""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import numpy as np
import xarray
from xarray.backends import BackendArray, BackendEntrypoint, CachingFileManager
from xarray.core import indexing

from ._errors import ArgumentError
from ._file import File

VALUES = (".npy", ".f32", ".f64", ".d64")  # the other part of names such as pressure.f32.ghz


class _LazyArray(BackendArray):
    """A file, of which an index reads what it needs. xarray closes those that were not read for long,
    and opens them again."""

    def __init__(self, files: CachingFileManager[File]) -> None:
        file = files.acquire()
        self.files = files
        self.shape = file.shape
        self.dtype = file.dtype

    def __getitem__(self, key: indexing.ExplicitIndexer) -> Any:
        basic = indexing.IndexingSupport.BASIC
        return indexing.explicit_indexing_adapter(key, self.shape, basic, self._read)

    def _read(self, key: tuple[Any, ...]) -> Any:
        return np.asarray(self.files.acquire()[key])


class GhzBackendEntrypoint(BackendEntrypoint):
    """Opens .ghz files: xarray.open_dataset(path, engine="ghz")."""

    description = "Open compressed arrays in .ghz files"
    open_dataset_parameters = (
        "filename_or_obj",
        "drop_variables",
        "mask_and_scale",
        "name",
        "dims",
    )

    def guess_can_open(self, filename_or_obj: Any) -> bool:
        return isinstance(filename_or_obj, (str, os.PathLike)) and os.fspath(
            filename_or_obj
        ).endswith(".ghz")

    def open_dataset(
        self,
        filename_or_obj: Any,
        *,
        drop_variables: str | Iterable[str] | None = None,
        mask_and_scale: bool = True,
        name: str | None = None,
        dims: Sequence[str] | None = None,
    ) -> xarray.Dataset:
        """Opens a file, of which values are read and decompressed when they are needed.

        Args:
            filename_or_obj: The path of the file.
            drop_variables: The names of variables to leave out.
            mask_and_scale: The file's fill value becomes NaN.
            name: Of the only variable; else that of the file, without its extensions.
            dims: The names of the dimensions; else dim_0, dim_1 and so on.

        Returns:
            A Dataset of one variable. Its `encoding` has the bound of the file, and the chunks that
            chunks={} takes: what the file reads together.

        Raises:
            ValueError: dims= of another length than the shape.
            FileNotFoundError, CorruptError, VersionError, FileError: As ghz.open.
        """
        files = CachingFileManager(File, os.path.abspath(filename_or_obj))
        file = files.acquire()
        names = tuple(dims) if dims else tuple(f"dim_{i}" for i in range(len(file.shape)))
        if len(names) != len(file.shape):
            files.close()
            raise ValueError(f"dims={names}: {file.path} has shape {file.shape}")
        name = name or _stem(file.path)
        fill = file.lattice.fill_value
        attributes = {} if fill is None else {"_FillValue": file.dtype.type(fill)}
        data = indexing.LazilyIndexedArray(_LazyArray(files))
        variable = xarray.Variable(names, data, attributes, _encoding(file, names))
        dropped = [drop_variables] if isinstance(drop_variables, str) else drop_variables or ()
        dataset = xarray.Dataset({} if name in dropped else {name: variable})
        if mask_and_scale:
            dataset = xarray.decode_cf(dataset, decode_times=False)
        dataset.set_close(files.close)
        return dataset


def _stem(path: str | os.PathLike[str]) -> str:
    stem = os.path.basename(os.fspath(path)).removesuffix(".ghz")
    for extension in VALUES:
        stem = stem.removesuffix(extension)
    return stem


def _encoding(file: File, names: tuple[str, ...]) -> dict[str, Any]:
    chunks = dict(zip(names, file.shape))
    if names and file.frames > 1:
        slowest = 0 if file.order == "C" else -1
        planes = -(-file.shape[slowest] // file.frames)
        chunks[names[slowest]] = max(1, planes)
    return {"bound": file.bound, "preferred_chunks": chunks}


@xarray.register_dataarray_accessor("ghz")
class GhzAccessor:
    """DataArrays of Dask whose chunks are compressed, and stay so: da.ghz."""

    def __init__(self, array: xarray.DataArray) -> None:
        self._array = array

    def _chunks(self) -> Any:
        if self._array.chunks is None:
            raise ArgumentError("no chunks: take .chunk() first, which makes an array of Dask")
        return self._array.data

    def compress(self, **bound: Any) -> xarray.DataArray:
        """Compresses every chunk.

        Args:
            bound: abs=, or like=; and fill_value=: as ghz.dask.compress.

        Returns:
            The array, whose chunks are streams.
        """
        return self._with(_dask().compress(self._chunks(), **bound))

    def decompress(self) -> xarray.DataArray:
        """Returns the array with its chunks decompressed."""
        return self._with(_dask().decompress(self._chunks()))

    def sum(self, dim: Hashable) -> xarray.DataArray:
        """Adds chunks along a dimension, without decompressing them.

        Args:
            dim: The chunks have extent 1 along it.

        Returns:
            An array without the dimension, whose chunks are streams.
        """
        return self._without(dim, _dask().sum)

    def mean(self, dim: Hashable) -> xarray.DataArray:
        """Averages chunks along a dimension, without decompressing them: as sum."""
        return self._without(dim, _dask().mean)

    def subtract(self, other: xarray.DataArray) -> xarray.DataArray:
        """Subtracts chunk by chunk, without decompressing: members less their mean.

        Args:
            other: Chunks of streams, too; with the same dimensions, or without some, along which
                the chunks of this array have extent 1.

        Returns:
            An array of this one's coordinates, whose chunks are streams.

        Raises:
            ValueError: Coordinates that differ, or another order of dimensions.
        """
        one, two = xarray.align(self._array, other, join="exact", copy=False)
        if [dim for dim in one.dims if dim in two.dims] != list(two.dims):
            raise ArgumentError(f"dimensions {two.dims} are not some of {one.dims} in their order")
        chunks = GhzAccessor(one)._chunks(), GhzAccessor(two)._chunks()
        return self._with(_dask().subtract_along(chunks[0], one.dims, chunks[1], two.dims))

    def _with(self, data: Any) -> xarray.DataArray:
        return self._array.copy(data=data)

    def _without(self, dim: Hashable, reduce: Any) -> xarray.DataArray:
        data = reduce(self._chunks(), self._array.get_axis_num(dim))
        first = self._array.isel({dim: 0}, drop=True)
        return first.copy(data=data)


def _dask() -> Any:
    """Returns ghz.dask, which files do without."""
    from . import dask

    return dask
