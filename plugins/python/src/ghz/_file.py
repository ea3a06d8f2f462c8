# _file.py: owns File: a .ghz file, of which a slice reads what it needs.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import math
import os
import stat
import threading
import weakref
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ._arrays import TYPES, Array, Order, Shape, dtype_on, memory_shape
from ._call import Lease, call, check
from ._compressed import Compressed
from ._errors import ArgumentError
from ._ghz import ffi, lib
from ._index import groups
from ._lattice import Lattice, from_c
from ._numbers import Summary, summary_of
from ._stream import Stream

Path = str | os.PathLike[str]

_files: weakref.WeakValueDictionary[int, File] = weakref.WeakValueDictionary()
# While the process forks its thread has the locks of all files: no other is in the midst of one.
_forking = threading.Lock()
_held: list[Any] = []


def _before_fork() -> None:
    _forking.acquire()
    _held.extend(file._lock for ref in _files.valuerefs() if (file := ref()) is not None)
    for lock in _held:
        lock.acquire()


def _after_fork() -> None:
    while _held:
        _held.pop().release()
    _forking.release()


os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork)


def open_c(path: Path) -> Any:
    """Opens a file; it closes when the last reference is gone."""
    if not stat.S_ISREG(os.stat(path).st_mode):  # FileNotFoundError and the like, as open() has it
        raise ArgumentError(f"{os.fspath(path)}: is no regular file")
    made = ffi.new("ghz_file **")
    check(lib.ghz_file_open(os.fsencode(path), made))
    return ffi.gc(made[0], lib.ghz_file_close)


