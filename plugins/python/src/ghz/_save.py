# _save.py: owns writing .ghz files: arrays and streams, at the end of a file, and sums of files.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from typing import Any

import numpy.typing as npt

from ._arrays import Values, memory_shape, values_of
from ._call import Lease, check
from ._errors import ArgumentError, MismatchError
from ._file import File, Path, open_c
from ._ghz import ffi, lib
from ._lattice import Bound, Lattice, lattice_of
from ._notices import look_at_loss
from ._stream import Stream

FILES_AT_ONCE = 64  # open at a time: systems allow a process 256 or more
FRAME_VALUES_MAX = 2**26


class _Writer:
    """A file that is being written, in a `with`: there is none after an error."""

    def __init__(self, made: Any, pack: int | None, transform: bool = True) -> None:
        self.c = made[0]
        self._pack = pack
        self._transform = transform

    def __enter__(self) -> Any:
        order = lib.GHZ_ORDER_BEST if self._transform else lib.GHZ_ORDER_LORENZO
        try:
            check(lib.ghz_file_set_order(self.c, order))
            check(lib.ghz_file_set_pack(self.c, self._pack or 0))
        except BaseException:
            lib.ghz_file_abandon(self.c)
            raise
        return self.c

    def __exit__(self, kind: object, *error: object) -> None:
        if kind:
            lib.ghz_file_abandon(self.c)
            return
        with Lease() as context:
            check(lib.ghz_file_finish(self.c, context))


def _create(path: Path, header: Any, pack: int | None, transform: bool = True) -> _Writer:
    made = ffi.new("ghz_file_writer **")
    check(lib.ghz_file_create(os.fsencode(path), header, made))
    return _Writer(made, pack, transform)


def _header(shape: tuple[int, ...], order: str, count: int, lattice: Any) -> Any:
    header = ffi.new("ghz_file_header *")
    if len(shape) > 32:
        raise ArgumentError(f"{len(shape)} dimensions: a file has 32 at most")
    header.array.ndim = len(shape)
    header.array.fortran = order == "F"
    header.array.npy = True
    header.array.dims[0 : len(shape)] = shape
    header.count = count
    header.lattice = lattice
    return header


def save(
    path: Path,
    array: npt.ArrayLike | Stream,
    *,
    abs: float | None = None,
    rel: float | None = None,
    psnr: float | None = None,
    step: float | None = None,
    like: Stream | Lattice | File | None = None,
    fill_value: float | None = None,
    transform: bool = True,
    pack: int | None = None,
) -> None:
    """Compresses an array to a .ghz file, or writes a stream to one as it is.

    The file appears under its name when it is complete, and replaces one of that name.

    Args:
        path: Of the file.
        array: Floating-point values or integers, of up to 32 dimensions; or a stream, which takes no bound.
        abs: The largest error of a value, in the units of the data.
        rel: The same as a fraction of the range (max - min) of the finite values.
        psnr: The least peak signal-to-noise ratio of the result, in dB.
        step: The quantum of data that are multiples of one (packed data, numbers of two
            decimals): these come back exactly, and all other values are stored as they are.
        like: A stream, file or lattice whose bound this array takes, so that both can be added.
        fill_value: The number that stands for missing values.
        transform: False: no transform.
        pack: 1, by zstd, or 2, smaller: the level the file is packed at, where
            that saves anything; None leaves it unpacked.

    Raises:
        TypeError: As in compress.
        ArgumentError: As in compress; a bound given with a stream; a stream of more values than
            a frame may have.
        MismatchError: As in compress.
        FileError: The file cannot be written.
        BusyError: The file that is there is being appended to.
        UnsupportedError: This build has no files, or no zstd for level 1.
    """
    if isinstance(array, Stream):
        if any(given is not None for given in (abs, rel, psnr, step, like, fill_value)):
            raise ArgumentError("a stream has its bound: leave out abs=, rel=, psnr=, like=")
        _save_stream(path, array, pack)
        return
    values = values_of(array)
    lattice = lattice_of(values, Bound(abs, rel, psnr, step), like, fill_value)
    look_at_loss(lattice, values)
    header = _header(values.shape, values.order, values.memory.size, lattice[0])
    check(lib.ghz_file_choose_frames(header, 0, 0))
    with _create(path, header, pack, transform) as writer:
        _write(writer, values)


