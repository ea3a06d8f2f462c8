# _compressed.py: owns what a stream and a file have in common: they are compressed arrays.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _index
from ._arrays import TYPES, Array, Order, Shape, dtype_of
from ._errors import ArgumentError
from ._ghz import ffi
from ._numbers import Estimate, Summary


class Compressed:
    """A compressed array: its shape, values, slices and numbers."""

    __slots__ = ()

    @property
    @abstractmethod
    def shape(self) -> Shape: ...

    @property
    @abstractmethod
    def dtype(self) -> np.dtype[Any]: ...

    @property
    @abstractmethod
    def order(self) -> Order:
        """ "F" if the array was in Fortran order, else "C"."""

    @property
    @abstractmethod
    def nbytes(self) -> int:
        """Compressed bytes."""

    @property
    @abstractmethod
    def bound(self) -> float:
        """The largest error of a value: of a sum, the bounds of its terms together. Infinite if
        values outside the lattice were added."""

    @property
    @abstractmethod
    def _lattice(self) -> Any:
        """The ghz_lattice *."""

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """Number of values."""
        return math.prod(self.shape)

    @property
    def ratio(self) -> float:
        """Bytes of the array for each compressed byte."""
        return self.size * self.dtype.itemsize / self.nbytes

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of an array without dimensions")
        return self.shape[0]

    def _describe(self) -> str:
        what = f"{self.dtype}, shape {self.shape}, {self.nbytes} bytes"
        grid = self._lattice.step > 2 * self._lattice.eb
        bound = f"grid of {self._lattice.step:.9g}" if grid else f"bound {self.bound:.4g}"
        return f"{what}, ratio {self.ratio:.4g}, {bound}"

    # ---- Values ----

    @abstractmethod
    def _read_all(self, type: int, pointer: Any, count: int) -> None:
        """Decompresses all values, in the order of the memory."""

    @abstractmethod
    def _read_box(self, origin: tuple[int, ...], out: Array) -> None:
        """Decompresses a box of what _axes says, of the extents of `out`."""

    @abstractmethod
    def _axes(self) -> tuple[Sequence[int], Sequence[int]]:
        """Returns how _read_box joins axes in the order of the memory: where they are cut, and the
        extents of a tile."""

    def decompress(self, out: Array | None = None, dtype: npt.DTypeLike | None = None) -> Array:
        """Decompresses all values.

        Args:
            out: A writable array of the shape and dtype, contiguous in the same order; without it
                a new array.
            dtype: float64 for float32: sums are then within their bound strictly, where rounding
                to float32 may add half a unit in the last place. Integers: any integer dtype that
                holds all values, which sums may need, or float64.

        Returns:
            The array, each finite value within `bound` of the original.

        Raises:
            CorruptError: It is damaged.
            RangeError: An integer does not fit the dtype: that of a sum, mostly.
            ArgumentError: out= has another shape, dtype or order, or is not writable.
            OutOfMemoryError: There is no memory for the values.
        """
        if out is None:
            out = np.empty(self.shape, dtype_of(dtype) if dtype else self.dtype, self.order)
        else:
            self._check_out(out, dtype)
        pointer = ffi.from_buffer("char[]", out if self.order == "C" else out.T, True)
        self._read_all(TYPES[out.dtype], pointer, out.size)
        return out

    def _check_out(self, out: Any, dtype: npt.DTypeLike | None) -> None:
        if not isinstance(out, np.ndarray):
            raise TypeError(f"out: a NumPy array is needed, not {type(out).__name__}")
        if dtype_of(out.dtype) != (np.dtype(dtype) if dtype else out.dtype):
            raise ArgumentError(f"out: {out.dtype}, but dtype={np.dtype(dtype)}")
        if out.shape != self.shape:
            raise ArgumentError(f"out: shape {out.shape}, needed is {self.shape}")
        fits = out.flags.c_contiguous if self.order == "C" else out.flags.f_contiguous
        if not fits or not out.flags.writeable:
            need = "writable" if fits else f"contiguous in {self.order} order"
            raise ArgumentError(f"out: must be {need}")

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> Array:
        if copy is False:
            raise ValueError("there is no array to share: the values are decompressed to a new one")
        values = self.decompress()
        return values if dtype is None else values.astype(dtype, copy=False)

    def __getitem__(self, index: Any) -> Any:
        """Returns the values that an index of integers, slices (with any step) and ... selects, as
        NumPy would; decompresses only the tiles that hold them. IndexError beyond the shape;
        TypeError for masks and lists of indices, for which decompress."""
        cuts, tile = self._axes()
        return _index.read(index, self.shape, self.order, self.dtype, cuts, tile, self._read_box)

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self)))

    # ---- Numbers ----

    @abstractmethod
    def summary(self) -> Summary:
        """Returns count, sum, mean, variance, deviation and norm, without decompressing."""

    @abstractmethod
    def _extrema(self) -> tuple[float, float]:
        """Returns the least and the greatest value: +Inf and -Inf if none is finite."""

    def sum(self, axis: None = None, **numpys: Any) -> Estimate:
        """Returns the sum of all finite values, in the units of the data, without decompressing.
        TypeError for axis= and the like."""
        check_whole(axis, numpys)
        return self.summary().sum

    def mean(self, axis: None = None, **numpys: Any) -> Estimate:
        """Returns the mean of all finite values, in the units of the data."""
        check_whole(axis, numpys)
        return self.summary().mean

    def var(self, axis: None = None, **numpys: Any) -> Estimate:
        """Returns the variance of all finite values, in the units of the data squared; the divisor
        is their count."""
        check_whole(axis, numpys)
        return self.summary().variance

    def std(self, axis: None = None, **numpys: Any) -> Estimate:
        """Returns the square root of the variance, in the units of the data."""
        check_whole(axis, numpys)
        return self.summary().deviation

    def norm(self) -> Estimate:
        """Returns the root of the sum of the squares of all finite values (L2)."""
        return self.summary().norm

    def min(self, axis: None = None, **numpys: Any) -> Estimate:
        """Returns the least finite value, NaN if there is none. Decompresses tile by tile."""
        check_whole(axis, numpys)
        least, greatest = self._extrema()
        return self._within_bound(least if least <= greatest else math.nan)

    def max(self, axis: None = None, **numpys: Any) -> Estimate:
        """Returns the greatest finite value, NaN if there is none. Decompresses tile by tile."""
        check_whole(axis, numpys)
        least, greatest = self._extrema()
        return self._within_bound(greatest if least <= greatest else math.nan)

    def _within_bound(self, value: float) -> Estimate:
        if self.bound == 0:
            return Estimate(value, value, value)
        low = math.nextafter(value - self.bound, -math.inf)
        return Estimate(value, low, math.nextafter(value + self.bound, math.inf))


def check_whole(axis: Any, numpys: dict[str, Any]) -> None:
    """Takes what np.mean(stream) and its like give a method: numbers are of all values alone."""
    given = {"axis": axis, **numpys}
    if numpys.get("ddof") == 0:
        del given["ddof"]
    for name, value in given.items():
        if value is not None and value is not False:
            raise TypeError(f"{name}=: there are numbers of all values alone; take decompress()")
