# _errors.py: owns the exceptions, and which of them a status of the library becomes.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

from ._ghz import ffi, lib


class Error(Exception):
    """Base of every error that libghz reports."""


class ArgumentError(Error, ValueError):
    """An argument violates its contract."""


class MismatchError(Error, ValueError):
    """Streams or files differ in dtype, shape, lattice or fill value, so they do not add."""


class CorruptError(Error, ValueError):
    """Bytes that are no stream or file, truncated, or damaged."""


class VersionError(CorruptError):
    """Bytes that another version wrote, which this one does not read."""


class RangeError(Error, OverflowError):
    """A sum of more terms than a stream may have; integers that a dtype or a lattice does not hold."""


class OutOfMemoryError(Error, MemoryError):
    """The library could not allocate memory."""


class FileError(Error, OSError):
    """The system reports an error of a file."""


class BusyError(FileError):
    """Another writer appends to the file."""


class UnsupportedError(Error, RuntimeError):
    """This build, or this machine, lacks what the call needs; see ghz.features."""


_CLASSES: dict[str, type[Error]] = {
    "GHZ_EINVAL": ArgumentError,
    "GHZ_ENOMEM": OutOfMemoryError,
    "GHZ_ECORRUPT": CorruptError,
    "GHZ_EVERSION": VersionError,
    "GHZ_EMISMATCH": MismatchError,
    "GHZ_ERANGE": RangeError,
    "GHZ_EISA": UnsupportedError,
    "GHZ_EBUSY": BusyError,
    "GHZ_EIO": FileError,
    "GHZ_EUNSUPPORTED": UnsupportedError,
}
_BY_STATUS = {getattr(lib, name): kind for name, kind in _CLASSES.items() if hasattr(lib, name)}


def text(characters: object) -> str:
    """Returns a string of C."""
    return str(ffi.string(characters).decode("utf-8", "replace"))


def error_of(status: int, message: str) -> Error:
    """Returns the exception for a status, with the library's message."""
    return _BY_STATUS.get(status, Error)(message or text(lib.ghz_status_text(status)))
