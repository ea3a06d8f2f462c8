# _stream.py: owns Stream: a compressed array, which is added, sliced and summed up as it is.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import math
import pickle
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, overload

import numpy as np
import numpy.typing as npt

from ._arrays import (
    TYPES,
    Array,
    Order,
    Shape,
    checked_order,
    checked_shape,
    dtype_on,
    memory_shape,
)
from ._axes import means, sums_along
from ._buffer import Buffer
from ._compressed import Compressed, check_whole
from ._call import call, made, produce
from ._errors import ArgumentError, CorruptError, MismatchError, RangeError
from ._ghz import ffi, lib
from ._index import TILES, groups
from ._lattice import Lattice, from_c, info_of
from ._numbers import Estimate, Summary, summary_of
from ._packing import LEVEL, pack, unpacked


TERMS = 16383  # that every stream may have

Axes = int | tuple[int, ...]


@dataclass(frozen=True)
class Info:
    """What the header of a stream says.

    Attributes:
        lattice: What streams share that add.
        shape: z, y, x: the axes joined, as the library has them.
        dims: 1: tiles of 1024 values in a row; 2: bricks of 1x32x32; 3: bricks of 8x8x16.
        count: Number of values.
        terms: Number of compressed arrays that this is the sum of.
        inexact: Values outside the lattice were added, so that no bound is promised.
        transform: It may have coefficients of a transform, so that ghz.minimum and ghz.maximum refuse it.
        bound: The largest error of a value, in the units of the data.
    """

    lattice: Lattice
    shape: tuple[int, int, int]
    dims: int
    count: int
    terms: int
    inexact: bool
    transform: bool
    bound: float


