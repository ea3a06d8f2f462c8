# numcodecs.py: owns the codec "ghz" of numcodecs: a compressor for Zarr format 2, and for others.
# SPDX-License-Identifier: BSD-3-Clause
"""The codec of numcodecs: numcodecs.get_codec({"id": "ghz", "abs": 1e-3})."""

from __future__ import annotations

from typing import Any

import numpy as np
from numcodecs.abc import Codec
from numcodecs.compat import ensure_bytes, ndarray_copy
from numcodecs.registry import register_codec

from ._settings import Settings
from ._stream import Stream


class Ghz(Codec):  # type: ignore[misc]
    """Compresses arrays of float32 and float64 to libghz streams; takes ghz.Settings by name.

    A stream has the shape of the array, in the order of its memory. What comes back is flat, as
    numcodecs gives it to those who know the shape.
    """

    codec_id = "ghz"

    def __init__(self, **settings: Any) -> None:
        self._settings = Settings.named(settings)

    def get_config(self) -> dict[str, Any]:
        return {"id": self.codec_id, **self._settings.names()}

    def __repr__(self) -> str:
        return f"Ghz({', '.join(f'{k}={v!r}' for k, v in self._settings.names().items())})"

    def encode(self, buf: Any) -> bytes:
        if not isinstance(buf, np.ndarray):
            raise TypeError(f"codec ghz: a NumPy array is needed, not {type(buf).__name__}")
        if not buf.dtype.isnative:  # whoever reads it takes what comes back for the array's order
            order = f"{buf.dtype} is not in the byte order of this machine"
            advice = f"give dtype={buf.dtype.newbyteorder('=').str!r}, or take Zarr format 3"
            raise TypeError(f"codec ghz: {order}: {advice}")
        turned = buf.flags.f_contiguous and not buf.flags.c_contiguous
        stream = self._settings.compress(buf.T if turned else buf)
        return bytes(self._settings.stored(stream))

    def decode(self, buf: Any, out: Any = None) -> Any:
        values = self._settings.decompress(Stream.from_bytes(ensure_bytes(buf))).reshape(-1)
        if isinstance(out, np.ndarray) and out.dtype not in (values.dtype, np.dtype("u1")):
            raise TypeError(f"codec ghz: out= is {out.dtype}, the chunk is {values.dtype}")
        return values if out is None else ndarray_copy(values, out)


register_codec(Ghz)
