# _packing.py: owns packed streams: streams that are compressed once more, without loss.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

from typing import Any

from ._arrays import Shape, library_shape
from ._call import made, produce
from ._ghz import ffi, lib


MOST = 4 << 30  # bytes: of a megabyte others could announce 50 GB
LEVEL: int = lib.GHZ_FILE_PACK  # to pack at, where none is given


def pack(data: Any, level: int) -> Any:
    """Returns the packed bytes of a stream, as a buffer."""
    held = ffi.from_buffer("char[]", data)
    stream = ffi.new("ghz_bytes *", (held, len(held)))
    return produce(lib.ghz_packed_bound(len(held)), lib.ghz_pack_stream, stream[0], level)


def unpacked(data: Any, shape: Shape | None = None) -> Any:
    """Returns the bytes of a stream, which may be packed, as a buffer. shape: what the stream may be
    of at most, in the order of the memory; without one it may have MOST bytes."""
    held = ffi.from_buffer("char[]", data)
    stream = ffi.new("ghz_bytes *", (held, len(held)))
    if not lib.ghz_is_packed(stream[0]):
        return data
    most = MOST
    if shape is not None:
        of = library_shape(shape, "C")
        most = lib.ghz_shape_bound(of, lib.GHZ_F64, lib.ghz_terms_limit(35)) or most
    return made(lib.ghz_unpack_stream, stream[0], most)
