# _plan.py: owns what a combination of stores consists of: its chunks, and all that is beside them.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import zarr
from zarr.storage import MemoryStore, StorePath

import ghz
from ghz.zarr._agree import Agreed
from ghz.zarr._chunk import Chunk
from ghz.zarr._layout import Layout, keys_in, layout_of
from ghz.zarr._nodes import Keys, copy_of, is_consolidated, keys_of, name_of, with_attributes
from ghz.zarr._operation import Operation

if TYPE_CHECKING:
    from ghz.zarr._nodes import Array, Attributes

OFFSET = "add_offset"


@dataclass
class Plan:
    """What is to be done: chunks, each by itself, then the rest of each result."""

    chunks: list[Any]  # each is called
    keys: list[Keys]


def plan(operation: Operation, agreed: Agreed, targets: list[StorePath]) -> Plan:
    """Plans results that have the metadata of what stores agree in."""
    chunks: list[Chunk] = []
    keys: Keys = {}
    for path, node in agreed.others.items():
        metadata = with_attributes(node, agreed.attributes[path])
        if isinstance(node, zarr.Array):
            keys |= copy_of(path, node, metadata)
        else:
            keys |= keys_of(path, metadata)
    for path, arrays in agreed.arrays.items():
        layout = layout_of(arrays[0])
        chunks += _chunks(operation, arrays, layout, [target / path for target in targets])
        keys |= keys_of(path, _metadata(operation, arrays[0], layout, agreed.attributes[path]))
    if is_consolidated(agreed.root):
        zarr.consolidate_metadata(MemoryStore(keys))
    return Plan(chunks, [keys for _ in targets])


def _metadata(operation: Operation, array: Array, layout: Layout, attributes: Attributes) -> Any:
    """Returns the metadata of a result: where no array has a chunk, it is that of their fill
    values."""
    attributes = _offset(operation, array, attributes)
    metadata = with_attributes(array, attributes)
    dtype, fill = array.dtype, array.fill_value
    marker = layout.settings.fill
    if fill is None or operation.factor == 1:
        return metadata
    if marker is not None and fill == dtype.type(marker):
        return metadata
    with np.errstate(over="ignore", invalid="ignore"):
        return replace(metadata, fill_value=dtype.type(float(fill) * operation.factor))


def _offset(operation: Operation, array: Array, attributes: Attributes) -> Attributes:
    """Returns the attributes with the add_offset of a result."""
    offset = attributes.get(OFFSET, 0)
    if offset == 0 or operation.factor == 1:
        return attributes
    if operation.factor == 0:  # a difference has none
        return {name: value for name, value in attributes.items() if name != OFFSET}
    what = f"{OFFSET} {offset}, which a sum would have only once; store the decoded values"
    raise ghz.ArgumentError(f"{name_of(array)}: {what}")


def _chunks(
    operation: Operation, arrays: list[Array], layout: Layout, targets: list[StorePath]
) -> list[Chunk]:
    result = []
    for place in keys_in(arrays[0], layout):
        sources = [a.store_path / a.metadata.encode_chunk_key(place) for a in arrays]
        there = [target / arrays[0].metadata.encode_chunk_key(place) for target in targets]
        result.append(Chunk(operation, sources, there, layout))
    return result
