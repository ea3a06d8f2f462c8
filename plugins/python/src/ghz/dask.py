# dask.py: owns Dask arrays whose chunks are streams, through sums, means and differences.
# SPDX-License-Identifier: BSD-3-Clause
"""Dask arrays whose chunks stay compressed: they are streams until decompress(), or until Dask puts
the chunks of a result together.

    import ghz.dask
    members = ghz.dask.compress(array, abs=0.01)   # chunks of extent 1 along the first axis
    mean = ghz.dask.mean(members, axis=0)
    anomalies = ghz.dask.subtract(members, mean)
    values = ghz.dask.decompress(anomalies)

Dask's own + and -, and * and / by numbers, keep such chunks compressed as well; all else that it
does to a chunk decompresses it. persist() holds them compressed in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import dask.array as da
import numpy as np
from dask.sizeof import sizeof

from . import _functions
from ._arrays import dtype_of
from ._errors import ArgumentError
from ._file import File, Path
from ._lattice import Lattice
from ._stream import Stream

__all__ = ["compress", "decompress", "mean", "open", "subtract", "sum"]

sizeof.register(Stream, lambda stream: stream.nbytes)


def _meta(ndim: int, dtype: Any) -> np.ndarray[Any, Any]:
    """Returns what Dask takes the chunks for, so that it does not ask by trying."""
    return np.empty((0,) * ndim, dtype)


def compress(
    array: da.Array,
    *,
    abs: float | None = None,
    like: Stream | Lattice | File | None = None,
    fill_value: float | None = None,
) -> da.Array:
    """Compresses the chunks of an array on one lattice, so that they can be added.

    Args:
        array: float32 or float64.
        abs: The largest error of a value, in the units of the data.
        like: In its place: a stream, file or lattice whose bound the chunks take.
        fill_value: The number that stands for missing values.

    Returns:
        A Dask array of the same shape and chunks, each of them a ghz.Stream.

    Raises:
        ArgumentError: Neither abs nor like, or both.
        TypeError: Another dtype.
    """
    if (abs is None) == (like is None):
        raise ArgumentError("give abs= or like=: a bound that is the same for every chunk")
    dtype = dtype_of(array.dtype)
    work = partial(_functions.compress, abs=abs, like=like, fill_value=fill_value)
    return da.map_blocks(work, array, dtype=dtype, meta=_meta(array.ndim, dtype))


def open(files: Sequence[Path | File]) -> da.Array:
    """Makes an array of .ghz files of one shape, along a new first axis. Each file is a chunk, read
    when it is needed, and not decompressed.

    Args:
        files: Files or their paths, one at least.

    Returns:
        A Dask array of shape (number of files, *shape of a file).

    Raises:
        ArgumentError: There is none; they differ in shape or dtype; one has several streams, which
            do not make one chunk: such files are averaged by ghz.mean(files, out=path).
        FileNotFoundError: There is no such file.
        CorruptError: It is no .ghz file.
    """
    every = list(files)
    if not every:
        raise ArgumentError("no file to open")
    first = _opened(every[0])
    for file in map(_opened, every):  # one open at a time, as a process may have few
        if (file.shape, file.dtype) != (first.shape, first.dtype):
            raise ArgumentError(
                f"{file.path}: {file.dtype}, shape {file.shape}; {first.path} is {first.dtype}, "
                f"shape {first.shape}"
            )
        if file.frames != 1:
            raise ArgumentError(
                f"{file.path}: has {file.frames} streams, and one is a chunk; ghz.mean(files, out=)"
            )
    numbers = da.from_array(np.arange(len(every)), chunks=1)
    new = range(1, len(first.shape) + 1)
    return da.map_blocks(
        partial(_read, every),
        numbers,
        new_axis=list(new),
        chunks=((1,) * len(every), *((extent,) for extent in first.shape)),
        dtype=first.dtype,
        meta=_meta(len(first.shape) + 1, first.dtype),
    )


def _opened(file: Path | File) -> File:
    return file if isinstance(file, File) else File(file)


def _read(files: list[Path | File], number: Any) -> Stream:
    (stream,) = _opened(files[int(number[0])]).streams()
    return _with_shape(stream, (1, *stream.shape))


def _with_shape(stream: Any, shape: tuple[int, ...]) -> Stream:
    """Returns a stream with axes of extent 1 more or less."""
    if not isinstance(stream, Stream):
        kind = type(stream).__name__
        raise TypeError(f"a chunk is {kind}, no stream: take ghz.dask.compress first")
    if stream.shape == shape:
        return stream
    if [extent for extent in stream.shape if extent != 1] != [e for e in shape if e != 1]:
        raise ArgumentError(f"a chunk of shape {stream.shape} does not go with one of {shape}")
    return Stream.from_bytes(bytes(stream), shape, stream.order)


def sum(array: da.Array, axis: int) -> da.Array:
    """Adds the chunks of an array along an axis, without decompressing them.

    Args:
        array: Its chunks are streams, of extent 1 along the axis.
        axis: Negative ones count from the last.

    Returns:
        A Dask array without the axis, whose chunks are streams. Its bound is the sum of theirs.

    Raises:
        ArgumentError: Chunks of another extent along the axis.
        IndexError: No such axis.
    """
    return _reduce(_functions.sum, array, axis)


def mean(array: da.Array, axis: int) -> da.Array:
    """Averages the chunks of an array along an axis, without decompressing them: as sum, which has
    the arguments and errors. The bound is the mean of those of the chunks."""
    return _reduce(_functions.mean, array, axis)


def _reduce(combine: Callable[[Any], Stream], array: da.Array, axis: int) -> da.Array:
    axis = range(array.ndim)[axis]
    if set(array.chunks[axis]) != {1}:
        raise ArgumentError(
            f"chunks of extents {array.chunks[axis]} along axis {axis}; they must be 1, before "
            f"ghz.dask.compress: array.rechunk({{{axis}: 1}})"
        )
    every = tuple(range(array.ndim))
    kept = every[:axis] + every[axis + 1 :]
    return da.blockwise(
        partial(_combined, combine, axis), kept, array, every, concatenate=False,
        dtype=array.dtype, meta=_meta(len(kept), array.dtype),
    )  # fmt: skip


def _combined(combine: Callable[[Any], Stream], axis: int, chunks: list[Any]) -> Stream:
    streams = [_with_shape(c, c.shape[:axis] + c.shape[axis + 1 :]) for c in chunks]
    return combine(streams)


def subtract(a: da.Array, b: da.Array) -> da.Array:
    """Subtracts chunk by chunk, without decompressing: members less their mean.

    Args:
        a: Its chunks are streams.
        b: Too; of a's shape and chunks, or without some of a's first axes, along which the chunks of
            a then have extent 1.

    Returns:
        A Dask array of the shape of a, whose chunks are streams. Its bound is the sum of theirs.

    Raises:
        ArgumentError: Shapes or chunks that do not go together.
        MismatchError: When it is computed: streams that do not add.
    """
    every = tuple(range(a.ndim))
    return subtract_along(a, every, b, every[a.ndim - b.ndim :])


def subtract_along(a: da.Array, axes: Sequence[Any], b: da.Array, some: Sequence[Any]) -> da.Array:
    """Subtracts arrays whose axes have names: those of b are some of a's, in their order."""
    there = {name: array_chunks for name, array_chunks in zip(axes, a.chunks)}
    for name, chunks in zip(some, b.chunks):
        if there.get(name) != chunks:
            raise ArgumentError(f"axis {name}: chunks {there.get(name)} and {chunks} differ")
    for name, chunks in there.items():
        if name not in some and set(chunks) != {1}:
            raise ArgumentError(f"axis {name}: chunks {chunks} must be 1, as the other has none")
    return da.blockwise(
        _difference, tuple(axes), a, tuple(axes), b, tuple(some), dtype=a.dtype,
        align_arrays=False, meta=_meta(a.ndim, a.dtype),
    )  # fmt: skip


def _difference(one: Any, two: Any) -> Stream:
    return _with_shape(one, one.shape) - _with_shape(two, one.shape)


def decompress(array: da.Array) -> da.Array:
    """Decompresses the chunks of an array.

    Args:
        array: Its chunks are streams.

    Returns:
        A Dask array of the same shape and chunks, each of them a NumPy array.
    """
    meta = _meta(array.ndim, array.dtype)
    return da.map_blocks(np.asarray, array, dtype=array.dtype, meta=meta)