class Stream(Buffer, Compressed):
    """A compressed array. Made by ghz.compress, by arithmetic, and by
    Stream.from_bytes.

        total = a + b - c        # streams of one dtype, shape, order and lattice
        half = total / 2         # and * and / by numbers, and -a
        off = a - ghz.mean(all)  # and lattices that are multiples of each other (ghz.linear)
        part = half[3:5, :, 10]  # decompresses the tiles that hold it

    A stream never changes, and any number of threads may use it. Arithmetic decompresses nothing.
    The bound of a sum or difference is the sum of the bounds, that of a multiple the multiple.
    MismatchError says what differs where two streams do not add, RangeError that a sum would have
    too many terms. As a buffer it is the bytes of a plain libghz stream; the shape of more than
    three dimensions and the order are kept beside them.
    """

    __slots__ = ("_c", "_data", "_info", "_order", "_shape", "_summary", "__weakref__")
    __array_ufunc__ = None  # so that array + stream asks the stream

    def __init__(self, data: Any, shape: Any = None, order: str = "C") -> None:
        self._hold(data, (), checked_order(order))
        if self._info.bytes != self._c.size:
            raise CorruptError(f"{self._c.size - self._info.bytes} bytes follow the stream")
        self._shape = _shape_in_stream(self._info) if shape is None else checked_shape(shape)
        if math.prod(self._shape) != self._info.count:
            raise ArgumentError(f"shape {self._shape} does not have {self._info.count} values")
        if self._info.count and self._cuts() is None:
            extents = (*self._info.shape.extent,)
            raise ArgumentError(
                f"shape {self._shape}, order {order}, is not of a stream of {extents}"
            )

    @classmethod
    def _made(cls, data: Any, shape: Shape, order: Order) -> Stream:
        """Makes a stream of bytes that the library has written for this shape and order."""
        self: Stream = cls.__new__(cls, data)
        self._hold(data, shape, order)
        return self

    def _hold(self, data: Any, shape: Shape, order: Order) -> None:
        self._data = data
        self._shape = shape
        self._order: Order = order
        self._summary: Summary | None = None

    def __getattr__(self, name: str) -> Any:
        """Makes what the library is asked with: where the bytes are, and what their header says. Only
        those who use a result pay for it, once."""
        if name == "_c":
            held = ffi.from_buffer(self._data)
            self._c = ffi.new("ghz_bytes *", (held, len(held)))  # keeps no reference: _data does
            return self._c
        if name == "_info":
            self._info = info_of(self._c[0])
            return self._info
        raise AttributeError(f"'Stream' object has no attribute '{name}'")

    def _cuts(self) -> list[int] | None:
        """Returns where the axes are cut that the stream has joined; None if they are not those."""
        return groups(memory_shape(self._shape, self._order), (*self._info.shape.extent,))

    @classmethod
    def from_bytes(cls, buffer: Any, shape: Any = None, order: str = "C") -> Stream:
        """Makes a stream of compressed bytes, from anywhere.

        Args:
            buffer: A stream of libghz, packed or not; copied unless it is `bytes`.
            shape: That of the array; without it (z, y, x), (y, x) or (n,) as the stream has it.
            order: "C" or "F": that of the array.

        Raises:
            CorruptError: The header is that of no stream, or bytes are missing or left over.
                (Damage of tiles is found when they are used.)
            VersionError: Another version wrote it, which this one does not read.
            ArgumentError: The shape is not that of the stream.
        """
        plain = unpacked(buffer, None if shape is None else checked_shape(shape))
        return cls(
            plain if plain is not buffer or type(plain) is bytes else bytes(plain), shape, order
        )

    # ---- What it is ----

    @property
    def shape(self) -> Shape:
        """Extents of the array."""
        return self._shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """That of the array that was compressed; of means of integers float64."""
        return dtype_on(self._info.lattice)

    @property
    def order(self) -> Order:
        """ "F" if the array was in Fortran order, else "C"."""
        return self._order

    @property
    def nbytes(self) -> int:
        """Compressed bytes: what the stream takes."""
        return len(self._data)

    @property
    def bound(self) -> float:
        """The largest error of a value, in the units of the data: of a sum, the bounds of its
        terms together. Infinite if values outside the lattice were added."""
        return float(self._info.bound)

    @property
    def _lattice(self) -> Any:
        return ffi.addressof(self._info, "lattice")

    @property
    def lattice(self) -> Lattice:
        """What other arrays have to share to be added: give it, or the stream, to like=."""
        return from_c(self._info.lattice)

    @property
    def info(self) -> Info:
        """What the header of the stream says."""
        i = self._info
        z, y, x = i.shape.extent
        flags = (bool(i.inexact), bool(i.transform))
        return Info(self.lattice, (z, y, x), i.shape.dims, i.count, i.terms, *flags, i.bound)

    @property
    def data(self) -> memoryview:
        """The compressed bytes, not copied."""
        return memoryview(self._data).cast("B").toreadonly()

    def packed(self, level: int = LEVEL) -> bytes:
        """Returns the compressed bytes, packed without loss, for Stream.from_bytes.

        Args:
            level: 2, the default; or 1, by zstd, which is faster, and packs less.

        Raises:
            ArgumentError: Another level.
            UnsupportedError: Level 1, and this build has no zstd.
        """
        return bytes(pack(self._data, level))

    def __bytes__(self) -> bytes:
        return bytes(self._data)

    def __repr__(self) -> str:
        return f"<ghz.Stream: {self._describe()}>"

    def __eq__(self, other: object) -> bool:
        """Whether the bytes, the shape and the order are equal."""
        if not isinstance(other, Stream):
            return NotImplemented
        same = self._shape == other._shape and self._order == other._order
        return same and self.data == other.data

    __hash__ = None  # type: ignore[assignment]

    def __copy__(self) -> Stream:
        return self

    def __deepcopy__(self, memo: Any) -> Stream:
        return self

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        # Protocol 5 lets Dask and mpi4py move the bytes without a copy.
        data = pickle.PickleBuffer(self.data) if protocol >= 5 else bytes(self)
        return Stream.from_bytes, (data, self._shape, self._order)

    # ---- Values and numbers ----

    def _read_all(self, type: int, pointer: Any, count: int) -> None:
        call(lib.ghz_decompress, self._c[0], type, pointer, count)

    def _read_box(self, origin: tuple[int, ...], out: Array) -> None:
        pointer = ffi.from_buffer("char[]", out, True)
        call(lib.ghz_decompress_box, self._c[0], TYPES[out.dtype], origin, out.shape, pointer)

    def _axes(self) -> tuple[Sequence[int], Sequence[int]]:
        # Without values the cuts do not matter.
        return self._cuts() or [0, 0, 0, len(self._shape)], TILES[self._info.shape.dims]

    def summary(self) -> Summary:
        """Returns sum, mean, variance, deviation and norm of the finite values, and their count,
        without decompressing."""
        if self._summary is None:
            c = ffi.new("ghz_summary *")
            call(lib.ghz_moments, self._c[0], c)
            self._summary = summary_of(c)
        return self._summary

    @overload
    def sum(self, axis: None = None, weights: None = None, **numpys: Any) -> Estimate: ...
    @overload
    def sum(self, axis: Axes, weights: npt.ArrayLike | None = None, **numpys: Any) -> Array: ...
    def sum(self, axis: Any = None, weights: Any = None, **numpys: Any) -> Any:
        """Returns the sum of all finite values, or sums along axes, without decompressing.

            s.sum()                                      # one number, with its interval
            s.sum(axis=0)                                # an array of float64
            s.mean(axis=(1, 2), weights=np.cos(latitude))

        Args:
            axis: None: all values. An axis or several: sums along them, each the exact sum of what
                the stream holds, rounded once, and within `bound` times the number of its values of
                that of the originals. NaN, infinities and fill values are left out.
            weights: Along one of several axes that are summed: as many numbers as it has places.
                Where it could be one of two axes give them the dimensions of the stream, as in
                cos[:, np.newaxis]. They multiply exact sums along the other axes, in float64.

        Raises:
            ArgumentError: The weights fit none of the axes, or two; one is not finite.
            AxisError: There is no such axis (a ValueError and IndexError, of NumPy).
            CorruptError: The stream is damaged.
        """
        check_whole(None, numpys)
        if axis is None:
            _check_no_weights(weights)
            return self.summary().sum
        return sums_along(self, axis, weights)[0][()]

    @overload
    def mean(self, axis: None = None, weights: None = None, **numpys: Any) -> Estimate: ...
    @overload
    def mean(self, axis: Axes, weights: npt.ArrayLike | None = None, **numpys: Any) -> Array: ...
    def mean(self, axis: Any = None, weights: Any = None, **numpys: Any) -> Any:
        """Returns the mean of all finite values, or means along axes: sums as of `sum`, divided by
        the number of values that each is of, or by the sum of their weights. NaN where all are
        missing. Arguments and errors are those of sum."""
        check_whole(None, numpys)
        if axis is None:
            _check_no_weights(weights)
            return self.summary().mean
        return means(*sums_along(self, axis, weights))

    def _extrema(self) -> tuple[float, float]:
        ends = ffi.new("double[2]")
        call(lib.ghz_extrema, self._c[0], ends, ends + 1)
        return ends[0], ends[1]

    # ---- Arithmetic: what it gives is a stream, and nothing is decompressed ----

    def __add__(self, other: object) -> Stream:
        if _is_zero(other):
            return self
        if not isinstance(other, Stream):
            return refused(other)
        if not same_steps(self, other):
            return combined([self, other], [1, 1], 1)
        terms = self._info.terms + other._info.terms
        return make(self, terms, lib.ghz_add, self._c[0], like_first(self, other))

    def __radd__(self, other: object) -> Stream:
        return self + other  # sum() begins with 0

    def __sub__(self, other: object) -> Stream:
        if _is_zero(other):
            return self
        if not isinstance(other, Stream):
            return refused(other)
        if not same_steps(self, other):
            return combined([self, other], [1, -1], 1)
        terms = self._info.terms + other._info.terms
        return make(self, terms, lib.ghz_subtract, self._c[0], like_first(self, other))

    def __rsub__(self, other: object) -> Stream:
        return -self + other

    def __neg__(self) -> Stream:
        return make(self, self._info.terms, lib.ghz_negate, self._c[0])

    def __pos__(self) -> Stream:
        return self

    def __mul__(self, factor: Any) -> Stream:
        if (number := _number(factor, "multiplied", "*")) is None:
            return NotImplemented
        return make(self, self._info.terms, lib.ghz_scale, self._c[0], float(number))

    __rmul__ = __mul__

    def __truediv__(self, divisor: Any) -> Stream:
        """Divides by a number; an integer k gives what ghz.mean of k streams gives."""
        if (number := _number(divisor, "divided", "/")) is None:
            return NotImplemented
        if isinstance(number, (int, np.integer)) and number > 0:
            return divide(self, int(number))
        return self * (1 / float(number))


