# _lattice.py: owns lattices: what a bound becomes, and what streams that add have in common.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from ._arrays import DTYPES, TYPES, Values, values_of
from ._call import call, check
from ._errors import ArgumentError, MismatchError
from ._ghz import ffi, lib


@dataclass(frozen=True)
class Lattice:
    """The grid that values are quantised to. Streams add if their lattices are equal.

    Take it from ghz.lattice() or from a stream: one made by hand is not verified.

    Attributes:
        dtype: float32 or float64.
        cap: 35, or 44 for float64: the bits that a quantised value may have.
        step: The distance of neighbouring points of the grid, in the units of the data.
        bound: The largest error of one value of one compressed array, in the units of the data.
        fill_value: The number that stands for missing values, or None.
    """

    dtype: np.dtype[Any]
    cap: int
    step: float
    bound: float
    fill_value: float | None = None


def to_c(lattice: Lattice) -> Any:
    """Returns a ghz_lattice *."""
    fill = lattice.fill_value
    fields = (TYPES[lattice.dtype], lattice.cap, lattice.step, lattice.bound)
    return ffi.new("ghz_lattice *", (*fields, fill is not None, 0.0 if fill is None else fill))


def from_c(c: Any) -> Lattice:
    """Returns what a ghz_lattice says."""
    return Lattice(DTYPES[c.type], c.cap, c.step, c.eb, c.fill if c.has_fill else None)


def checked_fill(fill_value: float | None, dtype: np.dtype[Any]) -> float | None:
    """Returns a fill value as the dtype has it: 1e20 is float32(1e20). NaN is missing anyway."""
    if fill_value is None or math.isnan(fill_value):
        return None
    return float(dtype.type(fill_value))


def bound_of(abs: float | None, rel: float | None, psnr: float | None) -> tuple[int, float]:
    """Returns the fields of the ghz_bound of the one that is given."""
    if abs is not None and rel is psnr is None:
        return lib.GHZ_ABS, float(abs)
    if rel is not None and abs is psnr is None:
        return lib.GHZ_REL, float(rel)
    if psnr is not None and abs is rel is None:
        return lib.GHZ_PSNR, float(psnr)
    raise ArgumentError("give one of abs=, rel=, psnr=; or like= in their place")


def lattice_for(arrays: Sequence[Values], bound: Any, fill_value: float | None) -> Any:
    """Makes the ghz_lattice * for arrays of one dtype, of the range of all their values."""
    if not arrays:
        raise ArgumentError("no array to make a lattice for")
    dtype = arrays[0].memory.dtype
    for number, values in enumerate(arrays):
        if values.memory.dtype != dtype:
            raise MismatchError(f"array {number} is {values.memory.dtype}, array 0 is {dtype}")
    fill = checked_fill(fill_value, dtype)
    pointers = [values.pointer for values in arrays]
    counts = {values.memory.size for values in arrays}
    if len(counts) == 1:
        return _lattice_of_memory(dtype, bound, fill, pointers, counts.pop())
    ends = _ends(arrays, pointers, fill)  # the lattice is that of the range alone
    return _lattice_of_memory(dtype, bound, fill, [ends[1]], ends[0].size)


def _lattice_of_memory(
    dtype: np.dtype[Any], bound: Any, fill: float | None, pointers: list[Any], count: int
) -> Any:
    """Makes the ghz_lattice * for arrays of `count` values each."""
    result = ffi.new("ghz_lattice *")
    fill_c = ffi.NULL if fill is None else ffi.new("double *", fill)
    many = (len(pointers), pointers, count)
    call(lib.ghz_lattice_for, TYPES[dtype], bound, fill_c, *many, result)
    return result


def _ends(arrays: Sequence[Values], pointers: list[Any], fill: float | None) -> tuple[Any, Any]:
    """Returns an array with the least and the greatest value of all, and a pointer to it."""
    dtype = arrays[0].memory.dtype
    found: list[float] = []
    for values, pointer in zip(arrays, pointers):
        ends = ffi.new("double[2]")
        where = (TYPES[dtype], pointer, values.memory.size)
        if fill is None:
            call(lib.ghz_range, *where, ends, ends + 1)
        else:
            call(lib.ghz_range_without, *where, fill, ends, ends + 1)
        found += [end for end in ends if math.isfinite(end)]
    both = np.array([min(found), max(found)] if found else [], dtype)
    return both, ffi.from_buffer("char[]", both)


@lru_cache(maxsize=256)
def _absolute(type: int, abs: float) -> Any:
    """Makes the ghz_lattice * of an absolute bound, which is the same for all values; not to be
    changed."""
    result = ffi.new("ghz_lattice *")
    check(lib.ghz_lattice_make(type, (lib.GHZ_ABS, abs), 0, 0, result))
    return result


class HasLattice(Protocol):
    """A stream or file."""

    @property
    def _lattice(self) -> Any:
        """The ghz_lattice *, as long as the stream or file is there."""


def lattice_of(
    values: Values,
    abs: float | None,
    rel: float | None,
    psnr: float | None,
    like: HasLattice | Lattice | None,
    fill_value: float | None,
) -> Any:
    """Returns the ghz_lattice * on which an array is compressed."""
    if like is None:
        bound = bound_of(abs, rel, psnr)
        memory = values.memory
        if bound[0] == lib.GHZ_ABS and fill_value is None:
            return _absolute(TYPES[memory.dtype], bound[1])
        fill = checked_fill(fill_value, memory.dtype)
        return _lattice_of_memory(memory.dtype, bound, fill, [values.pointer], memory.size)
    if not abs is rel is psnr is None:
        raise ArgumentError("like= has a bound already: leave out abs=, rel= and psnr=")
    found = to_c(like) if isinstance(like, Lattice) else getattr(like, "_lattice", None)
    if found is None:
        kind = type(like).__name__
        raise TypeError(
            f"like= takes a stream, file or lattice, not {kind}; a path: ghz.open(path)"
        )
    dtype = values.memory.dtype
    if found.type != TYPES[dtype]:
        raise MismatchError(f"the array is {dtype}, like= is {DTYPES[found.type]}: array.astype()")
    fill = checked_fill(fill_value, dtype)
    if fill is not None and not (found.has_fill and fill == found.fill):
        raise MismatchError(f"fill_value={fill}, like= has {from_c(found).fill_value}")
    return found


def lattice(
    *arrays: npt.ArrayLike,
    abs: float | None = None,
    rel: float | None = None,
    psnr: float | None = None,
    fill_value: float | None = None,
) -> Lattice:
    """Makes one lattice for arrays that are to be added: compress(x, like=lattice).

    Args:
        arrays: float32 or float64, all of one dtype, of any shapes; one at least.
        abs: The largest error of a value, in the units of the data.
        rel: The same as a fraction of the range (max - min) of the values of all arrays together.
        psnr: The least peak signal-to-noise ratio in dB, by that range.
        fill_value: The number that stands for missing values, which set no range.

    Returns:
        The lattice; its bound is that of each array.

    Raises:
        ArgumentError: No array; no bound or several; one that is NaN or not greater than 0.
        MismatchError: The arrays differ in dtype.
        TypeError: Another dtype, or a masked array.
    """
    many = [values_of(a) for a in arrays]
    return from_c(lattice_for(many, bound_of(abs, rel, psnr), fill_value))


def info_of(data: Any) -> Any:
    """Reads the ghz_info * of a stream, checked as the library checks it."""
    info = ffi.new("ghz_info *")
    check(lib.ghz_info_read(data, info))
    return info
