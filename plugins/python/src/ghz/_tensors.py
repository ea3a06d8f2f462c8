# _tensors.py: owns scales and ranges of tensors, and the files of dicts of them.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import math
import pickle
from collections.abc import Iterable, Mapping
from typing import Any

import torch

from ._arrays import values_of
from ._errors import ArgumentError, CorruptError, MismatchError
from ._file import Path
from ._functions import linear, on_lattice
from ._index import TILES
from ._lattice import Bound, lattice_of
from ._stream import Stream

TILE = TILES[1][2]  # values that are compressed together
FLOATS = (torch.float32, torch.bfloat16, torch.float16)
TYPES = {str(dtype): dtype for dtype in FLOATS}
LEAST = -126  # as an exponent: both it and its reciprocal are normal numbers of float32
STRANGE = 1 << 20  # in the place of an exponent: there are values that are not finite
FORM = "ghz.torch 1"  # a file has it, and entries: [type, shape, stream] or [None, None, value]


def exponent(values: Any) -> int:
    """Returns that of the power of two to which the root mean square of float32 is rounded down, the
    LEAST of zeros, or STRANGE."""
    root = math.sqrt(values.numel() or 1)
    rms = float(torch.linalg.vector_norm(values)) / root
    if not 2.0**-40 < rms < 2.0**40:  # squares may have left the range of float32
        rms = float(torch.linalg.vector_norm(values.double())) / root
    if not math.isfinite(rms):
        return STRANGE
    below = 0.999 * rms  # a sum in float32 may be that much too large
    return min(126, max(LEAST, math.frexp(below)[1] - 1)) if below else LEAST


def scale(parts: Iterable[Any], exponents: list[int], sign: int) -> None:
    """Multiplies by powers of two, which rounds nothing."""
    for part, e in zip(parts, exponents):
        part.mul_(2.0 ** (sign * e))


def tile_ranges(flat: Any, ranks: int) -> list[Any]:
    """Returns a range of whole tiles for each rank."""
    n = flat.numel()
    ends = [min(n, TILE * (-(-n // TILE) * r // ranks)) for r in range(ranks + 1)]
    return [flat[a:b] for a, b in zip(ends, ends[1:])]


def save(state_dict: Mapping[str, Any], path: Path, *, rel: float) -> None:
    """Compresses a dict of tensors to a file: float32, bfloat16 and float16. All else is stored as
    torch.save stores it. rel: the largest error of a value, as a fraction of the root mean square of
    its tensor (and half a unit in the last place of bfloat16 and float16)."""
    torch.save([FORM, {name: _packed(value, rel) for name, value in state_dict.items()}], path)


def load(path: Path) -> dict[str, Any]:
    """Returns the dict of a file of save or mean, on the CPU, with its types. CorruptError: it is none."""
    return {name: _unpacked(entry) for name, entry in _read(path).items()}


def mean(paths: Iterable[Path], path: Path) -> None:
    """Averages files of save to a file, without decompressing them. What is not compressed is taken
    from the first. MismatchError: they differ in names, types, shapes, or in rel by other factors
    than powers of two. ArgumentError: there is none."""
    files = [_read(file) for file in paths]
    if not files:
        raise ArgumentError("no file to average")
    result = dict(files[0])
    for name in sorted(set().union(*files)):
        entries = [file.get(name, ["missing", None, None]) for file in files]
        if any(entry[:2] != entries[0][:2] for entry in entries):
            seen = " and ".join(sorted({f"{kind} {shape}" for kind, shape, _ in entries}))
            raise MismatchError(f"{name} is {seen}")
        streams = [_stream(entry) for entry in entries if entry[0] and entry[2] is not None]
        if streams:  # those of zeros are left out: they have no step
            total = linear(streams, [1] * len(streams), len(files))
            result[name] = [*entries[0][:2], _bytes(total)]
    torch.save([FORM, result], path)


def _packed(value: Any, rel: float) -> list[Any]:
    if not isinstance(value, torch.Tensor) or value.dtype not in FLOATS or value.is_sparse:
        return [None, None, value]
    found = value.detach().cpu().float()
    kind = [str(value.dtype), list(value.shape)]
    if not found.any():
        return [*kind, None]
    e, values = exponent(found), values_of(found.numpy())
    # Steps are rel times powers of two, so that streams of all files add.
    bound = Bound(rel * 2.0 ** (0 if e == STRANGE else e), None, None, None)
    return [*kind, _bytes(on_lattice(values, lattice_of(values, bound, None, None)))]


def _bytes(stream: Stream) -> Any:
    return torch.frombuffer(bytearray(stream.packed()), dtype=torch.uint8)


def _stream(entry: list[Any]) -> Stream:
    return Stream.from_bytes(entry[2].numpy(), entry[1])


def _unpacked(entry: list[Any]) -> Any:
    kind, shape, data = entry
    if kind is None:
        return data
    values = torch.zeros(shape) if data is None else torch.from_numpy(_stream(entry).decompress())
    return values.to(TYPES[kind])


def _read(path: Path) -> dict[str, list[Any]]:
    try:
        form, entries = torch.load(path, map_location="cpu", weights_only=True)
    except (RuntimeError, ValueError, TypeError, EOFError, pickle.UnpicklingError):
        form = None
    if form != FORM:
        raise CorruptError(f"{path}: no file of ghz.torch.save")
    return dict(entries)
