# _notices.py: owns what the codec of Zarr says of an array's metadata, once.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import base64
import math
import struct
import sys
from typing import TYPE_CHECKING, Any

from zarr.abc.codec import BytesBytesCodec

from ghz._notices import once

if TYPE_CHECKING:
    from ghz._settings import Settings


def look_at_metadata(settings: Settings) -> None:
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
    fill = _fill_in(attributes)
    if fill is not None and fill != settings.fill:
        once(f"codec ghz: _FillValue is {fill:.9g}, and not the codec's: give fill={fill:.9g}")


def _fill_in(attributes: Any) -> float | None:
    """Returns the fill value of attributes, unless it is NaN, which needs no mention."""
    for name in ("_FillValue", "missing_value"):
        value = attributes.get(name) if isinstance(attributes, dict) else None
        if isinstance(value, str):  # as xarray writes it to Zarr 3
            try:
                (value,) = struct.unpack("<d", base64.b64decode(value, validate=True))
            except (ValueError, struct.error):
                value = None
        if isinstance(value, (int, float)) and not math.isnan(value):
            return float(value)
    return None
