# calls.py: owns the measurement of what a call on few values takes, most of it in Python.
# SPDX-License-Identifier: BSD-3-Clause
"""usage: calls.py [VALUES]

Prints microseconds of the processor per call, the least of many runs; 100 values by default."""

from __future__ import annotations

import sys
import time
import timeit
from collections.abc import Callable

import numpy as np

import ghz

CALLS, RUNS = 1000, 20


def microseconds(work: Callable[[], object]) -> float:
    runs = timeit.repeat(work, number=CALLS, repeat=RUNS, timer=time.process_time)
    return min(runs) / CALLS * 1e6


def main(count: int = 100) -> None:
    x = np.sin(np.arange(count) / 10).astype("f4")
    a = ghz.compress(x, abs=1e-3)
    b = ghz.compress(x[::-1].copy(), abs=1e-3)
    works: dict[str, Callable[[], object]] = {
        "compress(x, abs=1e-3)": lambda: ghz.compress(x, abs=1e-3),
        "compress(x, rel=1e-3)": lambda: ghz.compress(x, rel=1e-3),
        "compress(x, like=a)": lambda: ghz.compress(x, like=a),
        "a.decompress()": lambda: a.decompress(),
        "a + b": lambda: a + b,
        "a * 2": lambda: a * 2,
        "ghz.mean([a, b])": lambda: ghz.mean([a, b]),
    }
    for name, work in works.items():
        print(f"{name:24}{microseconds(work):8.2f}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
