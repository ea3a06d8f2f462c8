# conftest.py: owns fields that the tests compress.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import math
from typing import Any

import ghz
import numpy as np
import numpy.typing as npt

LEVELS = (1, 2) if ghz.features["zstd"] else (2,)  # of packing, that this build has


def field(shape: tuple[int, ...], dtype: Any = "f4", seed: int = 0, order: Any = "C") -> Any:
    """A smooth field with a little noise."""
    random = np.random.default_rng(seed)
    line = np.linspace(0, 9, math.prod(shape))
    values = np.sin(line + seed) + random.normal(0, 1e-3, line.shape)
    return np.array(values.reshape(shape), dtype, order=order)


def error(values: npt.ArrayLike, wanted: npt.ArrayLike) -> float:
    """The largest error, in long double: float64 could round it to the bound."""
    apart = np.asarray(values, np.longdouble) - np.asarray(wanted, np.longdouble)
    return float(np.abs(apart).max(initial=0))