def _shape_in_stream(info: Any) -> Shape:
    z, y, x = info.shape.extent
    return (x,) if info.shape.dims == 1 else (y, x) if z == 1 else (z, y, x)


def _check_no_weights(weights: object) -> None:
    if weights is not None:
        raise TypeError("weights=: say along which axes, axis=(0, 1, ...)")


def _is_zero(other: object) -> bool:
    return isinstance(other, (int, float, np.integer, np.floating)) and other == 0


def _number(value: Any, done: str, sign: str) -> Any:
    """Returns a number, NumPy's too; None for other types. Of arrays and streams TypeError says what
    there is."""
    if isinstance(value, (int, float, np.integer, np.floating)):
        return value
    if isinstance(value, Stream) or np.ndim(value):
        _no_number(value, done, sign)
    if isinstance(value, np.ndarray):
        return value[()]
    return value if hasattr(value, "__float__") else None


def refused(other: Any) -> Stream:
    if isinstance(other, np.ndarray):
        raise TypeError("compress the array first: ghz.compress(array, like=stream)")
    return NotImplemented  # type: ignore[no-any-return]


def _no_number(other: Any, done: str, sign: str) -> NoReturn:
    """Says what there is for a factor that is an array or a stream."""
    advice = f"take stream.decompress() {sign} array"
    if isinstance(other, Stream):
        advice = f"take a.decompress() {sign} b.decompress()"
        if sign == "*":
            advice += "; ghz.difference(a, b).product is the sum of the products"
    elif sign == "*":
        advice += "; for weights along an axis stream.sum(axis=..., weights=array), or mean"
    raise TypeError(f"a stream is {done} by a number: {advice}")


