# _functions.py: owns compression, and what is made of several streams or files.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import operator
import os
from collections.abc import Iterable
from itertools import islice
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from ._arrays import Values, library_shape, values_of
from ._call import call, produce
from ._compressed import Compressed
from ._errors import ArgumentError, MismatchError, RangeError
from ._file import File, Path
from ._ghz import ffi, lib
from ._lattice import Bound, Lattice, lattice_of
from ._notices import look_at_loss
from ._numbers import Comparison, comparison_of
from ._save import sum_files
from ._stream import Stream, combined, like_first, make

BATCH = 64  # operands of one pass over a sum


def compress(
    array: npt.ArrayLike,
    *,
    abs: float | None = None,
    rel: float | None = None,
    psnr: float | None = None,
    step: float | None = None,
    like: Stream | Lattice | File | None = None,
    fill_value: float | None = None,
    transform: bool = True,
) -> Stream:
    """Compresses an array under an error bound. Give one of abs, rel, psnr, step and like. Integers
    need none: they are compressed exactly.

        a = ghz.compress(x, rel=1e-4)
        b = ghz.compress(y, like=a)

    Args:
        array: float32, float64, int8 to int64 or uint8 to uint32, of any shape; what has gaps in memory is copied.
        abs: The largest error of a value, in the units of the data.
        rel: The same as a fraction of the range (max - min) of the finite values.
        psnr: The least peak signal-to-noise ratio of the result, in dB.
        step: The quantum of data that are multiples of one (packed data, numbers of two
            decimals): these come back exactly, and all other values are stored as they are.
        like: A stream, file or lattice whose bound this array takes, so that both can be added.
        fill_value: The number that stands for missing values. It comes back for them and for NaN,
            exactly, and is left out of range, bound and numbers.
        transform: False: no transform. minimum and maximum refuse streams that have one.

    Returns:
        A stream of the shape, dtype and order (C or Fortran) of the array. Every finite value that
        it decompresses to is within `bound` of the original.

    Warns:
        UserWarning: Once: the bound takes the data, most of which come back as 0; or there is a
            usual fill value (1e20, -9999) that fill_value does not name.

    Raises:
        TypeError: Another dtype or byte order, or a masked array; the message says what to do.
        ArgumentError: No bound or several; one that is NaN or not greater than 0.
        MismatchError: like= is of another dtype or fill value.
        RangeError: An int64 is above 2**44 in magnitude.
        OutOfMemoryError: There is no memory for the result.
    """
    values = values_of(array)
    lattice = lattice_of(values, Bound(abs, rel, psnr, step), like, fill_value)
    look_at_loss(lattice, values)
    return on_lattice(values, lattice, lib.GHZ_ORDER_BEST if transform else lib.GHZ_ORDER_LORENZO)


def on_lattice(values: Values, lattice: Any, order: int = lib.GHZ_ORDER_BEST) -> Stream:
    """Compresses values on a ghz_lattice * of their dtype, and says nothing of what is lost."""
    shape = library_shape(values.shape, values.order)
    capacity = lib.ghz_shape_bound(shape, lattice.type, 1)
    data = produce(capacity, lib.ghz_compress_shape, lattice, order, values.pointer, shape)
    return Stream._made(data, values.shape, values.order)


def update(
    old: Stream,
    array: npt.ArrayLike,
    *,
    abs: float | None = None,
    rel: float | None = None,
    psnr: float | None = None,
    like: Stream | Lattice | File | None = None,
) -> Stream:
    """Compresses an array again, of which `old` is the stream, after some of its values changed.

        x = a.decompress()
        x[3] = y
        a = ghz.update(a, x)

    Values that are what `old` decompresses to do not drift: after any number of updates none is
    further from what was last written there than twice the largest bound since. Without a bound
    the stream has the lattice of `old`, and adds to what `old` adds to.

    Args:
        old: A stream of one array, not a sum.
        array: An array of the shape and dtype of `old`.
        abs: A bound as of ghz.compress. The step is then that of `old` times a power of two, the
            largest that keeps this bound.
        rel: The same.
        psnr: The same.
        like: The same.

    Returns:
        A stream of the shape, dtype, order and fill value of `old`.

    Raises:
        TypeError: Another dtype or byte order, or a masked array.
        ArgumentError: Several bounds; one that is not greater than 0; `old` is a sum.
        MismatchError: The array, or like=, is of another shape, dtype or fill value than `old`.
        CorruptError: `old` is damaged.
        OutOfMemoryError: There is no memory for the result.
    """
    array = np.asanyarray(array, order=old.order)
    values = values_of(array)
    if array.shape != old.shape or array.dtype != old.dtype:
        raise MismatchError(
            f"{array.dtype} of {array.shape}, the stream is {old.dtype} of {old.shape}"
        )
    if abs is None and rel is None and psnr is None and like is None:
        like = old
    lattice = lattice_of(values, Bound(abs, rel, psnr, None), like, old.lattice.fill_value)
    look_at_loss(lattice, values)
    capacity = lib.ghz_shape_bound(library_shape(values.shape, values.order), lattice.type, 1)
    data = produce(capacity, lib.ghz_update, old._c[0], lattice, values.pointer)
    return Stream._made(data, old.shape, old.order)


