# _plan.py: owns what a combination of stores consists of: its chunks, and all that is beside them.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import zarr
from zarr.storage import StorePath

from ghz.zarr._agree import Agreed
from ghz.zarr._chunk import Chunk
from ghz.zarr._integers import of_result
from ghz.zarr._layout import CannotSum, has_codec, keys_in, layout_of
from ghz.zarr._nodes import (
    Keys,
    attributes_of,
    consolidated,
    copy_of,
    keys_of,
    with_attributes,
    with_history,
    with_method,
)
from ghz.zarr._operation import Operation

if TYPE_CHECKING:
    from ghz.zarr._nodes import Array, Attributes, Node

OFFSET = "add_offset"


@dataclass
class Plan:
    """What is to be done: chunks, each by itself, then the rest of each result."""

    chunks: list[Any]  # each is called
    keys: list[Keys]


def plan(operation: Operation, agreed: Agreed, target: StorePath) -> Plan:
    """Plans a result that has the metadata of what stores agree in."""
    chunks = _all_chunks(operation, agreed, [target])
    firsts: dict[str, Node] = {path: arrays[0] for path, arrays in agreed.arrays.items()}
    nodes = agreed.others | firsts
    return Plan(chunks, [_keys(operation, nodes, agreed.attributes)])


def plan_each(
    operation: Operation,
    agreed: Agreed,
    every: list[dict[str, Node]],
    targets: list[StorePath],
) -> Plan:
    """Plans a result for each store, with its own metadata."""
    keys = []
    for members in every:
        attributes = {path: attributes_of(member) for path, member in members.items()}
        keys.append(_keys(operation, members, attributes))
    return Plan(_all_chunks(operation, agreed, targets), keys)


def _all_chunks(operation: Operation, agreed: Agreed, targets: list[StorePath]) -> list[Chunk]:
    chunks: list[Chunk] = []
    for path, arrays in agreed.arrays.items():
        chunks += _chunks(operation, arrays, [target / path for target in targets])
    return chunks


def _keys(operation: Operation, nodes: dict[str, Node], attributes: dict[str, Attributes]) -> Keys:
    """Returns what is beside the chunks of a result: metadata, and what is copied."""
    keys: Keys = {}
    for path, node in nodes.items():
        if isinstance(node, zarr.Group):
            own = attributes[path] if path else with_history(attributes[path], operation.history)
            keys |= keys_of(path, with_attributes(node, own))
        elif has_codec(node):
            keys |= keys_of(path, _metadata(operation, node, attributes[path]))
        else:
            keys |= copy_of(path, node, with_attributes(node, attributes[path]))
    return consolidated(keys, nodes[""])


def _metadata(operation: Operation, array: Array, attributes: Attributes) -> Any:
    """Returns the metadata of a result: where no array has a chunk, it is that of their fill
    values."""
    attributes = with_method(_offset(operation, array, attributes), operation.method)
    metadata = of_result(array, attributes, operation.divisor)
    dtype, fill = array.dtype, array.fill_value
    marker = layout_of(array).settings.fill
    if fill is None or operation.factor == 1:
        return metadata
    if marker is not None and fill == dtype.type(marker):
        return metadata
    with np.errstate(over="ignore", invalid="ignore"):
        if dtype.kind in "iu":
            return replace(metadata, fill_value=int(fill) * operation.factor)
        return replace(metadata, fill_value=dtype.type(float(fill) * operation.factor))


def _offset(operation: Operation, array: Array, attributes: Attributes) -> Attributes:
    """Returns the attributes with the add_offset of a result."""
    offset = attributes.get(OFFSET, 0)
    if offset == 0 or operation.factor == 1:
        return attributes
    if operation.factor == 0:  # a difference has none
        return {name: value for name, value in attributes.items() if name != OFFSET}
    what = f"{OFFSET} {offset}, which a sum would have only once; store the decoded values"
    raise CannotSum(array, what)


def _chunks(operation: Operation, arrays: list[Array], targets: list[StorePath]) -> list[Chunk]:
    layout = layout_of(arrays[0])
    result = []
    for place in keys_in(arrays[0], layout):
        sources = [a.store_path / a.metadata.encode_chunk_key(place) for a in arrays]
        there = [target / arrays[0].metadata.encode_chunk_key(place) for target in targets]
        result.append(Chunk(operation, sources, there, layout))
    return result
