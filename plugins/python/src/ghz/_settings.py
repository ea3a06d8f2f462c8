# _settings.py: owns the settings that the codecs of Zarr and of numcodecs have in common.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import math
import operator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from . import _recent
from ._arrays import TYPES, library_shape
from ._errors import ArgumentError, MismatchError
from ._functions import compress, update
from ._lattice import lattice, shortest
from ._stream import Stream

NAMES = ("abs", "rel", "step", "lossless", "range", "fill", "pack")


@dataclass(frozen=True)
class Settings:
    """A bound for arrays that come chunk by chunk. Give one of abs, rel, step and lossless.

    Chunks that were compressed with the same abs, or with the same rel and range, can be added.
    ghz.zarr.GhzCodec says what each is.
    """

    abs: float | None = None
    rel: float | None = None
    step: float | None = None
    lossless: bool = False
    range: tuple[float, float] | None = None
    fill: float | None = None
    pack: int | None = None

    def __post_init__(self) -> None:
        for name in ("abs", "rel", "step", "fill"):
            if (value := getattr(self, name)) is not None:
                object.__setattr__(self, name, _number(name, value))
        if not isinstance(self.lossless, bool):
            raise TypeError(f"codec ghz: lossless is {self.lossless!r}, not True or False")
        given = [bound for bound in (self.abs, self.rel, self.step) if bound is not None]
        if len(given) + self.lossless != 1:
            raise ValueError("codec ghz: give one of abs, rel, step and lossless")
        if given and given[0] <= 0:
            raise ValueError(f"codec ghz: the bound is {given[0]}, not greater than 0")
        if self.range is not None:
            object.__setattr__(self, "range", _range(self.range, self.rel))
        if self.pack is not None:
            object.__setattr__(self, "pack", _level(self.pack))

    @classmethod
    def named(cls, names: dict[str, Any]) -> Any:
        """Makes settings of what metadata hold."""
        if unknown := sorted(set(names) - set(NAMES)):
            raise ValueError(f"codec ghz: unknown settings: {', '.join(unknown)}")
        return cls(**names)

    def names(self) -> dict[str, Any]:
        """Returns what metadata hold of the settings."""
        every = {name: getattr(self, name) for name in NAMES}
        given = {name: v for name, v in every.items() if v is not None and v is not False}
        return given if self.range is None else given | {"range": list(self.range)}

    def of(self, dtype: np.dtype[Any]) -> Any:
        """Returns these settings for a dtype: two that mean the same fill value are equal."""
        return self if self.fill is None else replace(self, fill=shortest(self.fill, dtype))

    def check_dtype(self, dtype: np.dtype[Any]) -> None:
        """Raises TypeError for arrays that these settings are not for."""
        native = dtype.newbyteorder("=")
        if native not in TYPES:
            kinds = "float32 or float64" if not self.lossless else "integers"
            raise TypeError(f"codec ghz: the array is of {native}, not of {kinds}")
        if (native.kind == "f") == self.lossless:
            kind = "integers" if self.lossless else "float32 or float64"
            advice = "integers go with lossless=True, which is for them alone"
            if self.lossless:
                advice += "; if xarray is to pack it, give dtype='int16' in the encoding as well"
            raise TypeError(f"codec ghz: the array is of {native}, not of {kind}: {advice}")

    def compress(self, values: np.ndarray) -> Stream:
        """Compresses a chunk, in C order: one that was decompressed and changed in part as that,
        so that its values do not drift."""
        self.check_dtype(values.dtype)
        native = values.dtype.newbyteorder("=")
        values = np.ascontiguousarray(values, native).reshape(values.shape)
        if self.lossless or self.step is not None:  # exact: nothing can drift
            return compress(values, step=self.step, fill_value=self.fill)
        shape = library_shape(values.shape, "C")
        old = _recent.find((self, native, shape.dims, tuple(shape.extent)), values, self.fill)
        if self.range is None:
            bound: dict[str, Any] = {"abs": self.abs, "rel": self.rel}
        else:
            ends = np.array(self.range, native)
            bound = {"like": lattice(ends, rel=self.rel, fill_value=self.fill)}
        if old is not None:
            try:
                return update(Stream(old.data, values.shape), values, **bound)
            except (ArgumentError, MismatchError):  # a sum, say, which takes the place of an array
                pass
        return compress(values, **bound, fill_value=self.fill)

    def decompress(self, stream: Stream) -> np.ndarray:
        """Decompresses a chunk, which may come back to be compressed again."""
        values = stream.decompress()
        if self.lossless or self.step is not None:
            return values
        shape = stream._info.shape
        # Of its own bytes: those of a chunk may be a part of a shard, which they would hold.
        own = Stream._made(bytes(stream.data), stream.shape, stream.order)
        _recent.keep((self, stream.dtype, shape.dims, tuple(shape.extent)), own, values)
        return values

    def stored(self, stream: Stream) -> Any:
        """Returns what is stored of a stream: its bytes, packed if these settings say so."""
        return stream.data if self.pack is None else stream.packed(self.pack)


def _level(value: Any) -> int:
    try:
        found = operator.index(value)
    except TypeError:
        raise TypeError(f"codec ghz: pack is {value!r}, not an integer") from None
    if isinstance(value, bool) or found not in (1, 2):
        old = "" if found < 3 else "; 3 to 19 were of version 0.2 before its release: write it anew"
        raise ValueError(f"codec ghz: pack is {value}, not level 1 (by zstd) or 2 (smaller){old}")
    return found


def _number(name: str, value: Any) -> float:
    if isinstance(value, np.ndarray) and not value.ndim:
        value = value[()]
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise TypeError(f"codec ghz: {name} is {value!r}, not a number")
    try:
        found = float(value)
    except OverflowError:  # an int that no float is near
        found = math.inf
    if not math.isfinite(found):
        raise ValueError(f"codec ghz: {name} is {found}, not finite")
    return found


def _range(value: Any, rel: float | None) -> tuple[float, float]:
    if rel is None or not isinstance(value, (list, tuple, np.ndarray)) or len(value) != 2:
        raise ValueError("codec ghz: range is a pair of numbers, and goes with rel")
    low, high = (_number("range", end) for end in value)
    if low > high:
        raise ValueError(f"codec ghz: the range begins at {low} and ends at {high}")
    return low, high