@overload
def sum(streams: Iterable[Stream]) -> Stream: ...
@overload
def sum(streams: Iterable[Path | File], *, out: Path, pack: int | None = None) -> File: ...
def sum(
    streams: Iterable[Stream | Path | File], *, out: Path | None = None, pack: int | None = None
) -> Stream | File:
    """Adds streams, or files to a file, without decompressing them.

    Of an iterator of streams 64 are in memory at a time, of files a frame of each of 16.

    Args:
        streams: Streams; or, with out=, files or their paths. One at least, all of one dtype, shape
            and lattice.
        out: The path of the file that a sum of files becomes.
        pack: 1, by zstd, or 2, smaller: the level that file is packed at; None leaves it unpacked.

    Returns:
        A stream, or the opened file `out`, of the shape and dtype of the operands. Its bound is the
        sum of theirs. Its bytes do not depend on the order of the operands.

    Raises:
        MismatchError: They differ in dtype, shape, order, lattice or fill value.
        RangeError: More than 8388607 terms of float32, or 16383 of float64.
        ArgumentError: There is none.
        TypeError: One stream or path instead of several; something else than a stream.
        FileError: A file cannot be read or written; FileNotFoundError where there is none.
    """
    _check_several(streams)
    if out is not None:
        return sum_files(_paths(streams), out, 0, pack)
    rest = iter(streams)
    batch = list(islice(rest, BATCH))
    while True:
        if not batch:
            raise ArgumentError("no stream to add")
        total = _of_all(batch, lib.ghz_sum)
        more = list(islice(rest, BATCH - 1))
        if not more:
            return total
        batch = [total, *more]


@overload
def mean(streams: Iterable[Stream]) -> Stream: ...
@overload
def mean(streams: Iterable[Path | File], *, out: Path, pack: int | None = None) -> File: ...
def mean(
    streams: Iterable[Stream | Path | File], *, out: Path | None = None, pack: int | None = None
) -> Stream | File:
    """Averages streams, or files to a file, without decompressing them.

    Args:
        streams: As in sum; but all streams are in memory at a time.
        out: The path of the file that a mean of files becomes.
        pack: 1, by zstd, or 2, smaller: the level that file is packed at; None leaves it unpacked.

    Returns:
        A stream, or the opened file `out`, of the shape and dtype of the operands. Its bound is the
        mean of theirs.

    Raises:
        MismatchError: As in sum, which has the other errors, too.
    """
    _check_several(streams)
    if out is not None:
        paths = _paths(streams)
        return sum_files(paths, out, len(paths), pack)
    every = list(streams)
    if not every:
        raise ArgumentError("no stream to average")
    return _of_all(every, lib.ghz_mean)


