# test_index.py: owns tests of slices: the values that NumPy selects, from the tiles that hold them.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ghz
from conftest import field
from ghz import _index, _stream

SHAPES = [
    (5000,),
    (70000,),
    (40, 50),
    (20, 40, 50),
    (3, 5, 2, 700),
    (4, 30, 6, 40),
    (5, 4, 3, 2, 60),
    (20, 3, 3, 3, 3, 40),
    (1, 64, 1, 64),
    (200, 3),
    (0, 4),
]


def random_index(random: np.random.Generator, shape: tuple[int, ...]) -> Any:
    items: list[Any] = []
    last = random.random() < 0.3  # of the last axes
    count = int(random.integers(0, len(shape) + 1))
    for extent in shape[len(shape) - count :] if last else shape[:count]:
        kind = random.integers(0, 4)
        ends = [
            None if random.random() < 0.3 else int(random.integers(-extent - 2, extent + 3))
            for _ in range(2)
        ]
        if kind == 0 and extent:
            items.append(int(random.integers(-extent, extent)))
        elif kind == 1:
            items.append(slice(*ends, int(random.choice([-7, -1, 2, 3, 40]))))
        else:
            items.append(slice(*ends))
    if last:
        items.insert(0, Ellipsis)
    return items[0] if len(items) == 1 else tuple(items)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("order", ["C", "F"])
def test_as_numpy(shape: tuple[int, ...], order: str) -> None:
    s = ghz.compress(field(shape, order=order), abs=1e-3)
    values = s.decompress()
    random = np.random.default_rng(len(shape))
    for _ in range(120):
        index = random_index(random, shape)
        found = s[index]
        assert np.shape(found) == values[index].shape, index
        np.testing.assert_array_equal(found, values[index], err_msg=str(index))
        assert type(found) is type(values[index])


def test_few_values_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []
    whole = _stream.Stream._read_box

    def counted(self: ghz.Stream, origin: tuple[int, int, int], out: Any) -> None:
        read.append(out.size)
        whole(self, origin, out)

    monkeypatch.setattr(_stream.Stream, "_read_box", counted)
    s = ghz.compress(field((64, 96, 128)), abs=1e-3)
    for index, calls, most in [
        ((3, 4, 5), 1, 1),
        (np.s_[3:5, :, 10], 1, 192),
        (np.s_[::32, 0, 0], 2, 2),
        (np.s_[:, ::2], 1, 64 * 95 * 128),
        (np.s_[7], 1, 96 * 128),
    ]:
        read.clear()
        s[index]
        assert len(read) == calls and sum(read) <= most, index
    flat = ghz.compress(field((1000000,)), abs=1e-3)
    read.clear()
    flat[::100000]
    assert len(read) == 10 == sum(read)
    read.clear()
    flat[::2]  # in pieces: no more than a few tiles of unwanted values at a time
    assert max(read) <= _index.SPAN * 1024


@pytest.mark.parametrize(
    "index",
    [
        5000,
        -5001,
        (0, 0),
        True,
        np.True_,
        1.5,
        "x",
        None,
        [1, 2],
        np.array([1]),
        (..., ...),
        slice(0, 2, 0),
    ],
)
def test_refused(index: Any) -> None:
    s = ghz.compress(field((5000,)), abs=1e-3)
    with pytest.raises(ValueError if isinstance(index, slice) else IndexError):
        s[index]
