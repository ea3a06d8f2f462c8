# _recent.py: owns the chunks that the codecs decompressed last, so that one that is changed in part
# and compressed again does not drift.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import contextlib
import os
from collections import deque
from collections.abc import Hashable
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

STREAMS = 256
MIB = 64  # of them, if the environment variable GHZ_KEEP_MIB gives no other number
SAMPLES = 64  # of a chunk at most, each of eight values in a row
SAMPLE = 8


class _Kept(NamedTuple):
    key: Hashable
    samples: np.ndarray
    stream: Any
    end: int  # bytes of all that came so far


# The newest first. There is no lock, which a child of fork() could find taken: what a deque does of
# itself is done before another thread runs.
_kept: deque[_Kept] = deque()


def keep(key: Hashable, stream: Any, values: np.ndarray) -> None:
    """Keeps a stream that was decompressed to these values, until 256 others or 64 MiB of them
    have come since. The key says what chunks have in common that may be the same: settings, shape,
    dtype."""
    if values.size < SAMPLE:
        return
    before = 0
    with contextlib.suppress(IndexError):  # there is none; other threads drop some, too
        before = _kept[0].end
    _kept.appendleft(_Kept(key, _samples(values), stream, before + stream.nbytes))
    with contextlib.suppress(IndexError):
        while len(_kept) > STREAMS or _bytes(_kept[0], _kept[-1]) > _most():
            _kept.pop()


def _bytes(newest: _Kept, oldest: _Kept) -> int:
    return newest.end - oldest.end + int(oldest.stream.nbytes)


def _most() -> int:
    text = os.environ.get("GHZ_KEEP_MIB", "")
    return int(text if text.isascii() and text.isdigit() else MIB) << 20


def find(key: Hashable, values: np.ndarray, fill: float | None) -> Any:
    """Returns the stream whose values these are, but for changes; None if there is none."""
    candidates = [one for one in tuple(_kept) if one.key == key]
    if not candidates:
        return None
    now = _samples(values)
    likely = [_likeness(one.samples, now, fill) for one in candidates]
    most = max(likely)
    return candidates[likely.index(most)].stream if most else None


def _samples(values: np.ndarray) -> np.ndarray:
    return np.take(values.reshape(-1), _places(values.size))


@lru_cache(maxsize=64)
def _places(size: int) -> np.ndarray:
    """Places spread evenly, which do not follow lines of the array."""
    count = min(SAMPLES, max(size // (4 * SAMPLE), 1))
    share = size // count
    begins = share * np.arange(count)
    begins += (np.arange(count) * 0.6180339887 % 1 * (share - SAMPLE + 1)).astype(int)
    return begins[:, None] + np.arange(SAMPLE)


def _likeness(was: np.ndarray, now: np.ndarray, fill: float | None) -> int:
    """Returns how many samples are equal; 0 unless they make it likely that the chunk is the same:
    half of all, or one that is no constant."""
    bits = f"u{was.itemsize}"
    equal = (was.view(bits) == now.view(bits)).all(1)
    constant = (was.view(bits) == was.view(bits)[:, :1]).all(1)
    first = was[:, 0]
    telling = ~(constant & ((first == 0) | np.isnan(first) | (first == fill)))
    equal &= telling
    count = int(equal.sum())
    return count if (equal & ~constant).any() or 2 * count >= telling.sum() else 0
