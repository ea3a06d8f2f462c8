# _integers.py: owns what sums and means of arrays of integers are: arrays that hold them.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import base64
import struct
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from zarr.core.dtype import Float64, Int64

from ghz.zarr._layout import CannotSum
from ghz.zarr._nodes import with_attributes
from ghz.zarr.codec import GhzCodec

if TYPE_CHECKING:
    from ghz.zarr._nodes import Array, Attributes


def of_result(array: Array, attributes: Attributes, divisor: float | None) -> Any:
    """Returns the metadata of the result of an array: sums of integers are of int64, what is divided
    is of float64, on the grid that this makes; other types stay."""
    metadata = with_attributes(array, attributes)
    if array.dtype.kind not in "iu":
        return metadata
    if metadata.zarr_format == 2:
        raise CannotSum(array, "sums and means of integers need Zarr format 3")
    if divisor is None:
        return replace(metadata, data_type=Int64(), fill_value=int(metadata.fill_value))
    codecs = tuple(_on_grid(codec, 1 / divisor) for codec in metadata.codecs)
    attributes = _marked(metadata.attributes)
    fill = float(metadata.fill_value)
    return replace(
        metadata, data_type=Float64(), fill_value=fill, codecs=codecs, attributes=attributes
    )


def _on_grid(codec: Any, step: float) -> Any:
    if isinstance(codec, GhzCodec):
        return replace(codec, lossless=False, step=step)
    if hasattr(codec, "codecs"):  # of shards
        return replace(codec, codecs=tuple(_on_grid(inner, step) for inner in codec.codecs))
    return codec


def _marked(attributes: Attributes) -> Attributes:
    """Returns attributes whose _FillValue is as xarray writes one of float64."""
    fill = attributes.get("_FillValue")
    if not isinstance(fill, (int, float)):
        return attributes
    return attributes | {"_FillValue": base64.b64encode(struct.pack("<d", fill)).decode()}