def _write(writer: Any, values: Values) -> None:
    with Lease() as context:
        check(lib.ghz_file_write(writer, context, values.pointer, values.memory.size))


def _save_stream(path: Path, stream: Stream, pack: int | None) -> None:
    header = _header(stream.shape, stream.order, stream.size, stream._info.lattice)
    shape = stream._info.shape
    planes = shape.extent[1] * shape.extent[2] * (8 if shape.dims == 3 else 1)
    unit = 16384 if shape.dims == 1 else planes
    header.frame_values = max(1, -(-stream.size // unit)) * unit
    header.shape = shape
    if header.frame_values > FRAME_VALUES_MAX:
        raise ArgumentError(f"{stream.size} values: a file has streams of 2^26; save the array")
    with _create(path, header, pack) as writer, Lease() as context:
        check(lib.ghz_file_write_stream(writer, context, stream._c[0]))


def append(path: Path, array: npt.ArrayLike, *, pack: int | None = None) -> None:
    """Adds an array at the end of the slowest axis of a .ghz file, under the bound of the file.

    The slowest axis is the first, or in Fortran order the last. Only what is new is written,
    behind what is there; it counts when all of it is on the disk. After an error the file is as it
    was, and files that are open keep the array that they opened. One writer appends to a file at a
    time, of all processes and threads; see file.h about file systems without locks.

    Args:
        path: Of the file.
        array: Of the dtype of the file, and of its shape but for the slowest axis.
        pack: 1, by zstd, or 2, smaller: the level at which what is added is packed; None leaves it
            unpacked.

    Raises:
        MismatchError: The dtype or the shape does not continue the file.
        BusyError: Another process or thread appends to the file.
        FileError: The file cannot be read or written, or has lost its name meanwhile;
            FileNotFoundError where there is none.
        CorruptError: It is no .ghz file, or a damaged one.
    """
    with File(path) as file:
        values = values_of(array)
        if values.order == "F" and _without_values(file, values):
            save(path, array, like=file, pack=pack)
            return
        if values.order != file.order and values.memory.ndim > 1:
            values = values_of(values_in(values, file.order))
        have, new = (memory_shape(s, file.order) for s in (file.shape, values.shape))
        if values.memory.dtype != file.dtype:
            raise MismatchError(f"the array is {values.memory.dtype}, the file is {file.dtype}")
        if not new or len(have) != len(new) or have[1:] != new[1:]:
            raise MismatchError(f"shape {values.shape} does not continue {file.shape}")
        look_at_loss(file._lattice, values)
    made = ffi.new("ghz_file_writer **")
    check(lib.ghz_file_append(os.fsencode(path), new[0], made))
    with _Writer(made, pack) as writer:
        _write(writer, values)


def _without_values(file: File, values: Values) -> bool:
    """Whether nothing precedes the values along the last axis. NumPy's arrays without values are in
    C order, so the file may be."""
    return file.order == "C" and file.shape == (*values.shape[:-1], 0)


def values_in(values: Values, order: str) -> Any:
    """Returns the array of values in the other order."""
    array = values.memory if values.order == "C" else values.memory.T
    return array.copy(order="F" if order == "F" else "C")


def sum_files(paths: Sequence[Path], out: Path, divisor: int, pack: int | None) -> File:
    """Adds files, some at a time, and divides the sum, unless by 0; opens the result."""
    with tempfile.TemporaryDirectory(dir=os.path.dirname(os.path.abspath(out))) as folder:
        rest = list(paths)
        for number in range(len(paths)):
            last = len(rest) <= FILES_AT_ONCE
            target = out if last else os.path.join(folder, f"{number}.ghz")
            _sum_few(rest[:FILES_AT_ONCE], target, divisor if last else 0, pack if last else None)
            if last:
                break
            rest = [target, *rest[FILES_AT_ONCE:]]
    return File(out)


def _sum_few(paths: Sequence[Path], out: Path, divisor: int, pack: int | None) -> None:
    files = [open_c(path) for path in paths]
    header = ffi.new("ghz_file_header *", lib.ghz_file_get_info(files[0]).header)
    header.lattice.step = header.lattice.eb = 0  # that of the sum
    operation = ffi.new("ghz_file_operation *", (ffi.NULL, 1.0, divisor, 0))
    with _create(out, header, pack) as writer, Lease() as context:
        every = ffi.new("ghz_file *[]", files)
        check(lib.ghz_file_sum(context, len(files), every, operation, writer))
