# _notices.py: owns what the codec of Zarr says of an array's metadata, once.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import base64
import contextlib
import math
import struct
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
from zarr.abc.codec import BytesBytesCodec

from ghz._lattice import shortest
from ghz._notices import once

if TYPE_CHECKING:
    from ghz._settings import Settings

FILLS = ("_FillValue", "missing_value")


def look_at_metadata(settings: Settings, dtype: np.dtype[Any]) -> None:
    """Warns of a compressor behind the codec, and of a _FillValue that is not its fill; to be called
    by a codec's validate. Zarr tells a codec nothing of the array but for shape and type, so this
    looks at whose codecs are validated; and says nothing where that is something else."""
    metadata = sys._getframe(2).f_locals.get("self")
    codecs, attributes = (getattr(metadata, name, ()) for name in ("codecs", "attributes"))
    behind = [codec for codec in codecs if isinstance(codec, BytesBytesCodec)]
    if behind:
        names = ", ".join(str(codec.to_dict()["name"]) for codec in behind)
        once(
            f"codec ghz: {names} behind it hides the streams from sums and from reading of parts, and"
            " gains little: give compressors=None; to pack chunks, pack=2"
        )
    for name in FILLS:
        value = attributes.get(name) if isinstance(attributes, dict) else None
        fill = fill_number(value, dtype)
        if isinstance(fill, float) and not math.isnan(fill):  # NaN needs no mention
            if fill != settings.of(dtype).fill:
                text = repr(fill).removesuffix(".0")
                once(f"codec ghz: _FillValue is {text}, and not the codec's: give fill={text}")
            return


def fill_number(value: Any, dtype: np.dtype[Any]) -> Any:
    """Returns the number that an attribute has for an array of this dtype: 1e20 may be written as
    float32 has it. What is no number is returned as it is."""
    if isinstance(value, str):  # as xarray writes it to Zarr 3
        with contextlib.suppress(ValueError, struct.error):
            (value,) = struct.unpack("<d", base64.b64decode(value, validate=True))
    return shortest(value, dtype) if isinstance(value, (int, float)) else value