def linear(streams: Iterable[Stream], weights: Iterable[int], divisor: int = 1) -> Stream:
    """Returns (weights[0] * streams[0] + weights[1] * streams[1] + ...) / divisor, exact in the
    integers, without decompressing anything.

        seasonal = ghz.linear([dec, jan, feb], [31, 31, 28], 90)
        anomaly = ghz.linear([x, ghz.mean(xs)], [1, -1])        # or x - ghz.mean(xs)

    The lattices are equal, or the finest of them is each other one divided by an integer, as that
    of a mean of k streams is.

    Args:
        streams: Streams of one dtype and shape; one at least. All are in memory at a time.
        weights: As many integers. For 0.1 and 0.25 give 2 and 5, and divisor=20.
        divisor: An integer from 1 on.

    Returns:
        A stream of that shape. Its bound is the sum of the operands' bounds, each times
        |weight|, / divisor.

    Raises:
        MismatchError: They differ in dtype, shape, order or fill value, or a step is no multiple of
            the finest one; the message says what can be had instead.
        TypeError: A weight or the divisor is no integer; something else than streams.
        RangeError: More terms than a stream can have; the message says how many. A weight beyond
            64 bits.
        ArgumentError: There is none; another number of weights; a divisor below 1.
    """
    _check_several(streams)
    every, factors = list(streams), [_integer(weight, "weight") for weight in weights]
    by = _integer(divisor, "divisor")
    if not every:
        raise ArgumentError("no stream to combine")
    _check_streams(every)
    if len(factors) != len(every):
        raise ArgumentError(f"{len(factors)} weights for {len(every)} streams")
    if not 1 <= by < 2**64:
        raise ArgumentError(f"divisor {by}: must be from 1 to 2**64 - 1")
    for weight in factors:
        if not -(2**63) <= weight < 2**63:
            raise RangeError(f"weight {weight} does not fit in 64 bits")
    return combined(every, factors, by)


def _integer(value: Any, what: str) -> int:
    try:
        return operator.index(value)
    except TypeError:
        advice = "multiply all weights by a common number, and give that as divisor="
        raise TypeError(f"{what} {value!r} is no integer: {advice}") from None


def _check_several(streams: object) -> None:
    """One stream or path would be taken apart, to rows or letters."""
    if isinstance(streams, (Compressed, str, bytes, os.PathLike)):
        kind = type(streams).__name__
        raise TypeError(f"give a list, not one {kind}; the numbers of one are its methods")


def _paths(files: Iterable[Any]) -> list[Path]:
    """Returns the paths of files, of which there is one at least."""
    paths = [file.path if isinstance(file, File) else file for file in files]
    if not paths:
        raise ArgumentError("no file to add")
    for path in paths:
        os.fspath(path)  # TypeError
    return paths


def _check_streams(streams: list[Any]) -> None:
    for stream in streams:
        if not isinstance(stream, Stream):
            kind = type(stream).__name__
            raise TypeError(f"streams are added, not {kind}; files to a file: out=path")


def _of_all(streams: list[Any], function: object) -> Stream:
    first = streams[0]
    _check_streams(streams)
    operands = [like_first(first, stream) for stream in streams]
    terms = 0
    for stream in streams:
        terms += stream._info.terms
    return make(first, terms, function, len(streams), ffi.new("ghz_bytes[]", operands))


def minimum(a: Stream, b: Stream) -> Stream:
    """Takes the smaller of each two values, without decompressing the streams.

    Args:
        a: A stream made with transform=False.
        b: Another one, of the same dtype, shape and lattice.

    Returns:
        A stream of that shape, with the larger of the two bounds.

    Raises:
        MismatchError: They differ in dtype, shape, order, lattice or fill value.
        ArgumentError: One of them has coefficients of the transform.
    """
    terms = max(a._info.terms, b._info.terms)
    return make(a, terms, lib.ghz_minimum, a._c[0], like_first(a, b))


def maximum(a: Stream, b: Stream) -> Stream:
    """Takes the larger of each two values, without decompressing the streams.

    Args:
        a: A stream made with transform=False.
        b: Another one, of the same dtype, shape and lattice.

    Returns:
        A stream of that shape, with the larger of the two bounds.

    Raises:
        MismatchError: They differ in dtype, shape, order, lattice or fill value.
        ArgumentError: One of them has coefficients of the transform.
    """
    terms = max(a._info.terms, b._info.terms)
    return make(a, terms, lib.ghz_maximum, a._c[0], like_first(a, b))


def difference(a: Stream, b: Stream) -> Comparison:
    """Compares two streams without decompressing them: how far they are apart and where.

    Args:
        a: A stream.
        b: Another one, of the same dtype, shape and lattice.

    Returns:
        Numbers of a - b and of a * b, in the units of the data (of the product: squared), each with
        the interval that holds the number of the originals.

    Raises:
        MismatchError: They differ in dtype, shape, order, lattice or fill value.
    """
    c = ffi.new("ghz_comparison *")
    call(lib.ghz_difference, a._c[0], like_first(a, b), c)
    if not c.count:
        return comparison_of(c, None)
    place = np.unravel_index(c.index, a.shape, a.order) if a.shape else ()
    return comparison_of(c, tuple(int(i) for i in place))
