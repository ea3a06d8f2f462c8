# _axis.py: owns what sums along axes of a store consist of: their chunks, and all that is beside
# them.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import zarr
from zarr.codecs import ShardingCodec, TransposeCodec
from zarr.storage import MemoryStore, StorePath

import ghz
from ghz.zarr._agree import without_names
from ghz.zarr._integers import of_result
from ghz.zarr._labels import Groups, groups_of, weights_of, whole
from ghz.zarr._layout import CannotSum, Layout, chosen, has_codec, layout_of
from ghz.zarr._nodes import (
    DIMENSIONS,
    Keys,
    attributes_of,
    consolidated,
    copy_of,
    dimensions_of,
    keys_of,
    name_of,
    with_attributes,
    with_history,
    with_method,
)
from ghz.zarr._plan import OFFSET, Plan
from ghz.zarr._reduce import Part, Step, Steps, Within

if TYPE_CHECKING:
    from ghz.zarr._nodes import Array, Node

Place = tuple[int, ...]


@dataclass
class Request:
    """What is asked for."""

    mean: bool  # else the sum
    axes: Sequence[str]
    by: Any
    weights: Mapping[str, Any]
    variables: Iterable[str] | None = None
    dropped: list[str] = field(default_factory=list)  # arrays that the result lacks, and why

    @property
    def kind(self) -> str:
        return "mean" if self.mean else "sum"


@dataclass(frozen=True)
class Along:
    """An array, and how it is summed."""

    array: Array
    axes: Place
    weights: list[Any]  # of each axis; of the first one a row for each group
    groups: Groups | None
    layout: Layout
    result: Layout
    mean: bool

    @property
    def kept(self) -> Place:
        """The axes of the array that the result has."""
        gone = () if self.groups is not None else self.axes
        return tuple(axis for axis in range(self.array.ndim) if axis not in gone)

    @property
    def shape(self) -> Place:
        """Of the result."""
        shape = list(self.array.shape)
        if self.groups is not None:
            shape[self.axes[0]] = len(self.groups.labels)
        return tuple(shape[axis] for axis in self.kept)


def plan_along(request: Request, root: Node, target: StorePath) -> Plan:
    """Plans the sums of a store."""
    nodes = chosen(root, request.variables)
    alongs = _alongs(request, root, nodes)
    gone = {
        path
        for path, node in nodes.items()
        if isinstance(node, zarr.Array) and path not in alongs and _axes_in(request, node)
    }
    request.dropped += sorted(
        p for p in gone if p.rpartition("/")[2] not in request.axes and not has_codec(nodes[p])
    )
    names = {path.rpartition("/")[2] for path in gone}
    keys: Keys = {}
    chunks: list[Any] = []
    for path, node in nodes.items():
        attributes = without_names(attributes_of(node), names)
        if path in alongs:
            chunks += _chunks(alongs[path], target / path)
            method = f"{': '.join(_axes_in(request, node))}: {request.kind}"
            keys |= keys_of(path, _metadata(alongs[path], with_method(attributes, method)))
        elif isinstance(node, zarr.Group):
            done = f"{request.kind} along {' and '.join(request.axes)}"
            own = attributes if path else with_history(attributes, done)
            keys |= keys_of(path, with_attributes(node, own))
        elif path not in gone:
            keys |= copy_of(path, node, with_attributes(node, attributes))
    if isinstance(root, zarr.Group):
        keys |= _labels(alongs, root.metadata.zarr_format)
    return Plan(chunks, [consolidated(keys, root)])


def _alongs(request: Request, root: Node, nodes: dict[str, Node]) -> dict[str, Along]:
    """Returns the arrays that are summed; refuses axes that none has."""
    coded = {path: node for path, node in nodes.items() if has_codec(node)}
    if not coded:
        raise ghz.ArgumentError(f"{name_of(root)}: no array has the codec ghz")
    there = {name for node in coded.values() for name in dimensions_of(node) or ()}
    for axis in request.axes:
        if axis not in there:
            have = ", ".join(sorted(filter(None, there))) or "dimensions without names"
            raise ghz.ArgumentError(f"{name_of(root)}: no array has an axis {axis!r}, but {have}")
    found: dict[str, Along] = {}
    refused: list[CannotSum] = []
    for path, node in coded.items():
        if isinstance(node, zarr.Array) and _axes_in(request, node):
            try:
                found[path] = _along(request, node, root, path.rpartition("/")[0])
            except CannotSum as error:
                refused.append(error)
    if refused and (not found or request.variables is not None):
        raise refused[0]
    request.dropped += map(str, refused)
    return found


