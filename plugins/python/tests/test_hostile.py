# test_hostile.py: owns tests of bad input: bytes that are no streams, shapes and dtypes that lie.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import ghz
from conftest import field


class SpeaksDlpack:
    """A tensor of a library that has DLPack alone."""

    def __dlpack__(self, **_: Any) -> Any:
        raise AssertionError("it is not asked")


@pytest.mark.parametrize(
    ("array", "advice"),
    [
        (np.zeros(3, "i4"), "exactly: leave out the bound"),
        (np.zeros(3, "u8"), "astype..int64"),
        (np.zeros(3, bool), "astype..uint8"),
        (np.zeros(3, ">i4"), "newbyteorder"),
        (np.zeros(3, "f2"), "float32"),
        (np.zeros(3, "c8"), "real"),
        (np.zeros(3, ">f4"), "newbyteorder"),
        (np.zeros(3, ">f8"), "newbyteorder"),
        (np.zeros(3, np.longdouble), "float64"),
        (["a"], "<U1"),
        (np.array([None]), "object"),
        ({"a": np.zeros(3)}, "a dict is an object: give one array at a time; .* dict of tensors"),
        (SpeaksDlpack(), "speaks DLPack alone: give np.from_dlpack.tensor."),
        (np.ma.masked_array([1.0], [True]), "filled"),
        (np.zeros(3, "M8[s]"), "datetime"),
    ],
)
def test_dtypes(array: Any, advice: str) -> None:
    with pytest.raises(TypeError, match=advice):
        ghz.compress(array, abs=1)


def test_bounds() -> None:
    x = field((100,))
    nonsense: list[dict[str, Any]] = [
        {},
        {"abs": 1, "rel": 1},
        {"like": ghz.lattice(x, abs=1), "rel": 1},
    ]
    for how in nonsense + [{"abs": v} for v in (0, -1, np.nan, np.inf)]:
        with pytest.raises(ghz.ArgumentError):
            ghz.compress(x, **how)
    with pytest.raises(ghz.ArgumentError):
        ghz.compress(x, abs=1, fill_value=np.inf)
    by_hand = ghz.Lattice(np.dtype("f4"), 35, -1.0, 1.0)
    with pytest.raises(ghz.ArgumentError):
        ghz.compress(x, like=by_hand)


def test_no_streams() -> None:
    good = bytes(ghz.compress(field((40, 50)), abs=1e-3))
    for data in (b"", b"GHZ3", bytes(64), good[:-1], good[:70], good + b"x", b"x" + good):
        with pytest.raises(ghz.CorruptError):
            ghz.Stream.from_bytes(data, (40, 50))
    newer = bytearray(good)
    newer[3] = ord("1")
    with pytest.raises(ghz.VersionError):
        ghz.Stream.from_bytes(newer)
    for nothing in (3, None, "text"):
        with pytest.raises((TypeError, ghz.CorruptError)):
            ghz.Stream.from_bytes(nothing)


@pytest.mark.parametrize(
    ("shape", "order"),
    [
        ((41, 50), "C"),
        ((50, 40), "C"),
        ((40, 50), "F"),
        ((-40, -50), "C"),
        ((2**32, 2**32), "C"),
        ((2000,), "C"),
        ((2**64 + 40, 50), "C"),
        (2000, "C"),
        ((), "C"),
        ((40, 50), "K"),
        ((4, 25, 20), "C"),
        ((0,), "C"),
    ],
)
def test_shapes_that_lie(shape: Any, order: str) -> None:
    s = ghz.compress(field((40, 50)), abs=1e-3)
    assert s.info.dims == 2
    with pytest.raises(ghz.ArgumentError):
        ghz.Stream.from_bytes(bytes(s), shape, order)
    for lie in ((1.5, 3), ("a",), "ab"):
        with pytest.raises((TypeError, ghz.ArgumentError)):
            ghz.Stream.from_bytes(bytes(s), lie)


def test_damaged_bytes() -> None:
    """Every call on damaged bytes returns or raises one of our errors."""
    x = field((12, 40, 50))
    good = ghz.compress(x, abs=1e-3)
    random = np.random.default_rng(1)
    found = 0
    for _ in range(400):
        data = bytearray(bytes(good))
        for _ in range(random.integers(1, 4)):
            data[random.integers(0, len(data))] ^= 1 << random.integers(0, 8)
        try:
            s = pickle.loads(pickle.dumps(ghz.Stream.from_bytes(data)))
        except ghz.Error:
            found += 1
            continue
        for use in (
            s.decompress,
            lambda: s[:, 3:7, 5],
            s.summary,
            s.max,
            lambda: s + s,
            lambda: s + good,
            lambda: ghz.difference(s, good),
            lambda: s / 3,
        ):
            try:
                use()
            except ghz.Error:
                found += 1
    assert found > 100


def test_damaged_pickles() -> None:
    s = ghz.compress(field((40, 50)), abs=1e-3)
    text = pickle.dumps(s, 4)
    at = text.index(bytes(s)[:4])
    with pytest.raises(ghz.CorruptError):
        pickle.loads(text[:at] + b"XXXX" + text[at + 4 :])
    with pytest.raises(ghz.ArgumentError):
        pickle.loads(text.replace(b"K(K2", b"K2K2"))  # (50, 50)


def test_a_claim_of_more_values_than_memory_holds() -> None:
    good = bytes(ghz.compress(field((20, 40, 50)), abs=1))
    for at in (8, 16, 24):  # the extents, by FORMAT.md
        for claim in (2**62, 2**40, 10**6):
            data = bytearray(good)
            data[at : at + 8] = claim.to_bytes(8, "little")
            with pytest.raises(ghz.CorruptError):
                ghz.Stream.from_bytes(data)


def test_bytes_that_change_are_copied() -> None:
    x = field((40, 50))
    data = bytearray(bytes(ghz.compress(x, abs=1e-3)))
    s = ghz.Stream.from_bytes(data)
    before = s.decompress()
    data[:] = bytes(len(data))
    np.testing.assert_array_equal(s.decompress(), before)