class File(Compressed):
    """A .ghz file: a compressed array, of which a slice reads what it needs. Made by ghz.open.

        with ghz.open("x.ghz") as f:
            part = f[3:5]

    Any number of threads may use it; their reads take turns. It closes when it is no longer used.
    Reading raises CorruptError where the file is damaged, and FileError where the system cannot
    read it.

    Attributes:
        path: As it was given to open.
    """

    def __init__(self, path: Path) -> None:
        self.path = os.fspath(path)
        self._lock = threading.Lock()
        self._c: Any = open_c(path)
        _files[id(self)] = self
        header = self._info().header
        array = header.array
        known = array.ndim > 0 or array.npy
        self._known = bool(known)
        self._shape: Shape = (*array.dims[0 : array.ndim],) if known else (header.count,)
        self._order: Order = "F" if array.fortran and array.ndim > 1 else "C"

    def _info(self) -> Any:
        c = self._open()  # kept, as another thread may close the file meanwhile
        return ffi.new("ghz_file_info *", lib.ghz_file_get_info(c)[0])

    def _open(self) -> Any:
        if self._c is None:
            raise ArgumentError(f"{self.path}: is closed")
        return self._c

    # ---- What it is ----

    @property
    def shape(self) -> Shape:
        """Extents of the array; (count,) if the file does not know them."""
        return self._shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """That of the array that was compressed; of means of integers float64."""
        return dtype_on(self._info().header.lattice)

    @property
    def order(self) -> Order:
        """ "F" if the array was in Fortran order, else "C"."""
        return self._order

    @property
    def nbytes(self) -> int:
        """Bytes of the file."""
        return int(self._info().bytes)

    @property
    def bound(self) -> float:
        """The largest error of a value, in the units of the data."""
        info = self._info()
        if info.indexed:
            return float(info.bound)
        return max(stream.bound for stream in self.streams())  # of a pipe: no index says it

    @property
    def _lattice(self) -> Any:
        return ffi.new("ghz_lattice *", self._info().header.lattice)

    @property
    def lattice(self) -> Lattice:
        """What other arrays have to share to be added: give it, or the file, to like=."""
        return from_c(self._info().header.lattice)

    @property
    def frames(self) -> int:
        """Streams that the file consists of; 0 if no index says it: of a pipe."""
        return int(self._info().frames)

    @property
    def packed(self) -> int:
        """Of these, how many are packed."""
        return int(self._info().packed)

    def __repr__(self) -> str:
        if self._c is None:
            return f"<ghz.File {self.path!r}: closed>"
        return f"<ghz.File {self.path!r}: {self._describe()}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return File, (os.path.abspath(self.path),)

    # ---- Values and numbers ----

    def _read_all(self, type: int, pointer: Any, count: int) -> None:
        with self._lock, Lease() as context:
            check(lib.ghz_file_read(self._open(), context, type, 0, count, pointer))

    def _read_box(self, origin: tuple[int, ...], out: Array) -> None:
        pointer = ffi.from_buffer("char[]", out, True)
        what = (TYPES[out.dtype], *self._box(origin, out))
        with self._lock, Lease() as context:
            read = lib.ghz_file_read_box if self._boxes() else lib.ghz_file_read
            check(read(self._open(), context, *what, pointer))

    def _boxes(self) -> bool:
        return self._known and len(self._shape) > 0

    def _box(self, origin: tuple[int, ...], out: Array) -> tuple[Any, Any]:
        if not self._boxes():
            return sum(origin), out.size
        begin = memory_shape(origin, self._order)  # in the order of the dimensions
        extents = memory_shape(out.shape, self._order)
        return begin, tuple(b + e for b, e in zip(begin, extents))

    def _axes(self) -> tuple[Sequence[int], Sequence[int]]:
        ndim = len(self._shape)
        return range(ndim + 1), [8] * (ndim - 1) + [1024]

    def streams(self) -> Iterator[Stream]:
        """Reads the file's streams one after the other: pieces along the slowest axis, mostly."""
        self._open()
        file = open_c(self.path)
        frame = ffi.gc(ffi.new("ghz_frame *"), lib.ghz_frame_free)
        while True:
            with Lease() as context:
                check(lib.ghz_file_next(file, context, frame))
            if not frame.stream.size:
                return
            data = bytes(ffi.buffer(frame.stream.data, frame.stream.size))
            yield Stream(data, self._piece(frame.info), self._order)

    def _piece(self, info: Any) -> Shape | None:
        """Returns the shape of a frame: some of the slowest axis, or else what its stream says."""
        memory = memory_shape(self._shape, self._order)
        inner = math.prod(memory[1:])
        if memory and inner and info.count % inner == 0:
            piece = (info.count // inner, *memory[1:])
            if groups(piece, info.shape.extent):
                return memory_shape(piece, self._order)
        return self._shape if info.count == self.size else None

    def summary(self) -> Summary:
        """Returns sum, mean, variance, deviation and norm of the finite values, and their count.
        Reads the whole file, decompresses nothing."""
        tally = ffi.new("ghz_tally *")
        for stream in self.streams():
            call(lib.ghz_tally_add, tally, stream._c[0])
        c = ffi.new("ghz_summary *")
        check(lib.ghz_tally_summary(tally, c))
        return summary_of(c)

    def _extrema(self) -> tuple[float, float]:
        ends = [stream._extrema() for stream in self.streams()]
        return min(end[0] for end in ends), max(end[1] for end in ends)

    # ---- Closing ----

    def close(self) -> None:
        """Closes the file. Without this it closes when it is no longer used."""
        with self._lock:
            self._c = None

    def __enter__(self) -> File:
        self._open()
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def open(path: Path) -> File:
    """Opens a .ghz file, and reads its header and index.

    Args:
        path: Of a regular file.

    Returns:
        The file, of which slices read what they need.

    Raises:
        FileNotFoundError: There is no such file.
        FileError: The system cannot read it.
        ArgumentError: It is no regular file.
        CorruptError: It is no .ghz file, or a damaged one.
        VersionError: Another version wrote it, which this one does not read.
        UnsupportedError: This build has no files.
    """
    return File(path)