def same_steps(a: Stream, b: Stream) -> bool:
    one, two = a._info.lattice, b._info.lattice
    return bool(one.step == two.step and one.eb == two.eb)


def combined(streams: Sequence[Stream], weights: Sequence[int], divisor: int) -> Stream:
    """Returns (the sum of weights times streams) / divisor; one stream at least."""
    first = streams[0]
    operands = ffi.new("ghz_bytes[]", [like_first(first, stream) for stream in streams])
    factors = ffi.new("int64_t[]", weights)
    data = made(lib.ghz_linear_alloc, len(streams), operands, factors, divisor)
    return Stream(data, first._shape, first._order)


def like_first(first: Stream, other: Stream) -> Any:
    """Returns the bytes of an operand, whose NumPy shape must be that of the first one."""
    if (first._shape, first._order) != (other._shape, other._order):
        one, two = (f"{s._shape} in {s._order} order" for s in (first, other))
        raise MismatchError(f"shape {two}, the first operand has {one}")
    return other._c[0]


def make(first: Stream, terms: int, function: Any, *arguments: Any) -> Stream:
    """Calls a function that writes a stream like `first` of so many terms."""
    if terms >= 2**32:
        raise RangeError(f"the sum would have {terms} terms")
    info = first._info
    if terms > TERMS:  # beyond the limit the function says so itself: any capacity will do
        terms = min(terms, lib.ghz_terms_limit(info.lattice.cap))
    shape = ffi.addressof(info, "shape")
    capacity = lib.ghz_shape_bound(shape, info.lattice.type, terms or 1)
    return Stream._made(produce(capacity, function, *arguments), first._shape, first._order)


def divide(stream: Stream, k: int) -> Stream:
    """Divides a sum by k >= 1 with the bytes that ghz_mean gives."""
    terms = max(1, stream._info.terms)
    return make(stream, terms, lib.ghz_linear, 1, stream._c, ffi.NULL, k)