def _axes_in(request: Request, node: Node) -> list[str]:
    names = dimensions_of(node) or ()
    return [axis for axis in request.axes if axis in names]


def _along(request: Request, array: Array, root: Node, folder: str) -> Along:
    names = _axes_in(request, array)
    axes = tuple((dimensions_of(array) or ()).index(name) for name in names)
    extents = [array.shape[axis] for axis in axes]
    if 0 in extents:
        raise ghz.ArgumentError(f"{name_of(array)}: axis {names[extents.index(0)]!r} has no steps")
    offset = array.metadata.attributes.get(OFFSET, 0)
    if not request.mean and offset != 0:
        what = f"{OFFSET} {offset}, which a sum would have only once; store the decoded values"
        raise CannotSum(array, what)
    groups = None
    if request.by is not None:
        groups = groups_of(request.by, names[0], extents[0], root, folder)
    weights = weights_of(request.weights or {}, names, extents)
    layout = layout_of(array)
    if is_stepwise(axes, layout) and weights[0] is not None:
        weights[0] = whole(weights[0], names[0], name_of(array))
    rows = [_rows(weights[0], extents[0], groups)]
    rows += [_rows(w, n, None) for w, n in zip(weights[1:], extents[1:])]
    of_result(array, {}, None)  # refuses integers of Zarr 2
    if layout.dtype.kind in "iu" and not is_stepwise(axes, layout):
        what = "integers are summed along one axis of which a chunk is one step"
        raise CannotSum(array, what)
    along = Along(array, axes, rows, groups, layout, layout, request.mean)
    return replace(along, result=_layout(along))


def is_stepwise(axes: Place, layout: Layout) -> bool:
    """Returns whether chunks are steps of the axis, which are added as they are."""
    return len(axes) == 1 and layout.chunk[axes[0]] == 1


def _rows(weights: Any, extent: int, groups: Groups | None) -> Any:
    """Returns the weights of the steps of an axis, in a row for each group."""
    row = np.ones(extent, np.int64) if weights is None else weights
    if groups is None:
        return row[None]
    return np.where(groups.of == np.arange(len(groups.labels))[:, None], row, 0)


def _layout(along: Along) -> Layout:
    """Returns how the chunks of the result are stored: as those of the array, without its axes."""
    layout, kept = along.layout, along.kept
    chunk = tuple(1 if axis in along.axes else layout.chunk[axis] for axis in kept)
    axes = tuple(kept.index(axis) for axis in layout.axes if axis in kept)
    shard = layout.shard
    if shard is not None:
        counts = tuple(1 if axis in along.axes else shard.counts[axis] for axis in kept)
        shard = replace(shard, counts=counts) if kept else None
    dtype = np.dtype("i8") if layout.dtype.kind in "iu" else layout.dtype  # holds sums
    return replace(layout, chunk=chunk, axes=axes, shard=shard, dtype=dtype)


# ---- Chunks ----


def _divisors(along: Along) -> list[Any]:
    """Returns by what the sum of each group is divided."""
    found: list[Any] = []
    for number, row in enumerate(along.weights[0]):
        total = row.sum()
        for weights in along.weights[1:]:
            total = total * weights[0].sum()
        if not row.any() or (along.mean and not total > 0):
            which = "" if along.groups is None else f" of {along.groups.labels[number]}"
            raise ghz.ArgumentError(f"{name_of(along.array)}: the weights{which} add up to {total}")
        found.append(total if along.mean else 1)
    return found


def _chunks(along: Along, target: StorePath) -> list[Any]:
    make = _stepwise if is_stepwise(along.axes, along.layout) else _within
    found: list[Any] = []
    counts = [len(range(0, n, c)) for n, c in zip(along.array.shape, along.layout.key_shape)]
    fixed = [axis for axis in along.kept if axis not in along.axes]
    for place in itertools.product(*(range(counts[axis]) for axis in fixed)):
        found += make(along, dict(zip(fixed, place)), counts, target)
    return found


