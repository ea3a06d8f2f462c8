# _lattice.py: owns lattices: what a bound becomes, and what streams that add have in common.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ._arrays import DTYPES, TYPES, Values, values_of
from ._call import call, check
from ._errors import ArgumentError, MismatchError
from ._ghz import ffi, lib
from ._notices import look_at_loss


@dataclass(frozen=True)
class Lattice:
    """The grid that values are quantised to. Streams add if their lattices are equal.

    Take it from ghz.lattice() or from a stream: one made by hand is not verified.

    Attributes:
        dtype: That of the arrays.
        cap: 35, or 44 for float64 and int64: the bits that a quantised value may have.
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
    return float(dtype.type(fill_value) if dtype.kind == "f" else fill_value)


def shortest(value: float, dtype: np.dtype[Any]) -> float:
    """Returns the number with the fewest digits that is this one in the dtype: 1e20 for what
    float32(1e20) is, too."""
    with np.errstate(over="ignore"):
        return float(str(dtype.type(value))) if dtype.kind == "f" else float(value)


class Bound(NamedTuple):
    """What a caller gave of abs=, rel=, psnr= and step=."""

    abs: float | None
    rel: float | None
    psnr: float | None
    step: float | None

    def for_dtype(self, dtype: np.dtype[Any]) -> tuple[int, float]:
        """Returns the fields of the ghz_bound of the one that is given; integers need none."""
        if dtype.kind in "iu":
            if not self.abs is self.rel is self.psnr is None:
                raise TypeError(
                    f"ghz compresses {dtype} exactly: leave out the bound; or array.astype('float64')"
                )
            return lib.GHZ_STEP, 1.0 if self.step is None else float(self.step)
        kinds = (lib.GHZ_ABS, lib.GHZ_REL, lib.GHZ_PSNR, lib.GHZ_STEP)
        given = [(kind, float(value)) for kind, value in zip(kinds, self) if value is not None]
        if len(given) != 1:
            raise ArgumentError("give one of abs=, rel=, psnr=, step=; or like= in their place")
        return given[0]


def lattice_for(arrays: Sequence[Values], how: Bound, fill_value: float | None) -> Any:
    """Makes the ghz_lattice * for arrays of one dtype, of the range of all their values."""
    if not arrays:
        raise ArgumentError("no array to make a lattice for")
    dtype = arrays[0].memory.dtype
    for number, values in enumerate(arrays):
        if values.memory.dtype != dtype:
            raise MismatchError(f"array {number} is {values.memory.dtype}, array 0 is {dtype}")
    bound = how.for_dtype(dtype)
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
def _of_any_values(type: int, bound: tuple[int, float]) -> Any:
    """Makes the ghz_lattice * of a bound or step that is the same for all values; not to be
    changed."""
    result = ffi.new("ghz_lattice *")
    check(lib.ghz_lattice_make(type, bound, 0, 0, result))
    return result


def lattice_of(
    values: Values,
    how: Bound,
    like: Any,  # a stream, file or Lattice, or None
    fill_value: float | None,
) -> Any:
    """Returns the ghz_lattice * on which an array is compressed."""
    if like is None:
        memory = values.memory
        bound = how.for_dtype(memory.dtype)
        if bound[0] in (lib.GHZ_ABS, lib.GHZ_STEP) and fill_value is None:
            return _of_any_values(TYPES[memory.dtype], bound)
        fill = checked_fill(fill_value, memory.dtype)
        return _lattice_of_memory(memory.dtype, bound, fill, [values.pointer], memory.size)
    if any(given is not None for given in how):
        raise ArgumentError("like= has a bound already: leave out abs=, rel=, psnr= and step=")
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
        has = shortest(found.fill, dtype) if found.has_fill else None
        raise MismatchError(f"fill_value={shortest(fill, dtype)}, like= has {has}")
    whole = ffi.new("ghz_lattice *")
    check(lib.ghz_lattice_undivided(found, whole))
    if whole.step != found.step and whole.eb > like.bound:
        what = f"no array that adds to it has its bound of {like.bound:.9g}"
        raise ArgumentError(f"like= was divided, and {what}: take like= of what was divided")
    return whole


def lattice(
    *arrays: npt.ArrayLike,
    abs: float | None = None,
    rel: float | None = None,
    psnr: float | None = None,
    step: float | None = None,
    fill_value: float | None = None,
) -> Lattice:
    """Makes one lattice for arrays that are to be added: compress(x, like=lattice).

    Args:
        arrays: All of one dtype, of any shapes; one at least. Integers need no bound.
        abs: The largest error of a value, in the units of the data.
        rel: The same as a fraction of the range (max - min) of the values of all arrays together.
        psnr: The least peak signal-to-noise ratio in dB, by that range.
        step: The quantum of data that are multiples of one, which then come back exactly.
        fill_value: The number that stands for missing values, which set no range.

    Returns:
        The lattice; its bound is that of each array.

    Raises:
        ArgumentError: No array; no bound or several; one that is NaN or not greater than 0.
        MismatchError: The arrays differ in dtype.
        TypeError: Another dtype, or a masked array.
    """
    many = [values_of(a) for a in arrays]
    found = lattice_for(many, Bound(abs, rel, psnr, step), fill_value)
    for values in many:
        look_at_loss(found, values)
    return from_c(found)


def info_of(data: Any) -> Any:
    """Reads the ghz_info * of a stream, checked as the library checks it."""
    info = ffi.new("ghz_info *")
    check(lib.ghz_info_read(data, info))
    return info
