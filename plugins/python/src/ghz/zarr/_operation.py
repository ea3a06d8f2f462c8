# _operation.py: owns what is made of the streams of a chunk, and what that does to fill values.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import ghz

Streams = list[ghz.Stream]


@dataclass(frozen=True)
class Operation:
    """A linear combination of streams, or several."""

    combine: Callable[[Streams], Streams]
    factor: int  # what a number becomes that all operands have: so many times itself
    history: str  # what was done
    divisor: int | None = None  # by what sums are divided, if they are
    method: str | None = None  # of CF's cell_methods


def _sum(streams: Streams) -> Streams:
    return [ghz.sum(streams)]


def _mean(streams: Streams) -> Streams:
    return [ghz.mean(streams)]


def _difference(streams: Streams) -> Streams:
    return [ghz.linear(streams, [1, -1])]


def _anomalies(streams: Streams) -> Streams:
    k, total = len(streams), ghz.sum(streams)
    return [ghz.linear([stream, total], [k, -1], k) for stream in streams]


def operation(kind: str, count: int) -> Operation:
    """Returns the sum or mean of streams, the first of two without the second ("difference"), or each
    without the mean of all ("anomalies")."""
    kinds = {
        "sum": Operation(_sum, count, f"sum of {count} stores", None, "realization: sum"),
        "mean": Operation(_mean, 1, f"mean of {count} stores", count, "realization: mean"),
        "difference": Operation(_difference, 0, "subtract"),
        "anomalies": Operation(_anomalies, 0, f"anomalies of {count} stores", count),
    }
    return kinds[kind]
