# _arrays.py: owns which arrays the library takes, and how NumPy's shapes become its own.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import operator
from functools import lru_cache
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from ._call import check
from ._errors import ArgumentError
from ._ghz import ffi, lib

Order = Literal["C", "F"]
Array = npt.NDArray[Any]
Shape = tuple[int, ...]

TYPES: dict[np.dtype[Any], int] = {
    np.dtype("f4"): lib.GHZ_F32,
    np.dtype("f8"): lib.GHZ_F64,
    np.dtype("i1"): lib.GHZ_I8,
    np.dtype("i2"): lib.GHZ_I16,
    np.dtype("i4"): lib.GHZ_I32,
    np.dtype("i8"): lib.GHZ_I64,
    np.dtype("u1"): lib.GHZ_U8,
    np.dtype("u2"): lib.GHZ_U16,
    np.dtype("u4"): lib.GHZ_U32,
}
TENSORS = "; ghz.torch.save(state_dict, path, rel=...) takes a dict of tensors, of bfloat16 too"
DTYPES: dict[int, np.dtype[Any]] = {number: dtype for dtype, number in TYPES.items()}


class Values(NamedTuple):
    """An array as the library takes it: in the order of its memory, without gaps."""

    memory: Array  # C-contiguous: the transpose of an array in Fortran order
    shape: Shape  # of the array
    order: Order
    pointer: Any  # to the first value of the memory, which it holds


def dtype_of(dtype: npt.DTypeLike) -> np.dtype[Any]:
    """Returns a dtype that the library has; raises TypeError, saying what to do, for another."""
    found = np.dtype(dtype)
    if found in TYPES:
        return found
    if found.kind in "fiu" and found.newbyteorder("=") in TYPES:
        advice = "of the other byte order: take array.astype(array.dtype.newbyteorder('='))"
    elif found.kind == "c":
        advice = "complex: take array.real and array.imag, each by itself"
    elif found.kind == "f":
        advice = f"{found}: take array.astype('float{32 if found.itemsize < 4 else 64}')"
    elif found.name == "bfloat16":
        advice = "bfloat16: take array.astype('float32')"
    elif found.kind in "ub":
        advice = f"{found}: take array.astype('{'uint8' if found.kind == 'b' else 'int64'}')"
    elif found.kind == "O":
        advice = "object: give one array at a time"
    else:
        advice = f"{found}"
    raise TypeError(f"ghz compresses float32, float64 and integers, and this is {advice}")


def values_of(array: npt.ArrayLike) -> Values:
    """Takes an array; copies it if it has gaps or is in neither order."""
    if isinstance(array, np.ma.MaskedArray):
        raise TypeError(
            "the mask of a masked array would be lost: take array.filled(v) and fill_value=v"
        )
    if isinstance(array, dict):
        raise TypeError(f"a dict is an object: give one array at a time{TENSORS}")
    if hasattr(array, "__dlpack__") and not hasattr(array, "__array__"):
        raise TypeError("a tensor that speaks DLPack alone: give np.from_dlpack(tensor)")
    try:
        found = np.asarray(array)
        if found.dtype not in TYPES:
            dtype_of(found.dtype)  # says why
    except (TypeError, RuntimeError) as error:
        if type(array).__module__.partition(".")[0] != "torch":
            raise
        advice = f"take tensor.detach().cpu().float(){TENSORS}"
        raise TypeError(f"a tensor that is not taken as it is ({error}): {advice}") from None
    flags = found.flags
    if flags.f_contiguous and not flags.c_contiguous:
        return Values(found.T, found.shape, "F", ffi.from_buffer(found.T))
    memory = found if flags.c_contiguous else found.copy(order="C")
    return Values(memory, found.shape, "C", ffi.from_buffer(memory))


def memory_shape(shape: Shape, order: Order) -> Shape:
    """Returns the extents as they lie in memory, the slowest first."""
    return shape if order == "C" else shape[::-1]


def checked_shape(shape: Any) -> Shape:
    """Returns a shape as integers; raises what NumPy raises for anything else."""
    extents = (shape,) if isinstance(shape, (int, np.integer)) else tuple(shape)
    found = tuple(operator.index(extent) for extent in extents)
    if any(extent < 0 for extent in found):
        raise ArgumentError(f"shape {found} has a negative extent")
    return found


def checked_order(order: str) -> Order:
    if order == "C":
        return "C"
    if order == "F":
        return "F"
    raise ArgumentError(f"order {order!r}: must be 'C' or 'F'")


def dtype_on(lattice: Any) -> np.dtype[Any]:
    """Returns what the values of a ghz_lattice are: of integers that are divided float64."""
    found = DTYPES[lattice.type]
    return found if found.kind == "f" or lattice.step % 1 == 0 else np.dtype("f8")


@lru_cache(maxsize=256)
def library_shape(shape: Shape, order: Order) -> Any:
    """Returns the ghz_shape * that the library chooses for an array; not to be changed."""
    if not shape:
        return ffi.new("ghz_shape *", lib.ghz_flat(1))
    result = ffi.new("ghz_shape *")
    extents = memory_shape(shape, order)
    check(lib.ghz_shape_make(len(extents), extents, result))
    return result
