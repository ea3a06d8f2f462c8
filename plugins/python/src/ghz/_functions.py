# _functions.py: owns compression, and what is made of several streams.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

import numpy as np
import numpy.typing as npt

from ._arrays import library_shape, values_of
from ._call import call, produce
from ._errors import ArgumentError, MismatchError
from ._ghz import ffi, lib
from ._lattice import Lattice, bound_of, checked_fill, lattice_for, to_c
from ._numbers import Comparison, comparison_of
from ._stream import Stream, like_first, make

BATCH = 64  # operands of one pass over a sum


def compress(
    array: npt.ArrayLike,
    *,
    abs: float | None = None,
    rel: float | None = None,
    psnr: float | None = None,
    like: Stream | Lattice | None = None,
    fill_value: float | None = None,
    transform: bool = True,
) -> Stream:
    """Compresses an array of float32 or float64 under a bound, of which one is given.

    abs: the largest error of a value. rel: the same, as a fraction of the range of the values.
    psnr: the least peak signal-to-noise ratio, in dB.
    like: a stream or lattice whose bound this array takes, so that both can be added.
    fill_value: what stands for missing values; it comes back for them and for NaN.
    transform: False leaves out the cosine transform, for minimum and maximum.

    The shape and the order, C or Fortran, are kept; an array with gaps is copied. TypeError for
    other dtypes and masked arrays, ArgumentError for a bound that is none.
    """
    values = values_of(array)
    dtype = values.memory.dtype
    if like is None:
        lattice = lattice_for([values], bound_of(abs, rel, psnr), fill_value)
    else:
        if not abs is rel is psnr is None:
            raise ArgumentError("like= has a bound already: leave out abs=, rel= and psnr=")
        lattice = _lattice_like(like, dtype, fill_value)
    shape = library_shape(values.shape, values.order)
    order = lib.GHZ_ORDER_BEST if transform else lib.GHZ_ORDER_LORENZO
    capacity = lib.ghz_shape_bound(shape, lib.GHZ_F32 if dtype.itemsize == 4 else lib.GHZ_F64, 1)
    what = (to_c(lattice), order, values.pointer, shape)
    data = produce(capacity, lib.ghz_compress_shape, *what)
    return Stream(data, values.shape, values.order)


def _lattice_like(
    like: Stream | Lattice, dtype: np.dtype[np.float64], fill_value: float | None
) -> Lattice:
    lattice = like if isinstance(like, Lattice) else like.lattice
    if lattice.dtype != dtype:
        raise MismatchError(f"the array is {dtype}, like= is {lattice.dtype}: array.astype()")
    fill = checked_fill(fill_value, dtype)
    if fill is not None and fill != lattice.fill_value:
        raise MismatchError(f"fill_value={fill}, like= has {lattice.fill_value}")
    return lattice


def sum(streams: Iterable[Stream]) -> Stream:
    """Adds streams without decompressing them; the bytes do not depend on their order.

    Of an iterator it holds 64 at a time. MismatchError if they differ in shape or lattice.
    """
    rest = iter(streams)
    batch = list(islice(rest, BATCH))
    while len(batch) > 1:
        total = _of_all(batch, lib.ghz_sum)
        batch = [total, *islice(rest, BATCH - 1)]
    if not batch:
        raise ArgumentError("no stream to add")
    return batch[0]


def mean(streams: Iterable[Stream]) -> Stream:
    """Averages streams without decompressing them; its bound is the mean of theirs."""
    every = list(streams)
    if not every:
        raise ArgumentError("no stream to average")
    return _of_all(every, lib.ghz_mean)


def _of_all(streams: list[Stream], function: object) -> Stream:
    first = streams[0]
    operands = [like_first(first, stream) for stream in streams]
    terms = 0
    for stream in streams:
        terms += stream._info.terms
    return make(first, terms, function, len(streams), ffi.new("ghz_bytes[]", operands))


def minimum(a: Stream, b: Stream) -> Stream:
    """Returns the smaller of each two values, of streams made with transform=False."""
    terms = max(a._info.terms, b._info.terms)
    return make(a, terms, lib.ghz_minimum, a._c[0], like_first(a, b))


def maximum(a: Stream, b: Stream) -> Stream:
    """Returns the larger of each two values, of streams made with transform=False."""
    terms = max(a._info.terms, b._info.terms)
    return make(a, terms, lib.ghz_maximum, a._c[0], like_first(a, b))


def difference(a: Stream, b: Stream) -> Comparison:
    """Compares two streams of one lattice: how far they are apart and where, and their product."""
    c = ffi.new("ghz_comparison *")
    call(lib.ghz_difference, a._c[0], like_first(a, b), c)
    if not c.count:
        return comparison_of(c, None)
    place = np.unravel_index(c.index, a.shape, a.order) if a.shape else ()
    return comparison_of(c, tuple(int(i) for i in place))
