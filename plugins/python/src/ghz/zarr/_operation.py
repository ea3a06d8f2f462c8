# _operation.py: owns what is made of the streams of a chunk, and what that does to fill values.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

import ghz


@dataclass(frozen=True)
class Operation:
    """A linear combination of streams, or several."""

    count: int  # of the streams

    @abstractmethod
    def __call__(self, streams: list[ghz.Stream]) -> list[ghz.Stream]:
        """Returns the streams of each result."""

    @property
    @abstractmethod
    def factor(self) -> int:
        """What a number becomes that all operands have: so many times itself."""

    @property
    def divisor(self) -> int | None:
        """By what sums are divided, if they are."""
        return None


class Sum(Operation):
    def __call__(self, streams: list[ghz.Stream]) -> list[ghz.Stream]:
        return [ghz.sum(streams)]

    @property
    def factor(self) -> int:
        return self.count


class Mean(Operation):
    def __call__(self, streams: list[ghz.Stream]) -> list[ghz.Stream]:
        return [ghz.mean(streams)]

    @property
    def factor(self) -> int:
        return 1

    @property
    def divisor(self) -> int:
        return self.count


class Difference(Operation):
    """The first of two without the second."""

    def __call__(self, streams: list[ghz.Stream]) -> list[ghz.Stream]:
        return [ghz.linear(streams, [1, -1])]

    @property
    def factor(self) -> int:
        return 0


class Anomalies(Operation):
    """Each without the mean of all."""

    def __call__(self, streams: list[ghz.Stream]) -> list[ghz.Stream]:
        k, total = self.count, ghz.sum(streams)
        return [ghz.linear([stream, total], [k, -1], k) for stream in streams]

    @property
    def factor(self) -> int:
        return 0

    @property
    def divisor(self) -> int:
        return self.count
