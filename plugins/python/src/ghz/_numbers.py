# _numbers.py: owns numbers that are computed from streams without decompressing them.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ._arrays import Shape


class Estimate(float):
    """A number of what a stream holds, exact but for one rounding: a float.

    Attributes:
        low: The least that the same number of the original values can be.
        high: The most that it can be.
    """

    __slots__ = ("low", "high")
    low: float
    high: float

    def __new__(cls, value: float, low: float, high: float) -> Estimate:
        self = super().__new__(cls, value)
        self.low = low
        self.high = high
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return Estimate, (float(self), self.low, self.high)

    def __repr__(self) -> str:
        return f"Estimate({float(self)!r}, low={self.low!r}, high={self.high!r})"


@dataclass(frozen=True)
class Summary:
    """Numbers of one stream. NaN, infinities and the fill value are left out, and counted.

    Attributes:
        count: Number of finite values.
        specials: Number of the others.
        sum: In the units of the data, as are mean, deviation and norm.
        mean: The sum divided by count.
        variance: In the units of the data squared; the divisor is count.
        deviation: The square root of the variance.
        norm: The root of the sum of the squares (L2).
    """

    count: int
    specials: int
    sum: Estimate
    mean: Estimate
    variance: Estimate
    deviation: Estimate
    norm: Estimate


@dataclass(frozen=True)
class Comparison:
    """Numbers of a pair of streams a and b. Pairs with a NaN, infinity or fill are left out.

    Attributes:
        count: Pairs of finite values.
        specials: Other pairs.
        mismatches: Of those: one is special and the other is not, or in another way.
        product: Sum of a * b.
        mean: Of a - b.
        rms: Of a - b.
        largest: The largest |a - b|.
        place: The first index where that is; None without pairs.
    """

    count: int
    specials: int
    mismatches: int
    product: Estimate
    mean: Estimate
    rms: Estimate
    largest: Estimate
    place: Shape | None


def estimate(c: Any) -> Estimate:
    return Estimate(c.value, c.low, c.high)


def summary_of(c: Any) -> Summary:
    """Returns what a ghz_summary says."""
    numbers = (c.sum, c.mean, c.variance, c.deviation, c.norm)
    return Summary(c.count, c.specials, *(estimate(number) for number in numbers))


def comparison_of(c: Any, place: Shape | None) -> Comparison:
    """Returns what a ghz_comparison says."""
    product, mean, rms, largest = map(estimate, (c.product, c.mean, c.rms, c.largest))
    return Comparison(c.count, c.specials, c.mismatches, product, mean, rms, largest, place)
