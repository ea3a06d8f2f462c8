# _call.py: owns calls of the library: which context they use, and memory for what they make.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import Any

from ._errors import ArgumentError, OutOfMemoryError, error_of, text
from ._ghz import ffi, lib

_default = 1
_here: ContextVar[int | None] = ContextVar("ghz_threads", default=None)
# Contexts of several threads that no call uses: by their number of threads. pop() and append() of a
# list are atomic.
_idle: dict[int, list[Any]] = {}
# Memory for results that are small, which no call uses: bytes and a size.
_small: list[tuple[Any, Any]] = []
SMALL = 1 << 14


def set_threads(count: int) -> None:
    """Sets how many threads each call of this process uses: 1 at first, 0 for one a core.

    Calls of different Python threads run side by side whatever this says.
    """
    global _default
    _default = _checked(count)


def get_threads() -> int:
    """Returns how many threads a call from here asks for; 0: one a core. In a child of a process that
    used several it gets one."""
    here = _here.get()
    return _default if here is None else here


@contextlib.contextmanager
def threads(count: int) -> Iterator[None]:
    """Sets the threads of each call inside a `with`, in this Python thread or task alone."""
    token = _here.set(_checked(count))
    try:
        yield
    finally:
        _here.reset(token)


def _checked(count: int) -> int:
    if not 0 <= count <= 4096:
        raise ArgumentError(f"{count} threads: must be 0 to 4096")
    return int(count)


class Lease:
    """A context for a call, in a `with`: NULL for one thread."""

    __slots__ = ("_context", "_count")

    def __enter__(self) -> Any:
        self._count = get_threads()
        self._context = ffi.NULL if self._count == 1 else self._of_several()
        return self._context

    def __exit__(self, *error: object) -> None:
        if self._count != 1:
            _idle.setdefault(self._count, []).append(self._context)

    def _of_several(self) -> Any:
        try:
            return _idle.setdefault(self._count, []).pop()
        except IndexError:
            made = ffi.new("ghz_context **")
            check(lib.ghz_context_create(made, self._count))
            return ffi.gc(made[0], lib.ghz_context_free)


def call(function: Callable[..., int], *arguments: Any) -> None:
    """Calls function(context, *arguments), without the GIL; raises its error."""
    if get_threads() == 1:
        check(function(ffi.NULL, *arguments))
        return
    with Lease() as context:
        status = function(context, *arguments)
        if status:
            raise error_of(status, text(lib.ghz_context_message(context)))


def check(status: int) -> None:
    """Raises the error of a call that takes no context, or of one on a file."""
    if status:
        raise error_of(status, text(lib.ghz_context_message(ffi.NULL)))


def produce(capacity: int, function: Callable[..., int], *arguments: Any) -> Any:
    """Calls function(context, *arguments, dst, capacity, size); returns dst as bytes, or as a buffer
    that owns its memory. Of the capacity, only what is written becomes memory of the process."""
    if not capacity:
        raise OutOfMemoryError("the result does not fit in memory")
    if capacity <= SMALL:
        return _produce_small(function, arguments)
    memory = lib.malloc(capacity)
    if memory == ffi.NULL:
        raise OutOfMemoryError(f"no {capacity} bytes for the result")
    size = ffi.new("size_t *")
    try:
        call(function, *arguments, memory, capacity, size)
    except BaseException:
        lib.free(memory)
        raise
    shorter = lib.realloc(memory, size[0])
    return _owned(memory if shorter == ffi.NULL else shorter, size[0])


def made(function: Callable[..., int], *arguments: Any) -> Any:
    """Calls function(context, *arguments, stream, size), which allocates; returns what it made as a
    buffer that owns its memory."""
    stream, size = ffi.new("void **"), ffi.new("size_t *")
    call(function, *arguments, stream, size)
    return _owned(stream[0], size[0])


def _owned(memory: Any, size: int) -> Any:
    return ffi.buffer(ffi.gc(memory, lib.free, size), size)


def _produce_small(function: Callable[..., int], arguments: tuple[Any, ...]) -> bytes:
    """Calls as produce does; the result is copied, as that takes less time than to allocate."""
    try:
        memory, size = kept = _small.pop()  # no other thread, signal or finaliser has it meanwhile
    except IndexError:
        memory, size = kept = ffi.new("char[]", SMALL), ffi.new("size_t *")
    try:
        call(function, *arguments, memory, SMALL, size)
        return ffi.buffer(memory, size[0])[:]  # type: ignore[no-any-return]
    finally:
        _small.append(kept)
