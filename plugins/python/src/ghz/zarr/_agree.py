# _agree.py: owns what stores have to agree in, to be added; all else is that of the first.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import zarr

import ghz
from ghz.zarr._layout import chosen, has_codec, same, settings_of
from ghz.zarr._nodes import attributes_of, dimensions_of, kind_of, name_of
from ghz.zarr._notices import FILLS, fill_number
from ghz.zarr._places import coordinates_in, is_elsewhere

if TYPE_CHECKING:
    from ghz.zarr._nodes import Array, Attributes, Node

    Members = dict[str, Node]

FIELDS = ("shape", "chunk_grid", "codecs", "order", "compressor", "filters", "fill_value")
# Attributes that say what the numbers of an array mean: of others xarray and people take no values.
MEANING: dict[str, Any] = {"scale_factor": 1, "add_offset": 0, "_FillValue": None}
MEANING |= dict.fromkeys(("missing_value", "_Unsigned", "units", "calendar"))
STAYS = "; store the decoded values"


@dataclass
class Agreed:
    """What stores have in common."""

    arrays: dict[str, list[Array]] = field(default_factory=dict)  # to be added: of each store
    others: dict[str, Node] = field(default_factory=dict)  # to be copied, of the first store
    attributes: dict[str, Attributes] = field(default_factory=dict)  # of all these
    differ: list[str] = field(default_factory=list)  # what else is not the same in all
    times: list[str] = field(default_factory=list)  # of these, coordinates of time


def agree(
    nodes: list[Node], variables: Iterable[str] | None = None, differing_places: bool = False
) -> Agreed:
    """Compares stores. MismatchError where those differ that are to be added, or where the values
    are; all else is that of the first store, and what differs in it is noted."""
    every = [chosen(node, variables) for node in nodes]
    result, coordinates = Agreed(), coordinates_in(every[0])
    for path in dict.fromkeys(itertools.chain(*every)):
        _take(path, every, result)
        if path in coordinates:
            _look_at(coordinates[path], path, every, differing_places, result)
    if not result.arrays:
        raise ghz.ArgumentError(f"{name_of(nodes[0])}: no array has the codec ghz")
    return result


def _take(path: str, every: list[Members], result: Agreed) -> None:
    """Takes what stores have at a path."""
    have = [members[path] for members in every if path in members]
    lacks = next((members[""] for members in every if path not in members), None)
    added = any(has_codec(node) for node in have)
    problem = None
    if lacks is not None:
        problem = f"{name_of(lacks)}: no {path!r}, which {name_of(have[0])} has"
    for node in have[1:]:
        problem = problem or (_in_sums if added else _in_copies)(node, have[0])
    if problem and (added or path == ""):
        raise ghz.MismatchError(problem)
    result.differ += [path] if problem else _attributes_that_differ(path, have)
    if path not in every[0]:
        return
    if added:
        result.arrays[path] = have  # type: ignore[assignment]
    else:
        result.others[path] = have[0]
    result.attributes[path] = attributes_of(have[0])


def _look_at(
    kind: str, path: str, every: list[Members], differing_places: bool, result: Agreed
) -> None:
    """Refuses values at other places; notes those of other times."""
    first, *rest = (members[path] for members in every if path in members)
    for node in rest:
        if not is_elsewhere(node, first):
            continue
        if kind == "time":
            result.times += {path} - {*result.times}
        elif not differing_places:
            advice = "put them on one grid, or go on with differing_places=True"
            raise ghz.MismatchError(
                f"{name_of(node)}: other places than {name_of(first)}; {advice}"
            )


def _attributes_that_differ(path: str, nodes: list[Node]) -> list[str]:
    names = set().union(*map(attributes_of, nodes)) - {"history"}  # which each has of its own
    differ = {n for n in names if any(not _same_in(n, node, nodes[0]) for node in nodes[1:])}
    if "cell_methods" in differ and len({_first_method(node) for node in nodes}) == 1:
        differ.remove("cell_methods")  # a mean has one more
    return [f"{path}.{name}" if path else name for name in sorted(differ)]


def _in_sums(node: Any, first: Any) -> str | None:
    """Says in what arrays differ whose chunks are to be added, or None."""
    if kind_of(node) != kind_of(first):
        return f"{name_of(node)}: {kind_of(node)}, but {name_of(first)} is {kind_of(first)}"
    if node.metadata.zarr_format != first.metadata.zarr_format:
        one, two = (n.metadata.zarr_format for n in (node, first))
        return f"{name_of(node)}: Zarr format {one}, but {two} in {name_of(first)}"
    for name in FIELDS:
        one, two = (_field(n, name) for n in (node, first))
        if not same(one, two):
            return f"{name_of(node)}: {name} {one}, but {two} in {name_of(first)}"
    if (one := node.dtype) != (two := first.dtype):
        return f"{name_of(node)}: data_type {one}, but {two} in {name_of(first)}"
    one, two = dimensions_of(node), dimensions_of(first)
    if one != two and None not in (one, two):
        return f"{name_of(node)}: dimensions {one}, but {two} in {name_of(first)}"
    return _in_meaning(node, first, STAYS)


def _field(array: Array, name: str) -> Any:
    if name == "compressor" and array.metadata.zarr_format == 2:
        return settings_of(array)
    return getattr(array.metadata, name, None)


def _in_meaning(node: Node, first: Node, advice: str = "") -> str | None:
    for name in MEANING:
        if not _same_in(name, node, first):
            one, two = _attribute(node, name), _attribute(first, name)
            return f"{name_of(node)}: {name} {one}, but {two} in {name_of(first)}{advice}"
    return None


def _in_copies(node: Node, first: Node) -> str | None:
    """Says in what other nodes differ, or None."""
    if kind_of(node) != kind_of(first):
        return f"{name_of(node)}: {kind_of(node)}, but {name_of(first)} is {kind_of(first)}"
    if not isinstance(node, zarr.Array) or not isinstance(first, zarr.Array):
        return None
    if node.shape != first.shape or not _equal(node[...], first[...]):
        return f"{name_of(node)}: values differ from those of {name_of(first)}"
    return _in_meaning(node, first)


def _same_in(name: str, one: Node, two: Node) -> bool:
    return same(_attribute(one, name), _attribute(two, name))


def _first_method(node: Node) -> str:
    return str(attributes_of(node).get("cell_methods", "")).partition("realization: ")[0].strip()


def _attribute(node: Node, name: str) -> Any:
    """Returns an attribute, fill values as the type of the array has them."""
    value = node.metadata.attributes.get(name, MEANING.get(name))
    if name in FILLS and isinstance(node, zarr.Array):
        return fill_number(value, node.dtype)
    return value


def _equal(one: Any, two: Any) -> bool:
    one, two = np.asarray(one), np.asarray(two)
    return np.array_equal(one, two, equal_nan=one.dtype.kind in "fcmM")


def without_names(attributes: Attributes, gone: set[str]) -> Attributes:
    """Returns attributes whose list of coordinates lacks these names."""
    names = attributes.get("coordinates")
    if not gone or not isinstance(names, str):
        return attributes
    kept = [name for name in names.split() if name not in gone]
    if kept:
        return attributes | {"coordinates": " ".join(kept)}
    return {name: value for name, value in attributes.items() if name != "coordinates"}