def _stepwise(
    along: Along, fixed: dict[int, int], counts: list[int], target: StorePath
) -> list[Steps]:
    """Returns a chunk of each group of the result, of chunks that are steps."""
    (axis,) = along.axes
    inside = along.layout.key_shape[axis]
    found = []
    for group, (row, divisor) in enumerate(zip(along.weights[0], _divisors(along))):
        steps = [
            Step(_source(along, fixed | {axis: at // inside}), at % inside, int(row[at]))
            for at in np.flatnonzero(row).tolist()
        ]
        at = tuple(group if a == axis else fixed[a] for a in along.kept)
        key = along.array.metadata.encode_chunk_key(at)
        fill = _fill(along, float(row.sum()) / divisor)
        kept = along.groups is not None
        work = Steps(
            steps, axis, kept, along.layout, along.result, int(divisor), fill, target / key
        )
        found.append(work)
    return found


def _within(
    along: Along, fixed: dict[int, int], counts: list[int], target: StorePath
) -> list[Within]:
    """Returns a chunk of all groups of the result, of sums within chunks."""
    extents = along.layout.key_shape
    parts = []
    for place in itertools.product(*(range(counts[axis]) for axis in along.axes)):
        source = _source(along, fixed | dict(zip(along.axes, place)))
        first = tuple(at * extents[axis] for at, axis in zip(place, along.axes))
        parts.append(Part(source, first))
    targets = []
    for group in range(len(along.weights[0])):
        at = [group if axis in along.axes else fixed[axis] for axis in along.kept]
        targets.append(target / along.array.metadata.encode_chunk_key(tuple(at)))
    _divisors(along)  # refuses weights without a sum
    kept = along.groups is not None
    layouts = along.layout, along.result
    return [Within(parts, along.axes, kept, *layouts, along.weights, along.mean, targets)]


def _source(along: Along, place: dict[int, int]) -> StorePath:
    where = tuple(place[axis] for axis in range(along.array.ndim))
    return along.array.store_path / along.array.metadata.encode_chunk_key(where)


def _fill(along: Along, factor: float) -> Any:
    """Returns what the sum of fill values is."""
    fill, marker = along.layout.fill, along.layout.settings.fill
    if marker is not None and fill == along.layout.dtype.type(marker):
        return fill
    if along.layout.dtype.kind in "iu":
        return int(fill) * round(factor)
    with np.errstate(over="ignore", invalid="ignore"):
        return along.layout.dtype.type(float(fill) * factor)


# ---- Metadata ----


def _metadata(along: Along, attributes: dict[str, Any]) -> Any:
    """Returns the metadata of the result of an array."""
    own = dimensions_of(along.array) or ()
    group = along.groups.name if along.groups else None
    names = [group if a in along.axes else own[a] for a in along.kept]
    if DIMENSIONS in attributes:
        attributes[DIMENSIONS] = names
    divisor = float(_divisors(along)[0]) if along.mean else None
    metadata: Any = of_result(along.array, attributes, divisor)
    if metadata.zarr_format == 2:
        return replace(metadata, shape=along.shape, chunks=along.result.chunk)
    codecs = [codec for codec in map(_codec(along), metadata.codecs) if codec is not None]
    if along.layout.shard is not None and along.result.shard is None:
        codecs = list(_codec(along)(metadata.codecs[0]).codecs)
    grid = {"name": "regular", "configuration": {"chunk_shape": along.result.key_shape}}
    changed = {"shape": along.shape, "chunk_grid": grid, "dimension_names": names}
    changed |= {"codecs": [codec.to_dict() for codec in codecs]}
    return type(metadata).from_dict(metadata.to_dict() | changed)


def _codec(along: Along) -> Any:
    """Returns what makes a codec of the array one of the result."""
    kept = along.kept

    def changed(codec: Any) -> Any:
        if isinstance(codec, TransposeCodec):
            order = tuple(kept.index(axis) for axis in codec.order if axis in kept)
            return TransposeCodec(order=order)
        if isinstance(codec, ShardingCodec):
            inner = tuple(map(changed, codec.codecs))
            return replace(codec, chunk_shape=along.result.chunk, codecs=inner)
        return codec

    return changed


def _labels(alongs: dict[str, Along], zarr_format: Any) -> Keys:
    """Returns the coordinates of groups, in the folder of each array."""
    keys: Keys = {}
    for path, along in alongs.items():
        if along.groups is None:
            continue
        store, groups = MemoryStore(), along.groups
        folder = path.rpartition("/")[0]
        at = f"{folder}/{groups.name}" if folder else groups.name
        names: dict[str, Any] = {"dimension_names": [groups.name]}
        if zarr_format == 2:
            names = {"attributes": {DIMENSIONS: [groups.name]}}
        data = groups.labels
        if data.dtype.kind in "UT":
            made = zarr.create_array(
                store, name=at, shape=data.shape, dtype=str, zarr_format=zarr_format, **names
            )
            made[...] = data.astype(object)
        else:
            zarr.create_array(store, name=at, data=data, zarr_format=zarr_format, **names)
        keys |= {key: value for key, value in store._store_dict.items() if key.startswith(f"{at}/")}
    return keys
