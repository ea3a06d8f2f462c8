# _notices.py: owns what the codecs say once, of data and settings that cost more than they need.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import warnings
from typing import Any

import numpy as np

# Fill values of NetCDF, GRIB and CMIP, of models, instruments and GIS.
_NAMED = [9.969209968386869e36, 1e20, 1e30, 1e31, 1e34, 1e35, 1e36, 1e37, 9e36, 9.999e20, 9999.0]
_NAMED += [99.9, 999.0, 999.9, 999.25, 99999, 999999, 9999999, 32768, 32767, 2147483648, 2147483647]
_BOTH = {sign * value for value in _NAMED for sign in (1.0, -1.0)}
USUAL = frozenset(_BOTH | {float(np.float32(value)) for value in _BOTH})
SAMPLE = 1024  # values at the beginning, and as many of all

_told: set[str] = set()


def once(text: str) -> None:
    """Warns, unless this process has said so before."""
    if text not in _told:
        _told.add(text)
        warnings.warn(text, stacklevel=3)


def look_for_fills(values: np.ndarray, fill: float | None) -> None:
    """Warns of a usual fill value in data for which none is given: it would be far from all others.
    Looks at some values alone."""
    if fill is not None or values.dtype.kind != "f" or not values.size:
        return
    flat = values.reshape(-1)
    some = np.concatenate([flat[:SAMPLE], flat[:: -(-flat.size // SAMPLE)]])
    for extreme in (np.fmin.reduce(some), np.fmax.reduce(some)):
        if float(extreme) in USUAL and _is_apart(some, extreme):
            name = str(extreme)
            once(
                f"codec ghz: the data have {name}, which looks like a fill value: give fill={name}"
            )


def _is_apart(some: np.ndarray, extreme: Any) -> bool:
    """Returns whether other values are nearer to each other than to this one."""
    others = some[(some != extreme) & np.isfinite(some)].astype(np.float64)
    if not others.size:
        return False
    gap = min(abs(float(extreme) - others.min()), abs(float(extreme) - others.max()))
    return bool(gap > np.ptp(others))
