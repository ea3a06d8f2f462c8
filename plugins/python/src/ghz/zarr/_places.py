# _places.py: owns which arrays say where and when the values of others are, and whether stores have
# the same ones.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import zarr

from ghz.zarr._layout import has_codec
from ghz.zarr._nodes import attributes_of, dimensions_of

if TYPE_CHECKING:
    from ghz.zarr._nodes import Array, Node

# Names of CF, of models and of GRIB, which are known without attributes.
PLACES = set(
    "lat latitude lon longitude x y z lev level levels plev pressure air_pressure height altitude "
    "depth model_level_number projection_x_coordinate projection_y_coordinate isobaricinhpa "
    "heightaboveground".split()
)
TIMES = {"time", "forecast_reference_time", "forecast_period", "valid_time", "date", "year"}


def coordinates_in(members: dict[str, Node]) -> dict[str, str]:
    """Returns which arrays say where or when the values of others with the codec are, "place" or
    "time" by path: coordinates of dimensions, latitudes and longitudes of cells, levels and times
    of all values together."""
    found: dict[str, str] = {}
    said = [str(attributes_of(node).get("coordinates", "")) for node in members.values()]
    named = {name for names in said for name in names.split()}
    for path, node in members.items():
        above, _, name = path.rpartition("/")
        own = dimensions_of(node) or ()
        if not isinstance(node, zarr.Array) or len(own) < node.ndim:
            continue
        kind = _kind_of(name, node) or (
            "place" if own == (name,) or (name in named and not TIMES.issuperset(own)) else ""
        )
        units = str(attributes_of(node).get("units")).lower()
        cells = units.startswith(("degrees_n", "degree_n", "degrees_e", "degree_e"))
        if not kind or not (
            own in ((name,), ()) or ((cells or name in named) and not has_codec(node))
        ):
            continue
        for other, array in members.items():
            inside = other != path and (not above or f"{other}/".startswith(f"{above}/"))
            if inside and has_codec(array) and set(dimensions_of(array) or ()).issuperset(own):
                found[path] = kind
    return found


def _kind_of(name: str, node: Array) -> str:
    has = attributes_of(node)
    names, units = {name.lower(), has.get("standard_name")}, str(has.get("units"))
    if names & TIMES or " since " in units or has.get("axis") == "T" or node.dtype.kind in "mM":
        return "time"
    said = "positive" in has or has.get("axis") in ("X", "Y", "Z")
    return "place" if names & PLACES or said or units.startswith(("degree_", "degrees_")) else ""


def is_elsewhere(one: Node, two: Node) -> bool:
    """Returns whether coordinates differ, by more than rounding to float32 makes of them, or than a
    quarter of what lies between neighbours."""
    if not isinstance(one, zarr.Array) or not isinstance(two, zarr.Array) or one.shape != two.shape:
        return True
    units = [str(node.attrs.get("units")) for node in (one, two)]
    if units[0] != units[1] and not all(name.startswith("degree") for name in units):
        return True
    a, b = np.asarray(one[...]), np.asarray(two[...])
    if a.dtype.kind not in "iuf" or b.dtype.kind not in "iuf":
        return not np.array_equal(a, b)
    a, b = a.astype("f8"), b.astype("f8")
    apart = np.nanmax(np.abs(np.diff(a.ravel())), initial=0) or np.inf
    far = np.nanmax(np.abs(a - b), initial=0) > apart / 4
    return bool(far) or not np.allclose(a, b, 2**-22, 1e-9, equal_nan=True)
